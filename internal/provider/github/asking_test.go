package github_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

// A job has an id in its workflow, and a check of another name where it has a name of its
// own or is called by another workflow.
func TestJobThatDoesNotKnowItsCheck(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Check(t, "call / verify", contract.Running)
	of := w.Asking(t, "call / verify")
	checks := func(job string) provider.Answer {
		target := w.Target(t)
		target.Asking = provider.Asking{Run: of.Run, Job: job}
		a, err := w.Provider(t, 20*time.Second).Checks(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := checks("verify")
	if a.Result != evidence.Unknown || a.Pending || !strings.Contains(a.Because, "--job") || !strings.Contains(a.Because, `"call / verify"`) {
		t.Errorf("a job that waits for itself: %+v", a)
	}
	run, err := strconv.Atoi(of.Run)
	if err != nil {
		t.Fatal(err)
	}
	w.Server.Require("rerun", githubserver.Actions)
	w.Report(w.head, githubserver.Run{Name: "rerun", Status: "IN_PROGRESS", In: run})
	if a = checks("call / verify"); a.Result != evidence.Unknown || !a.Pending || strings.Contains(a.Because, "--job") {
		t.Errorf("another job of the same run is under way: %+v", a)
	}
	w.Finished(w.head, "rerun")
	w.Report(w.head, githubserver.Run{Name: "rerun", Status: "COMPLETED", Conclusion: "SUCCESS", In: run})
	if a = checks("call / verify"); a.Result != evidence.Pass {
		t.Errorf("all others have passed: %+v", a)
	}
}

// Another workflow may have a job of the same name, which counts as before.
func TestJobOfTheSameNameInAnotherWorkflow(t *testing.T) {
	w := newServed(t)
	w.Submit(t)
	w.Check(t, "unit", contract.Passing)
	w.Check(t, "verify", contract.Running)
	target := w.Target(t)
	target.Asking = w.Asking(t, "verify")
	w.Report(w.head, githubserver.Run{Name: "verify", Workflow: "other", Status: "COMPLETED", Conclusion: "FAILURE"})
	a, err := w.Provider(t, 20*time.Second).Checks(t.Context(), target)
	if err != nil || a.Result != evidence.Fail {
		t.Errorf("%+v, %v", a, err)
	}
}
