//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
	"github.com/asterweave/asterweave/internal/state"
)

// world is a repository with a delivery to be made, and everything around it.
type world struct {
	t       *testing.T
	sample  sample
	server  *messages.Server
	network *client.Network
	root    string   // work tree, a clone of remote
	remote  string   // bare
	scratch string   // outside of the work tree
	plugins []string // folders, unless they are installed
	home    string
	goal    string
	args    []string // of the client
	set     []string // environment besides the allow-list
}

// newWorld makes a sample's repository and starts the stand-in with a model.
func newWorld(t *testing.T, from sample, m messages.Model) *world {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir()) // the system's name is the one that Git and hooks see
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, sample: from, root: filepath.Join(folder, from.name), remote: filepath.Join(folder, from.name+".git"),
		scratch: filepath.Join(folder, "scratch"), home: filepath.Join(folder, "home"), plugins: []string{have.plugin},
	}
	for _, dir := range []string{w.scratch, w.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Where a slow machine keeps the client from making a snapshot of the user's shell, it starts
	// login shells, for which the system forgets PATH; a user's profile says it again.
	profile := "export PATH='" + os.Getenv("PATH") + "'\n"
	if err := os.WriteFile(filepath.Join(w.home, ".profile"), []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	w.set = append(goSettings(t), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_TERMINAL_PROMPT=0")
	goal, err := os.ReadFile(filepath.Join(from.folder, "goal.txt"))
	if err != nil {
		t.Fatal(err)
	}
	w.goal = strings.TrimSpace(string(goal))
	w.clone(folder)
	w.serve(m)
	return w
}

func (w *world) clone(folder string) {
	w.t.Helper()
	seed := filepath.Join(folder, "seed")
	if err := os.CopyFS(seed, os.DirFS(w.sample.repository)); err != nil {
		w.t.Fatal(err)
	}
	w.git(folder, "init", "--quiet", "--bare", "--initial-branch=main", w.remote)
	w.git(seed, "init", "--quiet", "--initial-branch=main")
	w.git(seed, "add", "--all")
	w.git(seed, "-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "--quiet", "--message=As it was")
	w.git(seed, "push", "--quiet", w.remote, "main")
	w.git(folder, "clone", "--quiet", w.remote, w.root)
	w.git(w.root, "config", "user.name", "Dev")
	w.git(w.root, "config", "user.email", "dev@example.com")
}

func (w *world) serve(m messages.Model) {
	w.t.Helper()
	var err error
	if w.network, err = client.NewNetwork(); err != nil {
		w.t.Fatal(err)
	}
	if ok, why := w.network.Isolated(); !ok {
		w.t.Logf("the client shares the machine's network: %s", why)
	}
	w.server = messages.NewServer(m)
	if err := w.server.Serve(w.network.Listener()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := w.server.Close(); err != nil {
			w.t.Error(err)
		}
		_ = w.network.Close() // the server has closed the listener
		if err := w.server.Err(); err != nil {
			w.t.Errorf("the stand-in did not understand the client: %v", err)
		}
	})
}

// environ is what a program gets that is no client's child.
func (w *world) environ() []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "LANG=C.UTF-8"}, w.set...)
}

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// options are those of a client in the work tree.
func (w *world) options() client.Options {
	return client.Options{
		Program: have.client, Network: w.network, Dir: w.root, Home: w.home, Plugins: w.plugins,
		Args: append([]string{"--include-hook-events"}, w.args...), Set: w.set,
	}
}

// session starts a client whose human allows what they are asked for.
func (w *world) session() *client.Session {
	w.t.Helper()
	// The test's own context ends before its cleanup, which lets the client leave in peace.
	s, err := client.Start(context.WithoutCancel(w.t.Context()), w.options())
	if err != nil {
		w.t.Fatal(err)
	}
	s.OnPermission(func(client.Permission) error { return nil })
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.keep(s.Transcript())
		}
		if err := s.Wait(); err != nil && !w.t.Failed() {
			w.t.Errorf("the client: %v", err)
		}
	})
	return s
}

// keep writes a transcript where somebody can look at it who wants to.
func (w *world) keep(events client.Transcript) {
	dir := os.Getenv("ASTERWEAVE_E2E_KEEP")
	if dir == "" {
		return
	}
	name := filepath.Join(dir, strings.ReplaceAll(w.t.Name(), "/", "-")+".jsonl")
	if err := os.WriteFile(name, []byte(events.String()), 0o600); err != nil {
		w.t.Log(err)
	}
}

// say types words that the client has to take, and returns what came back.
func (w *world) say(s *client.Session, text string) client.Result {
	w.t.Helper()
	r, err := s.Say(w.t.Context(), text)
	if err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
	if w.t.Failed() {
		w.t.FailNow()
	}
	return r
}

// status is what the tests read of `status --json`.
type status struct {
	Delivery struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Node   string `json:"node"`
		Reason string `json:"reason"`
		Goal   string `json:"goal"`
	} `json:"delivery"`
	Nodes []struct {
		Name  string `json:"name"`
		Needs []need `json:"needs"`
	} `json:"nodes"`
	Criteria []struct {
		ID     string `json:"id"`
		Digest string `json:"digest"`
	} `json:"criteria"`
	Asks []ask `json:"asks"`
}

type need struct {
	Kind     string `json:"kind"`
	Gate     string `json:"gate"`
	State    string `json:"state"`
	Evidence string `json:"evidence"`
	Why      string `json:"why"`
}

type ask struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Digest string `json:"digest"`
}

func (s status) need(name string) need {
	for _, n := range s.Nodes {
		for _, d := range n.Needs {
			if d.Gate == name || d.Gate == "" && d.Kind == name {
				return d
			}
		}
	}
	return need{}
}

func (s status) criterion(id string) string {
	for _, c := range s.Criteria {
		if c.ID == id {
			return c.Digest
		}
	}
	return ""
}

// ask returns the newest open ask of a kind.
func (s status) ask(kind string) ask {
	var out ask
	for _, a := range s.Asks {
		if a.Kind == kind {
			out = a
		}
	}
	return out
}

// look runs asterweave-state as somebody who looks from outside.
func (w *world) look(args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(have.bin, "asterweave-state"), args...)
	cmd.Dir, cmd.Env = w.root, w.environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%v: %w: %s%s", args, err, stderr.String(), out)
	}
	return out, nil
}

func (w *world) status() (status, error) {
	var s status
	out, err := w.look("--json", "status")
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	return s, err
}

func (w *world) mustStatus() status {
	w.t.Helper()
	s, err := w.status()
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// event is what the tests read of a line of the ledger.
type event struct {
	Type string `json:"type"`
	Data struct {
		Changes []state.Change `json:"changes"`
	} `json:"data"`
}

// log returns the events of the ledger.
func (w *world) log() []event {
	w.t.Helper()
	out, err := w.look("--json", "log")
	if err != nil {
		w.t.Fatal(err)
	}
	var all []event
	for line := range strings.Lines(string(out)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatalf("log line %q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

func (w *world) changes() []state.Change {
	w.t.Helper()
	var all []state.Change
	for _, e := range w.log() {
		all = append(all, e.Data.Changes...)
	}
	return all
}

// goSettings says where the go command keeps what it needs, since the client's home
// is a new one and there is no network.
func goSettings(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	set := []string{"GOPROXY=off", "GOTOOLCHAIN=local"}
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		set = append(set, names[i]+"="+value)
	}
	return set
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
