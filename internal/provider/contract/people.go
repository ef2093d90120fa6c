package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

func comments(t *testing.T, w World) {
	w.Submit(t)
	const text = "Please <cap> the budget.\n/asterweave approve 0000000000000000"
	id := w.Say(t, Writer, text)
	a := ask(t, w, readComments)
	want(t, "an open thread", a, evidence.Fail)
	c := comment(t, a, id)
	if c.Kind != provider.Thread || c.Own || c.Bot || c.Resolved || c.Blocks || c.Author == "" || c.URL == "" || c.Text != text {
		t.Errorf("the thread: %+v", c)
	}
	if _, err := time.Parse(time.RFC3339, c.At); err != nil {
		t.Error(err)
	}
	w.Reply(t, id, Agent, "Done in the next commit.")
	w.Reply(t, id, Writer, "Thanks.")
	got := comment(t, ask(t, w, readComments), id).Replies
	for i := range got {
		if got[i].ID == "" || got[i].Author == "" || got[i].At == "" {
			t.Errorf("a reply without its names: %+v", got[i])
		}
		got[i] = provider.Reply{Own: got[i].Own, Text: got[i].Text}
	}
	if diff := cmp.Diff([]provider.Reply{{Own: true, Text: "Done in the next commit."}, {Text: "Thanks."}}, got); diff != "" {
		t.Errorf("replies, oldest first: %s", diff)
	}
	own := w.Say(t, Agent, "A remark of my own.")
	w.Resolve(t, id)
	a = ask(t, w, readComments)
	want(t, "one of two is resolved", a, evidence.Fail)
	if !comment(t, a, id).Resolved || !comment(t, a, own).Own {
		t.Errorf("resolved, and own: %+v", a.Comments)
	}
	w.Resolve(t, own)
	want(t, "both are resolved", ask(t, w, readComments), evidence.Pass)
	w.Push(t)
	want(t, "the branch moved", ask(t, w, readComments), evidence.Unknown)
}

func comment(t *testing.T, a provider.Answer, id string) provider.Comment {
	t.Helper()
	for _, c := range a.Comments {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no comment %s in %+v", id, a.Comments)
	return provider.Comment{}
}

func workItem(t *testing.T, w World) {
	w.Submit(t)
	w.Item(t, "A cap", "Refunds have a cap.")
	wantNoPass(t, "the work item is not linked", ask(t, w, readItem))
	w.Link(t)
	want(t, "it is linked, and no state is wanted", ask(t, w, readItem), evidence.Pass)
	if w.Target(t).Source == "" {
		t.Fatal("the target names no work item")
	}
	done := w.Finish(t)
	inDone := func(x *provider.Target) { x.State = done }
	finished := ask(t, w, readItem, inDone)
	want(t, "it is in the wanted state", finished, evidence.Pass)
	if !slices.ContainsFunc(append(finished.States, finished.State), func(s string) bool { return strings.EqualFold(s, done) }) {
		t.Errorf("the state that was wanted as %q is told as %q and %q", done, finished.State, finished.States)
	}
	wantNoPass(t, "another state is wanted", ask(t, w, readItem, func(x *provider.Target) { x.State = "no such state" }))
	w.Item(t, "Another", "It is open.")
	w.Link(t)
	want(t, "it is still open", ask(t, w, readItem, inDone), evidence.Fail)
	wantNoPass(t, "there is no such work item", ask(t, w, readItem, noSuch))
}

// itemComments: an announced comment is found once it is there, not before, and an edited
// one is not it.
func itemComments(t *testing.T, w World) {
	const announced = "It is in review.\n\n- 1 < 2 & \"done\"\n  next: <b>wait</b>"
	w.Submit(t)
	w.Item(t, "A cap", "Refunds have a cap.")
	w.Link(t)
	w.Comment(t, Writer, announced) // somebody else says the same
	w.Comment(t, Agent, "Something else.")
	shows := func(text string) int {
		t.Helper()
		a := ask(t, w, readItem)
		want(t, "comments change nothing", a, evidence.Pass)
		n := 0
		for _, c := range a.Comments {
			if c.ID == "" || c.URL == "" || c.Author == "" || c.At == "" {
				t.Errorf("a comment without its names: %+v", c)
			}
			if c.Own && (tidy(c.Text) == text || tidy(c.Kept) == text) {
				n++
			}
		}
		return n
	}
	if n := shows(announced); n != 0 {
		t.Errorf("before it is written it is found %d times", n)
	}
	id := w.Comment(t, Agent, announced+"\n")
	if n := shows(announced); n != 1 {
		t.Errorf("once it is written it is found %d times", n)
	}
	w.Edit(t, id, announced+" Or not.")
	if n := shows(announced); n != 0 {
		t.Errorf("once it is edited it is found %d times", n)
	}
	w.Comment(t, Agent, announced)
	for i := range 240 { // more than a page
		w.Comment(t, Writer, fmt.Sprintf("remark %d", i))
	}
	w.Comment(t, Agent, "the last one")
	if n := shows(announced) + shows("the last one"); n != 2 {
		t.Errorf("of two among many, %d are found", n)
	}
}

// tidy takes away what services change on their own, and what nobody compares.
func tidy(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \r")
	}
	return strings.Join(lines, "\n")
}

func noSuch(x *provider.Target) {
	name, _, _ := strings.Cut(x.Source, "#")
	x.Source = name + "#999999"
}

func intake(t *testing.T, w World) {
	w.Item(t, "A cap", "Refunds have a cap of 100 & no more.")
	target := w.Target(t)
	i, err := w.Provider(t, patience).Item(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if i.Title != "A cap" || !strings.Contains(i.Text, "Refunds have a cap of 100 & no more.") || !strings.Contains(i.Source, "#") || i.URL == "" || i.Proof == "" || i.State == "" || i.Reader == "" {
		t.Errorf("the work item: %+v", i)
	}
	mute(t, w, i.Proof+i.URL)
	noSuch(&target)
	if _, err := w.Provider(t, patience).Item(t.Context(), target); err == nil {
		t.Error("a work item that is not there was read")
	} else {
		mute(t, w, err.Error())
	}
}

func approvals(t *testing.T, w World) {
	w.Submit(t)
	w.Item(t, "A cap", "Refunds have a cap.")
	digest := strings.Repeat("0123456789abcdef", 4)
	line := "/asterweave approve " + digest
	w.Comment(t, Writer, line)
	w.Comment(t, Writer, "> "+line+"\n\nis what you would have to write")
	w.Comment(t, Writer, "what about the tests?")
	w.Comment(t, Stranger, line)
	w.Comment(t, Agent, line)
	item, err := w.Provider(t, patience).Item(t.Context(), w.Target(t))
	if err != nil {
		t.Fatal(err)
	}
	edited := w.Comment(t, Writer, "well done")
	w.Edit(t, edited, line)
	w.Comment(t, Writer, "  /asterweave approve "+strings.ToUpper(digest)+"  ")
	no := "/asterweave reject " + digest + " it is too wide"
	w.Comment(t, Writer, no)
	w.Comment(t, Stranger, no)
	w.Comment(t, Writer, "I would not "+no)
	w.Edit(t, w.Comment(t, Writer, "hm"), no)
	got, err := w.Provider(t, patience).Approvals(t.Context(), w.Target(t))
	if err != nil {
		t.Fatal(err)
	}
	var counts []bool
	for i, a := range got {
		if a.Rejects != (i > 4) {
			t.Errorf("which word is it: %+v", a)
		}
		counts = append(counts, a.Refused == "")
		if a.Author == "" || a.Digest != digest || a.URL == "" || a.At == "" || a.Proof == "" || a.Reader != item.Reader {
			t.Errorf("an approval without its names: %+v", a)
		}
		mute(t, w, a.Proof)
	}
	// Writer, Stranger, Agent, the edited one, and Writer again, in order; then who rejects:
	// Writer, Stranger, Writer in an edited one.
	if diff := cmp.Diff([]bool{true, false, false, false, true, true, false, true}, counts); diff != "" {
		t.Errorf("which of %+v count: %s", got, diff)
	}
}
