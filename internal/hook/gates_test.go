package hook_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
)

// TestGatesOfTheConfiguration: they run as the plan's do, as long as the work tree's
// configuration is the one that was approved.
func TestGatesOfTheConfiguration(t *testing.T) {
	w := &world{t: t, root: repository(t, t.TempDir()), environ: cleanEnviron(), now: time.Now}
	const configuration = `{"version":1,"gates":[{"id":"lint","kind":"static","argv":["sh","lint.sh","--all"],"criteria":[]}]}`
	file := filepath.Join(w.root, ".claude", "asterweave.json")
	write(t, file, configuration)
	write(t, filepath.Join(w.root, "lint.sh"), "exit 0\n")
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "second"}} {
		if _, err := git(w.root, args...); err != nil {
			t.Fatal(err)
		}
	}
	w.drive("approve")
	runs := func(want string) {
		t.Helper()
		if _, _, got := w.tool("Bash", fields{"command": "sh lint.sh --all"}, nil); got != want {
			t.Errorf("it runs as %q, not as %q", got, want)
		}
	}
	runs("")
	w.must(w.engine().DoFor(t.Context(), "approve", "test", evidence.By{Channel: evidence.ChannelTerminal}, func(d *decide.Draft) error {
		return d.Approve(d.State.Asks[0].Digest)
	}))
	runs("asterweave-state run --gate lint")
	write(t, file, configuration+"\n")
	runs("")
}
