package contract

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

func pullRequest(t *testing.T, w World) {
	wantNoPass(t, "nothing is submitted", ask(t, w, readPull))
	w.Submit(t)
	first := ask(t, w, readPull)
	want(t, "submitted", first, evidence.Pass)
	if tree := w.Tree(t, w.Target(t).Head); first.Tree != tree {
		t.Errorf("the tree is %s, want %s", first.Tree, tree)
	}
	if w.Can(PullRequests) && first.Body != Text {
		t.Errorf("the text of the pull request is %q", first.Body)
	}
	again := ask(t, w, readPull, func(x *provider.Target) { x.PullRequest, x.Repository = first.URL, first.Repository })
	want(t, "read again", again, evidence.Pass)
	if again.URL != first.URL || again.Repository != first.Repository {
		t.Errorf("the same pull request has two names: %q %q and %q %q", first.URL, first.Repository, again.URL, again.Repository)
	}
	w.Submit(t)
	next := ask(t, w, readPull)
	want(t, "another commit, submitted", next, evidence.Pass)
	if w.Can(PullRequests) && next.URL != first.URL {
		t.Errorf("the open pull request %s was not adopted: %s", first.URL, next.URL)
	}
	w.Push(t)
	want(t, "somebody pushed to the branch", ask(t, w, readPull), evidence.Unknown)
}

func closed(t *testing.T, w World) {
	w.Submit(t)
	w.Check(t, "unit", Passing)
	url := ask(t, w, readPull).URL
	w.Close(t)
	want(t, "closed without a merge", ask(t, w, readPull), evidence.Fail)
	wantNoPass(t, "checks of a closed pull request", ask(t, w, readChecks, func(x *provider.Target) { x.PullRequest = url }))
}

// A name can be given away: what was read first decides which repository is meant.
func anotherRepository(t *testing.T, w World) {
	w.Submit(t)
	w.Check(t, "unit", Passing)
	for _, r := range []read{readPull, readChecks} {
		want(t, "of another repository", ask(t, w, r, func(x *provider.Target) { x.Repository = "another" }), evidence.Unknown)
	}
}

func checks(t *testing.T, w World) {
	w.Check(t, "unit", Passing)
	w.Submit(t)
	w.Check(t, "unit", Passing)
	want(t, "one required check passes", ask(t, w, readChecks), evidence.Pass)
	w.Check(t, "lint", Failing)
	bad := ask(t, w, readChecks)
	want(t, "one of two fails", bad, evidence.Fail)
	w.Check(t, "lint", Passing)
	want(t, "it was run again and passes", ask(t, w, readChecks), evidence.Pass)
	w.Push(t)
	if w.Can(PullRequests) {
		want(t, "the branch moved", ask(t, w, readChecks), evidence.Unknown)
		return
	}
	// A provider that runs the checks itself may say in an error that it cannot.
	if a, err := readChecks.ask(t, w.Provider(t, patience), w.Target(t)); err == nil {
		wantNoPass(t, "the branch moved", a)
	}
}

func missingChecks(t *testing.T, w World) {
	w.Submit(t)
	none := ask(t, w, readChecks)
	want(t, "no check is required and none reported", none, evidence.Unknown)
	if none.Pending {
		t.Error("nothing is reported and nothing required: that is no reason to wait")
	}
	if w.Can(PullRequests) {
		want(t, "the configuration requires a check", ask(t, w, readChecks, func(x *provider.Target) { x.Required = []string{"unit"} }), evidence.Unknown)
	}
	w.Require(t, "unit")
	want(t, "a required check was never reported", ask(t, w, readChecks), evidence.Unknown)
	w.Check(t, "lint", Passing)
	want(t, "one of two required checks was never reported", ask(t, w, readChecks), evidence.Unknown)
	w.Check(t, "lint", Failing)
	want(t, "the other one fails", ask(t, w, readChecks), evidence.Fail)
}

func pendingChecks(t *testing.T, w World) {
	w.Submit(t)
	w.Check(t, "unit", Running)
	a := ask(t, w, readChecks)
	want(t, "a check is running", a, evidence.Unknown)
	if !a.Pending {
		t.Errorf("it will end by itself: %+v", a)
	}
	w.Check(t, "lint", Failing)
	if a = ask(t, w, readChecks); a.Result == evidence.Pass || a.Pending && a.Result != evidence.Unknown {
		t.Errorf("one is running and one has failed: %+v", a)
	}
	w.Check(t, "lint", Passing)
	w.Check(t, "unit", Passing)
	want(t, "both have passed", ask(t, w, readChecks), evidence.Pass)
	want(t, "the configuration requires one of them as well", ask(t, w, readChecks, func(x *provider.Target) { x.Required = []string{"unit"} }), evidence.Pass)
	w.Submit(t)
	want(t, "they were of an earlier commit", ask(t, w, readChecks), evidence.Unknown)
}

// A job that waits for the checks is one of them, and does not wait for itself.
func askingJob(t *testing.T, w World) {
	w.Submit(t)
	w.Check(t, "unit", Passing)
	w.Check(t, "verify", Running)
	asks := func(x *provider.Target) { x.Asking = w.Asking(t, "verify") }
	named := func(x *provider.Target) { asks(x); x.Required = []string{"verify"} }
	if a := ask(t, w, readChecks); a.Result != evidence.Unknown || !a.Pending {
		t.Errorf("another one asks while it is under way: %+v", a)
	}
	for _, change := range []func(*provider.Target){asks, named} {
		a := ask(t, w, readChecks, change)
		want(t, "all but the job that asks have passed", a, evidence.Pass)
		if !strings.Contains(a.Summary, `without "verify"`) {
			t.Errorf("nothing says that it was left out: %s", a.Summary)
		}
	}
	w.Check(t, "lint", Running)
	if a := ask(t, w, readChecks, asks); a.Result != evidence.Unknown || !a.Pending {
		t.Errorf("another one is under way: %+v", a)
	}
	w.Check(t, "lint", Failing)
	want(t, "another one fails", ask(t, w, readChecks, asks), evidence.Fail)
	w.Check(t, "lint", Passing)
	other := w.Asking(t, "verify")
	other.Run = "1"
	want(t, "a job of another run asks", ask(t, w, readChecks, func(x *provider.Target) { x.Asking = other }), evidence.Unknown)
	w.Check(t, "verify", Failing)
	want(t, "it failed in an earlier run", ask(t, w, readChecks), evidence.Fail)
	w.Check(t, "verify", Running)
	want(t, "and is run again", ask(t, w, readChecks, asks), evidence.Pass)
}

// noPlace: what a provider has no place for it says so, and a work item that is named
// and cannot be read is unknown.
func noPlace(t *testing.T, w World) {
	w.Submit(t)
	want(t, "there is no work item", ask(t, w, readItem, func(x *provider.Target) { x.Source = "" }), evidence.Info)
	want(t, "nobody has said anything", ask(t, w, readComments), evidence.Info)
	if !w.Can(Items) {
		want(t, "a work item that cannot be read", ask(t, w, readItem, func(x *provider.Target) { x.Source = "acme/widgets#1" }), evidence.Unknown)
		if _, err := w.Provider(t, patience).Item(t.Context(), w.Target(t)); err == nil {
			t.Error("an item was read where there is no place for items")
		}
	}
	if !w.Can(Approvals) {
		if a, err := w.Provider(t, patience).Approvals(t.Context(), w.Target(t)); err != nil || len(a) > 0 {
			t.Errorf("approvals where there is no place for them: %v, %v", a, err)
		}
	}
}

func examination(t *testing.T, w World) {
	w.Submit(t)
	found := w.Provider(t, patience).Examine(t.Context(), w.Target(t))
	if len(found) == 0 {
		t.Fatal("an examination that finds nothing")
	}
	for _, f := range found {
		if f.What == "" || !f.OK && f.Next == "" || f.OK && f.Next != "" {
			t.Errorf("a finding says what it found, and a bad one what to do: %+v", f)
		}
		if !f.OK {
			t.Errorf("all can be read here: %+v", f)
		}
		mute(t, w, f.What+f.Next)
	}
}
