package azuredevops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/azureserver"
	"github.com/asterweave/asterweave/internal/provider/contract"
)

// The contract breaks what a usual read needs. These worlds make other reads matter:
// without a policy the statuses and the builds of the branch, with an address the pull request
// itself, after a merge no tip.
func TestUnknownNeverPassesElsewhere(t *testing.T) {
	worlds := map[string]struct {
		read string
		set  func(w *world, x *provider.Target)
	}{
		"statuses and builds of the branch": {"checks", func(w *world, _ *provider.Target) {
			w.server.Post(w.pull, "sec", "scan", "succeeded", false)
			w.server.RunBranch(w.repo.Branch, "nightly", "completed", "succeeded")
		}},
		"a status policy": {"checks", func(w *world, _ *provider.Target) {
			w.server.Policy(azureserver.Status, "sec/scan", "approved", true)
			w.server.Post(w.pull, "sec", "scan", "succeeded", false)
		}},
		"required by configuration": {"checks", func(w *world, x *provider.Target) {
			w.server.RunBranch(w.repo.Branch, "nightly", "completed", "succeeded")
			x.Required = []string{"nightly"}
		}},
		"a pull request that was read before": {"checks", func(w *world, x *provider.Target) {
			w.server.Run(w.repo.Branch, "unit", "completed", "succeeded")
			x.PullRequest = w.base.String() + "/Widgets%20App/_git/widgets/pullrequest/22"
		}},
		"a merged pull request": {"pull", func(w *world, _ *provider.Target) { w.server.Complete(w.pull) }},
		"a work item in a category": {"item", func(w *world, x *provider.Target) {
			w.item = w.server.AddItem("Bug", "A cap", "")
			w.server.Link(w.item, w.pull)
			w.server.Move(w.item, "Closed")
			x.Source, x.State = fmt.Sprintf("acme/Widgets App#%d", w.item), "Completed"
		}},
	}
	tried := 0
	for name, c := range worlds {
		w := newAzure(t)
		w.Submit(t)
		x := w.Target(t)
		c.set(w, &x)
		before := w.Requests()
		a, err := read(t.Context(), w.Provider(t, time.Minute), c.read, x)
		if err != nil || a.Result != evidence.Pass {
			t.Fatalf("%s: nothing is broken: %s (%s), %v", name, a.Result, a.Because, err)
		}
		n := w.Requests() - before
		for series, f := range contract.EveryFault() {
			if f == contract.Moved {
				continue // the contract has it
			}
			wait := time.Minute
			if f == contract.Stalled {
				wait = 100 * time.Millisecond
			}
			for i := range n {
				if !contract.Some(series, i) {
					continue
				}
				w.Break(t, f, i, f != contract.Unavailable)
				a, err := read(t.Context(), w.Provider(t, wait), c.read, x)
				w.Repair(t)
				tried++
				if err == nil && a.Result == evidence.Pass || strings.Contains(fmt.Sprintf("%+v %s %v", a, a.Output, err), canary) {
					t.Errorf("%s, answer %d of %d: %s: %s (%s), %v", name, i+1, n, f, a.Result, a.Summary, err)
				}
			}
		}
		if w.Writes() > 0 {
			t.Errorf("%s: %d writes", name, w.Writes())
		}
	}
	t.Logf("%d broken reads, none of which passed", tried)
}

// What an answer says of another thing than was asked is malformed.
func TestForeignAnswers(t *testing.T) {
	for path, change := range map[string][2]string{
		"/git/repositories/widgets":             {projectID, "Widgets"},
		thePull:                                 {`"pullRequestId":22`, `"pullRequestId":23`},
		thePull + " ":                           {repoID, forkID},
		thePull + "  ":                          {`"status":"active"`, `"status":"frobnicated"`},
		thePull + "/iterations":                 {headH, "HEAD"},
		evaluation:                              {"%2f22", "%2f23"},
		evaluation + " ":                        {`"evaluationId":"284f0000-0000-4000-8000-000000000010"`, `"evaluationId":""`},
		evaluation + "  ":                       {`"count":4`, `"count":5`},
		"/git/repositories/" + repoID + "/refs": {headH, "0000000000000000000000000000000000000000"},
		"/wit/workitems/101":                    {`"id":101`, `"id":102`},
		"/wit/workitems/101 ":                   {`"System.State":"Resolved"`, `"System.State":"Frobnicated"`},
		"/wit/workitemtypes/user story/states":  {`"category":"Resolved"`, `"category":"Frobnicated"`},
	} {
		what := "checks"
		if strings.HasPrefix(path, "/wit") {
			what = "item"
		}
		r := newReplay(t, "evaluations_green", "workitem_101", "workitem_refs")
		key := strings.ToLower(strings.TrimSpace(path))
		body := string(r.answers[key][0].Body)
		if !strings.Contains(body, change[0]) {
			t.Fatalf("%s has no %s: %s", path, change[0], body)
		}
		r.answers[key][0].Body = []byte(strings.ReplaceAll(body, change[0], change[1]))
		a, err := read(t.Context(), r.provider(), what, target())
		if err != nil || a.Result != evidence.Unknown || a.Because == "" {
			t.Errorf("%s %v: %s (%s), %v", path, change, a.Result, a.Because, err)
		}
	}
}

// A delivery does not start from an item that nobody asked for.
func TestAnotherItem(t *testing.T) {
	r := newReplay(t, "workitem_101")
	a := &r.answers["/wit/workitems/101"][0]
	a.Body = []byte(strings.Replace(string(a.Body), `"id":101`, `"id":102`, 1))
	if i, err := r.provider().Item(t.Context(), target()); err == nil || !strings.Contains(err.Error(), "another work item") {
		t.Errorf("%+v, %v", i, err)
	}
}

// An empty list is no good sign, whatever it is of.
func TestEmptyLists(t *testing.T) {
	for path, what := range map[string]string{
		"/git/repositories/" + repoID + "/pullrequests": "pull", "/git/repositories/" + repoID + "/refs": "pull", thePull + "/iterations": "pull",
		evaluation: "checks", "/build/builds": "checks", thePull + "/workitems": "item", "/wit/workitemtypes/user story/states": "item",
	} {
		r := newReplay(t, "evaluations_green", "workitem_101", "workitem_refs")
		if a, err := read(t.Context(), r.provider(), what, target()); err != nil || a.Result != evidence.Pass {
			t.Fatalf("nothing is empty, %s: %s (%s), %v", what, a.Result, a.Because, err)
		}
		r.set(path, list())
		if path == "/build/builds" {
			clear(r.builds)
		}
		a, err := read(t.Context(), r.provider(), what, target())
		if err != nil || a.Result == evidence.Pass || a.Because == "" {
			t.Errorf("%s: %s (%s), %v", path, a.Result, a.Because, err)
		}
	}
}

// A build of another pull request's merge shows nothing.
func TestBuildOfAnotherPullRequest(t *testing.T) {
	r := newReplay(t, "evaluations_green")
	r.builds[555] = []byte(strings.Replace(string(r.builds[555]), "refs/pull/22/merge", "refs/pull/23/merge", 1))
	if a, err := r.provider().Checks(t.Context(), target()); err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "refs/pull/23/merge") {
		t.Errorf("%s (%s), %v", a.Result, a.Because, err)
	}
}

// A service that does not page, or cuts pages, does not make a list complete.
func TestPagesThatRepeat(t *testing.T) {
	w := newAzure(t)
	w.Submit(t)
	for i := range 120 {
		w.Check(t, fmt.Sprintf("check-%03d", i), contract.Passing)
	}
	w.server.Most(7)
	a, err := w.Provider(t, time.Minute).Checks(t.Context(), w.Target(t))
	if err != nil || a.Result != evidence.Pass || !strings.Contains(a.Summary, "120 passed") {
		t.Errorf("pages of 7: %s %s (%s), %v", a.Result, a.Summary, a.Because, err)
	}
	w.server.Most(0)
	a, err = w.Provider(t, time.Minute).Checks(t.Context(), w.Target(t))
	if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "repeats") {
		t.Errorf("no pages: %s %s (%s), %v", a.Result, a.Summary, a.Because, err)
	}
}

// Each real answer names its request; one that does not comes from somebody else.
func TestAnswersWithoutARequestID(t *testing.T) {
	r := newReplay(t)
	r.noID = true
	a, err := r.provider().PullRequest(t.Context(), target())
	if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "names no request") {
		t.Errorf("%s (%s), %v", a.Result, a.Because, err)
	}
}

// What changed between the first answer and the last one makes the verdict that of neither.
func TestChangedWhileItWasRead(t *testing.T) {
	pull := func(old, now string) func(r *replay) {
		return func(r *replay) {
			key := strings.ToLower(thePull)
			first := r.answers[key][0]
			if !strings.Contains(string(first.Body), old) {
				t.Fatalf("no %s in %s", old, first.Body)
			}
			then := first
			then.Body = []byte(strings.Replace(string(first.Body), old, now, 1))
			r.answers[key] = []answer{first, then}
		}
	}
	after := func(path string, now func(r *replay)) func(r *replay) {
		return func(r *replay) {
			key := strings.ToLower(path)
			first := r.answers[key][0]
			now(r)
			r.answers[key] = []answer{first, r.answers[key][0]}
		}
	}
	refs := "/git/repositories/" + repoID + "/refs"
	for name, change := range map[string]func(r *replay){
		"abandoned":     pull(`"status":"active"`, `"status":"abandoned"`),
		"retargeted":    pull("refs/heads/main", "refs/heads/release"),
		"a draft":       pull(`"isDraft":false`, `"isDraft":true`),
		"a conflict":    pull(`"mergeStatus":"succeeded"`, `"mergeStatus":"conflicts"`),
		"an iteration":  after(thePull+"/iterations", func(r *replay) { r.iterations(headH, headH) }),
		"another head":  after(thePull+"/iterations", func(r *replay) { r.iterations(headH, headH2) }),
		"the tip alone": after(refs, func(r *replay) { r.set(refs, list(map[string]any{"name": "refs/heads/feature/x", "objectId": headH2})) }),
	} {
		for _, what := range []string{"pull", "checks", "comments", "item"} {
			r := newReplay(t, "evaluations_green", "workitem_101", "workitem_refs")
			change(r)
			a, err := read(t.Context(), r.provider(), what, target())
			if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "while it was read") {
				t.Errorf("%s, %s: %s (%s), %v", name, what, a.Result, a.Because, err)
			}
		}
	}
}

// The head is read from three places, and each of them counts.
func TestHeadsThatDiffer(t *testing.T) {
	for name, change := range map[string]func(r *replay){
		"the tip alone moved": func(r *replay) {
			r.set("/git/repositories/"+repoID+"/refs", list(map[string]any{"name": "refs/heads/feature/x", "objectId": headH2}))
		},
		"the branch is gone":             func(r *replay) { r.set("/git/repositories/"+repoID+"/refs", list()) },
		"the last iteration alone moved": func(r *replay) { r.iterations(headH, headH2) },
		"the service has not caught up": func(r *replay) {
			a := &r.answers[strings.ToLower(thePull)][0]
			a.Body = []byte(strings.Replace(string(a.Body), headH, headH2, 1))
		},
	} {
		r := newReplay(t, "evaluations_green")
		change(r)
		for _, what := range []string{"pull", "checks", "comments"} {
			a, err := read(t.Context(), r.provider(), what, target())
			if err != nil || a.Result != evidence.Unknown {
				t.Errorf("%s, %s: %s (%s), %v", name, what, a.Result, a.Because, err)
			}
		}
	}
}

// A name that was given away stands for another repository: nothing is read of it.
func TestAnotherRepository(t *testing.T) {
	x := target()
	x.Repository = "another"
	for _, what := range []string{"pull", "checks", "comments", "item"} {
		a, err := read(t.Context(), newReplay(t, "evaluations_green", "workitem_101", "workitem_refs").provider(), what, x)
		if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "another repository") {
			t.Errorf("%s: %s (%s), %v", what, a.Result, a.Because, err)
		}
	}
	if got, err := newReplay(t).provider().Approvals(t.Context(), x); err == nil || !strings.Contains(err.Error(), "another repository") {
		t.Errorf("approvals: %+v, %v", got, err)
	}
}

// A public project answers those whom it does not know, too.
func TestAnonymous(t *testing.T) {
	r := newReplay(t)
	r.set("/connectiondata", map[string]any{"authenticatedUser": map[string]any{"id": "AAAAAAAA-aaaa-aaaa-aaaa-aaaaaaaaaaaa"}})
	for _, what := range []string{"pull", "checks", "comments", "item"} {
		a, err := read(t.Context(), r.provider(), what, target())
		if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "anonymous") {
			t.Errorf("%s: %s (%s), %v", what, a.Result, a.Because, err)
		}
	}
	if i, err := r.provider().Item(t.Context(), target()); err == nil {
		t.Errorf("%+v", i)
	}
	if got, err := r.provider().Approvals(t.Context(), target()); err == nil {
		t.Errorf("approvals: %+v", got)
	}
	if found := r.provider().Examine(t.Context(), target()); len(found) != 1 || found[0].OK {
		t.Errorf("%+v", found)
	}
}

// That there is no pull request is a failure of that read alone: the others have judged nothing.
func TestNoPullRequest(t *testing.T) {
	w := newAzure(t)
	w.head = w.repo.Push(t)
	w.Item(t, "A cap", "")
	for what, want := range map[string]evidence.Result{"pull": evidence.Fail, "checks": evidence.Unknown, "comments": evidence.Unknown, "item": evidence.Unknown} {
		a, err := read(t.Context(), w.Provider(t, time.Minute), what, w.Target(t))
		if err != nil || a.Result != want || a.Because == "" {
			t.Errorf("%s: %s (%s), %v", what, a.Result, a.Because, err)
		}
	}
	w.server.OpenPull(w.repo.Branch, "release", "to another branch", azureserver.Writer())
	if a, err := read(t.Context(), w.Provider(t, time.Minute), "pull", w.Target(t)); err != nil || a.Signature != "pull-request/other-target" {
		t.Errorf("%s (%s), %v", a.Signature, a.Because, err)
	}
}

// Without a required check the builds of the branch count, at the head alone.
func TestBuildsOfTheBranch(t *testing.T) {
	w := newAzure(t)
	w.Submit(t)
	checks := func() provider.Answer {
		t.Helper()
		a, err := read(t.Context(), w.Provider(t, time.Minute), "checks", w.Target(t))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	w.server.RunBranch(w.repo.Branch, "nightly", "completed", "failed")
	if a := checks(); a.Result != evidence.Fail {
		t.Errorf("it failed: %s (%s)", a.Result, a.Because)
	}
	w.server.RunBranch(w.repo.Branch, "nightly", "completed", "succeeded")
	if a := checks(); a.Result != evidence.Pass {
		t.Errorf("it was run again: %s (%s)", a.Result, a.Because)
	}
	w.Submit(t)
	if a := checks(); a.Result != evidence.Unknown || a.Pending {
		t.Errorf("it was of an earlier commit: %s (%s)", a.Result, a.Because)
	}
}

// The header that asks for an error in place of a page is sent, unless it is switched off.
func TestRedirectHeader(t *testing.T) {
	for redirect, want := range map[bool]string{false: "Suppress", true: ""} {
		r := newReplay(t)
		r.redirect = redirect
		if _, err := r.provider().PullRequest(t.Context(), target()); err != nil {
			t.Fatal(err)
		}
		if got := r.header.Get("X-TFS-FedAuthRedirect"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if r.header.Get("User-Agent") != "asterweave" || !strings.HasPrefix(r.header.Get("Authorization"), "Basic ") {
			t.Errorf("%v", r.header)
		}
	}
}
