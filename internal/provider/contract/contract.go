package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// patience is long for a machine that is busy, since only a stalled answer waits for it.
const patience = 20 * time.Second

// Test asks a provider everything that the suite has, each time in a new world.
func Test(t *testing.T, newWorld func(t *testing.T) World) {
	t.Helper()
	for _, c := range []struct {
		name string
		need []Ability
		run  func(t *testing.T, w World)
	}{
		{"pull request", nil, pullRequest},
		{"pull request closed", []Ability{PullRequests}, closed},
		{"another repository", []Ability{PullRequests}, anotherRepository},
		{"checks", nil, checks},
		{"checks that are missing", nil, missingChecks},
		{"checks on their way", []Ability{Pending}, pendingChecks},
		{"the job that asks", []Ability{Pending}, askingJob},
		{"comments", []Ability{Comments}, comments},
		{"work item", []Ability{Items}, workItem},
		{"comments on the work item", []Ability{Items}, itemComments},
		{"intake", []Ability{Items}, intake},
		{"approvals", []Ability{Approvals}, approvals},
		{"no place", nil, noPlace},
		{"examination", nil, examination},
		{"unknown never passes", []Ability{Faults}, faults},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			for _, a := range c.need {
				if !w.Can(a) {
					t.Skipf("there is no place for %s", a)
				}
			}
			c.run(t, w)
			if n := w.Writes(); n != 0 {
				t.Errorf("%d requests were not reads", n)
			}
		})
	}
}

// read is one of the four reads that evidence is made of.
type read string

const (
	readPull     read = "pull request"
	readChecks   read = "checks"
	readComments read = "comments"
	readItem     read = "work item"
)

func (r read) ask(t *testing.T, p provider.Provider, target provider.Target) (provider.Answer, error) {
	t.Helper()
	switch r {
	case readPull:
		return p.PullRequest(t.Context(), target)
	case readChecks:
		return p.Checks(t.Context(), target)
	case readComments:
		return p.Comments(t.Context(), target)
	}
	return p.WorkItem(t.Context(), target)
}

// ask reads in a world as it is, with what an answer has to be whatever it says.
func ask(t *testing.T, w World, r read, change ...func(*provider.Target)) provider.Answer {
	t.Helper()
	target := w.Target(t)
	for _, c := range change {
		c(&target)
	}
	a, err := r.ask(t, w.Provider(t, patience), target)
	if err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	mute(t, w, fmt.Sprintf("%+v %s", a, a.Output))
	if a.Summary == "" {
		t.Errorf("%s: an answer without a summary: %+v", r, a)
	}
	switch a.Result {
	case evidence.Pass:
		if a.Head != target.Head || a.URL == "" || a.Proof == "" {
			t.Errorf("%s: a pass needs the head %s, a URL and a proof: %+v", r, target.Head, a)
		}
		if lines := strings.Count(a.Proof, "\n") + 1; lines > 41 {
			t.Errorf("%s: the proof has %d lines", r, lines)
		}
	case evidence.Fail:
		if a.Signature == "" {
			t.Errorf("%s: a failure without a signature: %+v", r, a)
		}
	case evidence.Info, evidence.Unknown:
		if a.Because == "" {
			t.Errorf("%s: %s without a reason: %+v", r, a.Result, a)
		}
	default:
		t.Errorf("%s: the result %q", r, a.Result)
	}
	if a.Pending && a.Result != evidence.Unknown {
		t.Errorf("%s: %s, and pending", r, a.Result)
	}
	return a
}

// mute looks for the token in what is shown or stored.
func mute(t *testing.T, w World, text string) {
	t.Helper()
	if token := w.Token(); token != "" && strings.Contains(text, token) {
		t.Error("the token is in what the provider answers")
	}
}

func want(t *testing.T, what string, a provider.Answer, result evidence.Result) {
	t.Helper()
	if a.Result != result {
		t.Errorf("%s: %s (%s; because %s), want %s", what, a.Result, a.Summary, a.Because, result)
	}
}

func wantNoPass(t *testing.T, what string, a provider.Answer) {
	t.Helper()
	if a.Result == evidence.Pass {
		t.Errorf("%s: pass (%s)", what, a.Summary)
	}
}
