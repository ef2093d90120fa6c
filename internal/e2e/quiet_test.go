//go:build e2e

package e2e

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// Where no delivery is open a session with the plugin is the session without it: the same
// answers, the same questions of the client and no others, the same files, settings and refs.
// Only the agent's shells are told apart, by a variable and by the plugin's folder on PATH.
func TestNothingIsDifferentWithoutADelivery(t *testing.T) {
	t.Parallel()
	with, without := quietSession(t, true), quietSession(t, false)
	if diff := cmp.Diff(without, with, cmp.AllowUnexported(seen{})); diff != "" {
		t.Errorf("without the plugin (-), with it (+):\n%s", diff)
	}
	if len(with.heard) == 0 || len(with.asked) == 0 || !strings.Contains(with.heard[0], "forced update") {
		t.Errorf("the session did not do what it was to do: %+v", with)
	}
}

// seen is what a session did, with the names of its world taken out.
type seen struct {
	heard, asked []string
	files        []string // of the work tree, its Git folder's objects, logs and index left out
	git          string   // settings here and at the remote, and the remote's refs
	said         string
}

func quietSession(t *testing.T, plugin bool) (s seen) {
	t.Helper()
	plain := strings.NewReplacer()
	c := newCrew(t, pages(), func(m *worker) {
		for _, command := range []string{
			"git commit -q --amend -m rewritten && git push --force origin HEAD:main 2>&1 | grep -o 'forced update'",
			"echo x > note && git add note && git reset -q --hard && ls",
			"git config alias.co checkout; git config core.hooksPath; ls .git/hooks | wc -l",
			"env | grep -i asterweave | grep -v -e ^PATH= -e ^ASTERWEAVE_AGENT= | cut -d= -f1; git tag v1 && git push -q --no-verify origin v1",
		} {
			r := m.bash(command)
			s.heard = append(s.heard, plain.Replace(r.Text))
		}
		r := m.Use(messages.ToolUse{Name: "Write", Input: map[string]any{"file_path": filepath.Join(m.w.root, "Makefile"), "content": "all:\n\ttrue\n"}})[0]
		s.heard = append(s.heard, plain.Replace(r.Text))
		m.End("Done.")
	})
	w := c.w
	plain = strings.NewReplacer(filepath.Dir(w.root), "WORLD")
	if !plugin {
		w.plugins = nil
	}
	session := w.session()
	var mu sync.Mutex
	session.OnPermission(func(p client.Permission) error {
		mu.Lock()
		defer mu.Unlock()
		s.asked = append(s.asked, p.Tool+" "+plain.Replace(string(p.Input))+" "+plain.Replace(p.Reason))
		return nil
	})
	s.said = w.say(session, "Tidy up.").Text
	s.git = plain.Replace(w.git(w.root, "config", "--list") + w.git(w.remote, "config", "--list") + w.git(w.remote, "for-each-ref", "--format=%(refname) %(subject)"))
	if err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch rel, _ := filepath.Rel(w.root, path); rel {
		case ".git/objects", ".git/logs":
			return fs.SkipDir
		default:
			s.files = append(s.files, rel)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return s
}

// The lines that README has for Claude Code work as they stand, in a clone of the project.
func TestInstallLinesOfReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, pages(), messages.NewCast(nil, nil))
	o := w.options()
	o.Plugins, o.Args, o.Dir = nil, nil, w.source(false)
	ran := 0
	for line := range strings.Lines(string(readme)) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "    claude ") {
			continue
		}
		ran++
		if out, err := client.Run(context.WithoutCancel(t.Context()), o, words[1:]...); err != nil {
			t.Fatalf("%s: %v %s", strings.TrimSpace(line), err, out)
		}
	}
	if ran != 2 {
		t.Errorf("README has %d lines for the client, of 2", ran)
	}
	if out, err := client.Run(context.WithoutCancel(t.Context()), o, "plugin", "list"); err != nil || !strings.Contains(out, "asterweave@asterweave") {
		t.Errorf("it is not installed: %v %s", err, out)
	}
}
