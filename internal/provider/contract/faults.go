package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// stalled is how long a test waits for what does not come.
const stalled = 100 * time.Millisecond

// faults breaks each answer that a passing read needs, in each way: whatever is broken,
// nothing passes, and the reason is said.
func faults(t *testing.T, w World) {
	w.Submit(t)
	w.Check(t, "unit", Passing)
	if w.Can(Comments) {
		w.Resolve(t, w.Say(t, Writer, "a question"))
	}
	reads := []read{readPull, readChecks, readComments}
	if w.Can(Items) {
		w.Item(t, "A cap", "Refunds have a cap.")
		w.Link(t)
		reads = append(reads, readItem)
	}
	tried := 0
	for _, r := range reads {
		for series, f := range EveryFault() {
			tried += breakEach(t, w, r, f, true, series)
			if f != Moved && f != Stalled { // once is enough, and slow
				tried += breakEach(t, w, r, f, false, series+1)
			}
		}
	}
	t.Logf("%d broken reads, none of which passed", tried)
	if w.Can(Approvals) {
		brokenApprovals(t, w)
	}
}

func breakEach(t *testing.T, w World, r read, f Fault, only bool, series int) (tried int) {
	t.Helper()
	if f == Moved {
		w.Submit(t) // the last trial moved the branch
		w.Check(t, "unit", Passing)
	}
	before := w.Requests()
	want(t, "nothing is broken", ask(t, w, r), evidence.Pass)
	n := w.Requests() - before
	if f == Moved {
		n-- // what happens after the last answer, nobody can have seen
	}
	wait := patience
	if f == Stalled {
		wait = stalled
	}
	for i := range n {
		if !Some(series, i) {
			continue
		}
		name := fmt.Sprintf("%s, answer %d of %d: %s", r, i+1, n, f)
		w.Break(t, f, i, only)
		a, err := r.ask(t, w.Provider(t, wait), w.Target(t))
		w.Repair(t)
		tried++
		switch {
		case err != nil:
			mute(t, w, err.Error())
		case f == Unavailable && only && a.Result == evidence.Pass:
			// A bad gateway is nobody's answer: it was asked again, and got one.
		case a.Result != evidence.Unknown:
			t.Errorf("%s: %s (%s; because %s), want unknown", name, a.Result, a.Summary, a.Because)
		case a.Because == "":
			t.Errorf("%s: unknown without a reason: %+v", name, a)
		}
		mute(t, w, fmt.Sprintf("%+v %s", a, a.Output))
		if f == Moved {
			w.Submit(t)
			w.Check(t, "unit", Passing)
		}
	}
	return tried
}

// brokenApprovals: an approval whose author's rights could not be found out counts for nothing.
func brokenApprovals(t *testing.T, w World) {
	t.Helper()
	w.Comment(t, Writer, "/asterweave approve "+strings.Repeat("0123456789abcdef", 4))
	counted := func(p provider.Provider) int {
		n := 0
		got, _ := p.Approvals(t.Context(), w.Target(t)) // an error approves nothing
		for _, a := range got {
			if a.Refused == "" {
				n++
			}
		}
		return n
	}
	before := w.Requests()
	if counted(w.Provider(t, patience)) != 1 {
		t.Fatal("nothing is broken, and the approval does not count")
	}
	n := w.Requests() - before
	for series, f := range EveryFault() {
		if f == Moved {
			continue // an approval is of a digest, not of a branch
		}
		wait := patience
		if f == Stalled {
			wait = stalled
		}
		for i := range n {
			if !Some(series, i) {
				continue
			}
			w.Break(t, f, i, f != Unavailable) // once it would be asked again
			if counted(w.Provider(t, wait)) > 0 {
				t.Errorf("approvals, answer %d of %d: %s: it counts", i+1, n, f)
			}
			w.Repair(t)
		}
	}
}
