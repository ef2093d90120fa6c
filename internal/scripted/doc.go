// Package scripted is a harness that plays recorded decisions.
//
// A script holds what a model and a person decided; everything else is real. The
// player runs asterweave-state as a child process for the model's verbs, as the
// shell of an agent would, and hands asterweave-hook the payloads that a client
// delivers: a session's start, a person's typed command, a tool call that was
// made, a reviewer's last message. The children's environment is built from a
// list of what is allowed. Shells of agents carry the agent's marker and hooks do
// not, so a script cannot approve for itself: only its human steps carry a word.
//
// docs/scripted-harness.md describes the form of scripts.
package scripted
