package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/state"
)

func inbox(t *testing.T, in report.Input) string {
	t.Helper()
	return string(render(t, func(b *bytes.Buffer) error { return report.Inbox(b, in, report.Options{}) }))
}

// TestInboxComparesWithWhatWasShown: a plan that was stored in between, and that no
// human saw, is not what a difference is shown to.
func TestInboxComparesWithWhatWasShown(t *testing.T) {
	x := plain()
	s := newStory(t)
	s.opened(x)
	s.do("reject", human, state.Change{Closed: &state.Closed{Ask: "A1", Answer: "rejected: too wide", Channel: "client"}},
		state.Change{Moved: &state.Moved{To: "plan", Invalidate: s.graph.Names()[3:]}}, state.Change{Entered: &state.Entered{Node: "plan", Tree: treeStart}})
	hidden := x.plan()
	hidden.Scope.Write = append(hidden.Scope.Write, "payments/**")
	s.do("plan-put", agent, state.Change{Documented: &state.Documented{Name: "plan", Digest: s.keepAs("hidden", hidden)}})
	last := hidden
	last.Risks = append(last.Risks, "a new risk")
	s.facts.Plan = &last
	s.facts.World.Plan = s.keepAs("last", last)
	s.do("submit", agent, append([]state.Change{{Documented: &state.Documented{Name: "plan", Digest: s.facts.World.Plan}}}, s.pass("plan", "approve")...)...)
	digest, err := (&decide.Draft{View: gate.View{State: s.state, Graph: s.graph, Facts: s.facts}}).ApprovalDigest()
	if err != nil {
		t.Fatal(err)
	}
	s.do("next", agent, state.Change{Asked: &state.Ask{ID: "A2", Kind: "approval", Question: "approve plan revision 3?", Digest: digest, Blocks: []string{"approve"}, At: s.now}})
	out := inbox(t, s.input())
	for _, want := range []string{"may change, added: `payments/**`", "risks, added: `a new risk`", "digest  " + digest, "/asterweave:approve " + digest[:8]} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not shown:\n%s", want, out)
		}
	}
	if strings.Contains(out, "THIS CHANGED") {
		t.Errorf("nothing changed:\n%s", out)
	}
}

func TestInboxSaysThatItChanged(t *testing.T) {
	s := newStory(t)
	s.opened(plain())
	s.do("spec-put", agent, state.Change{Documented: &state.Documented{Name: "spec", Digest: strings.Repeat("7", 64)}})
	if out := inbox(t, s.input()); !strings.Contains(out, "THIS CHANGED since it was put up for approval") {
		t.Errorf("a change is not shown:\n%s", out)
	}
}

func TestInboxWithoutAPlan(t *testing.T) {
	s := newStory(t)
	s.opened(plain())
	s.facts.Plan = nil
	if out := inbox(t, s.input()); !strings.Contains(out, "do not approve it") {
		t.Errorf("a plan that is not there is not mentioned:\n%s", out)
	}
}

func TestInboxWithoutTheText(t *testing.T) {
	s := newStory(t)
	s.opened(plain())
	s.retrying(plain())
	s.finished(plain())
	clear(s.artifacts)
	s.facts.Commits = []string{"Refuse refunds\n\nREF-7", "Second"}
	out := inbox(t, s.input())
	for _, want := range []string{"is missing; do not confirm it", "| Refuse refunds\n    |\n    | REF-7", "| Second"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not shown:\n%s", want, out)
		}
	}
}

func TestQuestionIsAPartOfInbox(t *testing.T) {
	s := newStory(t)
	s.opened(plain())
	in := s.input()
	one := string(render(t, func(b *bytes.Buffer) error { return report.Question(b, in, s.state.Asks[0], report.Options{}) }))
	if one != inbox(t, in) {
		t.Errorf("they differ:\n%s", one)
	}
}

func TestCredentialAsk(t *testing.T) {
	s := newStory(t)
	s.opened(plain())
	s.do("ask", agent, state.Change{Asked: &state.Ask{ID: "A2", Kind: "credential", Question: "a token for the registry", Tried: "anonymous", At: s.now}})
	if out := strings.Join(strings.Fields(inbox(t, s.input())), " "); !strings.Contains(out, "never the secret itself") || !strings.Contains(out, "tried: anonymous") {
		t.Errorf("got:\n%s", out)
	}
}

func TestExcerpt(t *testing.T) {
	x := plain()
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "\x1b[32mline %d\x1b[0m\n", i)
	}
	x.output = b.String()
	s := newStory(t)
	s.opened(x)
	s.retrying(x)
	page := func() string {
		return string(render(t, func(b *bytes.Buffer) error { return report.Report(b, report.HTML, s.input()) }))
	}
	out := page()
	for _, want := range []string{"<pre>line 0\n", "line 39</pre>", "400 lines are left out", "<pre>line 440\n", "line 499</pre>"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not there", want)
		}
	}
	if strings.Contains(out, "line 40\n") || strings.Contains(out, "[32m") {
		t.Error("the excerpt is not cut, or not plain")
	}
	clear(s.artifacts)
	if !strings.Contains(page(), "is missing</p>") {
		t.Error("a missing artifact is not mentioned")
	}
}

func TestAborted(t *testing.T) {
	s := newStory(t)
	s.opened(plain())
	s.do("abort", human, state.Change{Ended: &state.Ended{Status: "aborted", Reason: "not wanted"}})
	m, err := report.Build(s.input())
	if err != nil {
		t.Fatal(err)
	}
	last := m.Path[len(m.Path)-1]
	if m.Delivery.Status != "aborted" || last.Outcome != "aborted" || last.Reason != "not wanted" || m.Asks[0].Open {
		t.Errorf("%+v, %+v, %+v", m.Delivery, last, m.Asks)
	}
	for _, f := range report.Formats() {
		if out := render(t, func(b *bytes.Buffer) error { return report.Report(b, f, s.input()) }); f != report.PRBody && !bytes.Contains(out, []byte("not wanted")) {
			t.Errorf("%s does not say why", f)
		}
	}
}
