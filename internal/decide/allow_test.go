package decide_test

import (
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/problem"
)

func TestAllow(t *testing.T) {
	w := newWorld(t)
	good := decide.Bypass{Rules: []string{guard.RuleForce, guard.RuleDelete}, Command: " git push -f\n", Reason: " rebased ", For: time.Hour}
	if err := w.do(human(), func(d *decide.Draft) error { _, err := d.Allow(good); return err }); problem.CodeOf(err) != problem.NoDelivery {
		t.Errorf("without a delivery: %v", err)
	}
	if err := w.start(human()); err != nil {
		t.Fatal(err)
	}
	if err := w.do(agent(), func(d *decide.Draft) error { _, err := d.Allow(good); return err }); problem.CodeOf(err) != problem.HumanOnly {
		t.Errorf("by an agent: %v", err)
	}
	for name, change := range map[string]func(*decide.Bypass){
		"no rule": func(b *decide.Bypass) { b.Rules = nil }, "no such rule": func(b *decide.Bypass) { b.Rules = []string{"verb"} },
		"twice": func(b *decide.Bypass) { b.Rules = []string{"force", "force"} }, "absolute": func(b *decide.Bypass) { b.Rules = []string{"force", "human"} },
		"no reason": func(b *decide.Bypass) { b.Reason = " " }, "no time": func(b *decide.Bypass) { b.For = 0 }, "too long": func(b *decide.Bypass) { b.For = 25 * time.Hour },
	} {
		bad := good
		change(&bad)
		if err := w.do(human(), func(d *decide.Draft) error { _, err := d.Allow(bad); return err }); problem.CodeOf(err) != problem.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(w.state.Bypasses) > 0 {
		t.Fatal("what was refused is kept")
	}
	if err := w.do(human(), func(d *decide.Draft) error { _, err := d.Allow(good); return err }); err != nil {
		t.Fatal(err)
	}
	if len(w.state.Bypasses) != 2 {
		t.Fatalf("%+v", w.state.Bypasses)
	}
	b := w.state.Bypasses[1]
	if b.ID != "B2" || b.Rule != "delete" || b.Command != "git push -f" || b.Digest != guard.CommandDigest("git push -f") || b.Reason != "rebased" || b.Channel != human().Channel {
		t.Errorf("%+v", b)
	}
	for at, want := range map[time.Time]bool{b.At: true, b.At.Add(time.Hour - 1): true, b.At.Add(time.Hour): false, b.At.Add(-1): false} {
		if b.InForce(at) != want {
			t.Errorf("in force at %s: %v", at, !want)
		}
	}
}
