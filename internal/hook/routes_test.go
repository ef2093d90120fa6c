package hook_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestARouteToWhatIsNotThere shuts implement, with all errors at once; once agent and
// skill are at the base, the next step leads to them.
func TestARouteToWhatIsNotThere(t *testing.T) {
	const configuration = `{"version":1,"routes":{"implement":{"agent":"our-agent","skills":["our-skill"]},"review":{"agent":"our-critic"}}}`
	for _, there := range []bool{false, true} {
		w := &world{t: t, root: repository(t, t.TempDir()), environ: cleanEnviron(), now: time.Now}
		write(t, filepath.Join(w.root, ".claude", "asterweave.json"), configuration)
		if there {
			for _, name := range []string{"agents/our-agent.md", "agents/our-critic.md", "skills/our-skill/SKILL.md"} {
				write(t, filepath.Join(w.root, ".claude", name), "---\nname: x\ndescription: y\n---\n")
			}
		}
		for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "second"}} {
			if _, err := git(w.root, args...); err != nil {
				t.Fatal(err)
			}
		}
		w.drive("approve")
		a := w.hook("user-prompt-expansion", w.typed("asterweave:approve", w.digests("DIGEST"), nil))
		if there {
			if w.state().Node != "implement" || !strings.Contains(a.Specific.Context, "subagent_type our-agent") || !strings.Contains(a.Specific.Context, "our-skill") {
				t.Errorf("at %s: %+v", w.state().Node, a)
			}
			continue
		}
		for _, field := range []string{"routes.implement.agent", "routes.implement.skills[0]", "routes.review.agent"} {
			if !a.refused() || !strings.Contains(a.Reason, field) {
				t.Errorf("%s is not named: %+v", field, a)
			}
		}
		if w.state().Node != "approve" {
			t.Errorf("the delivery is at %s", w.state().Node)
		}
	}
}
