package follow_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/follow"
	"github.com/asterweave/asterweave/internal/prompt"
)

const file = ".claude/asterweave/artifacts/0a1b"

// next is what a prompt says with this in it, the program's name in the place of P.
func next(due string) string {
	return "## Task\nread work-item\n\n## What is due\n" + strings.ReplaceAll(due, "P ", prompt.Program+" ")
}

func TestRead(t *testing.T) {
	const pull = "I1 is confirmed and not read back: it may be there already. In this order:\n  1. P read pr\n" +
		"  2. unless it passed: P export --note, then git push origin fix refs/notes/n   (the same head)\n  3. fail without a url: open one, once: base main, title \"a \\\"b\\\"\", text in " + file + ". unknown: nothing\n  4. P read pr"
	for due, want := range map[string]follow.Step{
		"Every need is met.\nThen: P complete": {Kind: follow.Complete},
		"- a human confirms what leaves":       {Kind: follow.Confirm},
		"- " + pull:                            {Kind: follow.WritePull, Remote: "origin", Notes: "refs/notes/n", Pull: follow.Pull{Branch: "fix", Base: "main", Title: `a "b"`, Text: file}},
		"P read comments   first: …, is posted once:\n  I2: a reply to T1, text in " + file + "\n  I3: a reply to T2, text in " + file + "\n  then P read comments": {
			Kind: follow.WriteReplies, Writes: []follow.Write{{ID: "I2", Target: "T1", Text: file}, {ID: "I3", Target: "T2", Text: file}},
		},
		`P read work-item   first: I4 (state "in \"x\"" and a comment, text in ` + file + `) is confirmed …: write what is missing of it, once. Then P read work-item`: {
			Kind: follow.WriteItem, Writes: []follow.Write{{ID: "I4", Target: `in "x"`, Text: file}},
		},
		"P read work-item   first: I4 (a comment, text in " + file + ") is confirmed …: write what is missing of it, once.": {
			Kind: follow.WriteItem, Writes: []follow.Write{{ID: "I4", Text: file}},
		},
		`P read work-item; unless it passes: P intend work-item --state "Done"`: {Kind: follow.AnnounceItem, Target: "Done"},
		"P intend reply --thread T1 --body -; 1 to answer":                      {Kind: follow.AnnounceWord, Target: "T1"},
		`P triage put FILE: {"items":[{"id":"T1"},{"id":"T2"}]}`:                {Kind: follow.Triage, Comments: []string{"T1", "T2"}},
		"P read comments":  {Kind: follow.ReadComments},
		"P read work-item": {Kind: follow.ReadItem},
	} {
		got, err := follow.Read(next(due))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", due, err, diff)
		}
	}
	// Nothing is followed that writes before it reads.
	for _, due := range []string{
		"", "commit the work",
		strings.Replace(pull, "1. P read pr\n", "1. ", 1),
		"P run --gate unit, then P read comments   first: is posted once:\n  I2: a reply to T1, text in " + file,
		"P read comments   first: is posted once: nothing",
		"I4 (a comment, text in " + file + ") is confirmed: write what is missing of it, once. Then P read work-item",
	} {
		if got, err := follow.Read(next(due)); err == nil {
			t.Errorf("%s: %+v", due, got)
		}
	}
	if _, err := follow.Read("Every need is met."); err == nil {
		t.Error("what is not due is followed")
	}
}
