// Package recording draws what a terminal showed as one SVG: an animation of screens
// with captions, without scripts, fonts or other files, so that a page may embed it.
//
// [Parse] reads a screen as tmux captures it: lines of text with SGR sequences, and no
// cursor movements. Other escape sequences are passed over. [Recording.SVG] draws
// screens of one size. Both are pure.
package recording
