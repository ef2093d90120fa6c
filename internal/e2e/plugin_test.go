//go:build e2e

package e2e

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// The plugin as it is released is what the client's own check wants.
func TestValidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pages(), messages.NewCast(nil, nil))
	if out, err := w.client("plugin", "validate", "--strict", have.plugin); err != nil || !strings.Contains(out, "Validation passed") {
		t.Errorf("%v: %s", err, out)
	}
}

// An installation from a clone on the disk or from a Git server, with no way out, opens
// deliveries, and the model reaches the programs. They are on PATH, as make install
// puts them there, or come with the plugin.
func TestInstall(t *testing.T) {
	for _, c := range []struct {
		name   string
		source func(*world) string // what is added as a marketplace
		path   bool                // the programs are on PATH
	}{
		{name: "local clone", source: func(w *world) string { return w.source(false) }, path: true},
		{name: "git server", source: func(w *world) string { return w.gitServer(w.source(false)) }, path: true},
		{name: "local clone after make plugin", source: func(w *world) string { return w.source(true) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var heard answer
			crew := newCrew(t, pages(), func(m *worker) {
				heard = m.state(nil, "next")
				m.tryState("ask", "--kind", "decision", "--question", "is this the right repository?") // ends the turn
				m.End("It is open.")
			})
			w := crew.w
			if c.path {
				w.set = append(w.set, "PATH="+os.Getenv("PATH")+string(filepath.ListSeparator)+have.bin)
			}
			w.plugins = nil
			w.mustClient("plugin", "marketplace", "add", c.source(w))
			w.mustClient("plugin", "install", "asterweave@asterweave")
			s := w.session()
			w.say(s, "/asterweave "+w.goal)
			w.checkLoaded(s.Transcript())
			if init, _ := s.Transcript().Init(); init.Plugins[0].Path == have.plugin {
				t.Errorf("the plugin was loaded from %s", init.Plugins[0].Path)
			}
			if got := w.mustStatus().Delivery; got.Goal != w.goal || got.Node != "intake" {
				t.Errorf("the delivery is %+v", got)
			}
			if !heard.OK || !strings.Contains(heard.Next.Prompt, "intake") {
				t.Errorf("the model heard %+v", heard)
			}
		})
	}
}

// source returns a clone of the project as it is here, with the assembled plugin in the
// place of the plugin's sources where it is asked for: for one without, that is what a
// user has who fetched the project and built nothing.
func (w *world) source(assembled bool) string {
	w.t.Helper()
	dir := filepath.Join(w.scratch, "asterweave")
	for _, part := range []string{".claude-plugin", "plugin", "agents", "commands", "rules"} {
		from := filepath.Join(repository, part)
		if assembled && part == "plugin" {
			from = have.plugin
		}
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(from)); err != nil {
			w.t.Fatal(err)
		}
	}
	w.git(dir, "init", "--quiet", "--initial-branch=main")
	w.git(dir, "add", "--all")
	w.git(dir, "-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "--quiet", "--message=The plugin")
	return dir
}

// gitServer serves a repository as a forge does, where only the client's loopback leads,
// and returns its address.
func (w *world) gitServer(dir string) string {
	w.t.Helper()
	root := filepath.Join(w.scratch, "served")
	w.git(w.scratch, "clone", "--quiet", "--bare", dir, filepath.Join(root, "asterweave.git"))
	git, err := exec.LookPath("git")
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := w.network.Listen()
	if err != nil {
		w.t.Fatal(err)
	}
	server := &http.Server{Handler: &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Dir: root,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + w.home},
	}}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	w.t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			w.t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/asterweave.git"
}

// client runs one of the client's own commands.
func (w *world) client(args ...string) (string, error) {
	o := w.options()
	o.Plugins, o.Args = nil, nil
	return client.Run(context.WithoutCancel(w.t.Context()), o, args...)
}

func (w *world) mustClient(args ...string) {
	w.t.Helper()
	if _, err := w.client(args...); err != nil {
		w.t.Fatal(err)
	}
}
