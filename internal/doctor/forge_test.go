package doctor

import (
	"context"
	"testing"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/provider"
)

// forge stands in for a provider that says what it can read; nothing is asked.
type forge struct {
	provider.Provider
	asked provider.Target
}

func (f *forge) Examine(_ context.Context, t provider.Target) []provider.Finding {
	f.asked = t
	return []provider.Finding{
		{OK: true, What: "GH_TOKEN for github.com reads acme/widgets"},
		{What: "the checks of commits cannot be read", Next: "give the token checks=read"},
		{About: provider.Protection, OK: true, What: "main requires 2 checks"},
	}
}

// A remote at a forge's own host is asked by that forge's provider, which says what the
// token lets it read.
func TestForge(t *testing.T) {
	p := newPatient(t)
	p.git("remote", "set-url", "origin", "https://user:canary@github.com/acme/widgets.git")
	f := &forge{}
	o := p.options()
	o.Providers = func(name string, _ provider.Git, _ provider.RunGate) (provider.Provider, error) {
		if name != provider.GitHub && name != provider.Local { // the canary has a repository of its own
			t.Errorf("the provider is %s", name)
		}
		return f, nil
	}
	x := newExamination(p.engine(), o, durable.OS())
	x.check(t.Context())
	expect(
		t, x.lines, 0, want{"provider", OK, "github: GH_TOKEN for github.com"}, want{"provider", Warn, "the checks of commits cannot be read"},
		want{"protection", OK, "main requires 2 checks"},
	)
	if f.asked.Base != "main" || f.asked.Remote != "origin" {
		t.Errorf("asked for %+v", f.asked)
	}
}
