package redact

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Cap returns data when it has at most limit bytes, else its head and its tail
// with a line between them that says how many bytes were left out, together at
// most limit bytes. It cuts at the ends of lines where there are some near, and
// never inside a character. Redact first: a cut could hide what a secret is.
func Cap(data []byte, limit int) []byte {
	if len(data) <= limit {
		return data
	}
	// The notice is longest when everything is left out.
	room := limit - len(notice(len(data)))
	if room <= 0 {
		return bytes.Clone(data[:runeStart(data, max(limit, 0))])
	}
	head := lineBefore(data, room-room/3, room/8)
	tail := lineAfter(data, len(data)-room/3, room/8)
	out := make([]byte, 0, limit)
	out = append(out, data[:head]...)
	out = append(out, notice(tail-head)...)
	return append(out, data[tail:]...)
}

func notice(n int) string { return fmt.Sprintf("\n[cut: %d bytes left out here]\n", n) }

// lineBefore returns the end of the last line before at, or at itself when that
// is further away than reach.
func lineBefore(data []byte, at, reach int) int {
	from := max(0, at-reach)
	if i := bytes.LastIndexByte(data[from:at], '\n'); i >= 0 {
		return from + i
	}
	return runeStart(data, at)
}

// lineAfter returns the start of the first line after at, likewise.
func lineAfter(data []byte, at, reach int) int {
	if i := bytes.IndexByte(data[at:min(len(data), at+reach)], '\n'); i >= 0 {
		return at + i + 1
	}
	for n := 0; n < utf8.UTFMax && at < len(data) && !utf8.RuneStart(data[at]); n++ {
		at++
	}
	return at
}

// runeStart moves at back to the start of the character that it is in.
func runeStart(data []byte, at int) int {
	for n := 0; n < utf8.UTFMax && at > 0 && at < len(data) && !utf8.RuneStart(data[at]); n++ {
		at--
	}
	return at
}
