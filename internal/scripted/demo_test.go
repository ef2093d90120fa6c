package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/state"
)

// bound is what a whole delivery may take on two cores that do nothing else.
const bound = 60 * time.Second

// The real programs, a whole delivery with them, and its twin that lacks the
// approval.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and runs the tests of the sample")
	}
	bin := programs(t)
	environ := surroundings(t)
	t.Run("delivers", func(t *testing.T) { delivers(t, bin, environ) })
	t.Run("stops without the approval", func(t *testing.T) { stops(t, bin, environ) })
}

// programs builds the programs and returns their folder.
func programs(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/asterweave-state", "./cmd/asterweave-hook")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// surroundings are those of somebody whose settings would spoil a delivery if they
// reached it. The temporary folder has spaces in its name.
func surroundings(t *testing.T) []string {
	t.Helper()
	settings, err := goSettings(t.Context(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	temp, home, hooks := filepath.Join(t.TempDir(), "a folder with  spaces"), t.TempDir(), t.TempDir()
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	for _, hook := range []string{"pre-commit", "pre-push", "post-checkout", "reference-transaction"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hostile := "[user]\n\tuseConfigOnly = true\n[core]\n\thooksPath = " + hooks + "\n\tautocrlf = true\n\texcludesFile = " + filepath.Join(home, "ignore") +
		"\n[commit]\n\tgpgSign = true\n[init]\n\tdefaultBranch = trunk\n[push]\n\tdefault = nothing\n[status]\n\tshowUntrackedFiles = no\n" +
		"[url \"https://example.invalid/\"]\n\tinsteadOf = /\n[protocol]\n\tallow = never\n"
	for name, text := range map[string]string{".gitconfig": hostile, "ignore": "*.go\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	environ := append(os.Environ(), settings...)
	return append(environ, "HOME="+home, "GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"), "GIT_AUTHOR_DATE=never", "GOFLAGS=-run=None",
		Marker+"=1", "AI_AGENT=demo_agent")
}

// delivery is what the ledger of a demo says.
type delivery struct {
	t   *testing.T
	bin string
	got Delivered
}

// state runs asterweave-state as somebody who looks.
func (d delivery) state(args ...string) (string, error) {
	d.t.Helper()
	cmd := exec.Command(filepath.Join(d.bin, "asterweave-state"), args...)
	cmd.Dir, cmd.Env = d.got.Root, d.got.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = errors.Join(err, errors.New(stderr.String()))
	}
	return string(out), err
}

// changes returns what the events of the ledger changed.
func (d delivery) changes() []state.Change {
	d.t.Helper()
	out, err := d.state("--json", "log")
	if err != nil {
		d.t.Fatal(err)
	}
	var all []state.Change
	for line := range strings.Lines(out) {
		var event struct {
			Data struct {
				Changes []state.Change `json:"changes"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			d.t.Fatalf("log line %q: %v", line, err)
		}
		all = append(all, event.Data.Changes...)
	}
	return all
}

func (d delivery) git(args ...string) string {
	d.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = d.got.Root, d.got.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func delivers(t *testing.T, bin string, environ []string) {
	var out bytes.Buffer
	demo := Demo{Source: filepath.Join("..", "..", "examples", "refunds"), Programs: bin, Environ: environ, Out: &out}
	got, err := demo.Run(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	d := delivery{t, bin, got}
	if got.Status != "done" || got.Node != "" {
		t.Errorf("the delivery is %s at %q, want done", got.Status, got.Node)
	}
	if got.Duration > bound {
		t.Logf("it took %s; the bar on two idle cores is %s", got.Duration.Round(time.Second), bound)
	}
	if got.Answers != 3 {
		t.Errorf("%d answers by a human, want 3: an approval, a confirmation, a reply", got.Answers)
	}
	if want := regexp.MustCompile(`(?m)^ *\d+\.\d s +\d+/\d+  test, attempt 2 +run unit: pass$`); !want.MatchString(out.String()) {
		t.Errorf("no plain line of progress for the second attempt:\n%s", out.String())
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Error("what is no terminal got control characters")
	}
	for _, name := range []string{"report.html", "report.md"} {
		if info, err := os.Stat(filepath.Join(got.Folder, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	t.Run("ledger", func(t *testing.T) { d.t = t; d.checkLedger() })
	t.Run("remote", func(t *testing.T) { d.t = t; d.checkRemote() })
	t.Run("travel", func(t *testing.T) { d.t = t; d.checkTravel() })
}

func (d delivery) checkLedger() {
	t := d.t
	var failed []state.Failure
	var channels []string
	results := map[string]int{}
	agents := map[string]bool{}
	for _, c := range d.changes() {
		switch {
		case c.Completed != nil && c.Completed.Failure != nil:
			failed = append(failed, *c.Completed.Failure)
		case c.Approved != nil:
			channels = append(channels, "approval "+c.Approved.Channel)
		case c.Confirmed != nil:
			channels = append(channels, "confirmation "+c.Confirmed.Channel)
		case c.Closed != nil && c.Closed.Answer != "" && c.Closed.Answer != "approved" && c.Closed.Answer != "confirmed":
			channels = append(channels, "reply "+c.Closed.Channel)
		case c.Recorded != nil:
			r := c.Recorded
			name := string(r.Kind)
			if r.Base {
				name += " at base"
			}
			results[name+" "+string(r.Result)]++
			if r.Kind.IsReview() {
				agents[r.By.Agent] = true
			}
		}
	}
	if len(failed) != 1 || failed[0].Node != "test" || !strings.HasPrefix(failed[0].Signature, "unit-test/TestRefundOverRemaining") {
		t.Errorf("failures %+v, want one of test with the signature of TestRefundOverRemaining", failed)
	}
	if got, want := strings.Join(channels, ", "), "reply client, approval client, confirmation client"; got != want {
		t.Errorf("the human said %s, want %s", got, want)
	}
	want := map[string]int{
		"task pass": 1, "repository pass": 1, "baseline pass": 1, "requirements pass": 1, "plan pass": 1, "approval pass": 1, "change pass": 2,
		"unit-test fail": 1, "build pass": 1, "static pass": 1, "unit-test pass": 1, "integration-test pass": 1, "unit-test at base fail": 1,
		"acceptance pass": 1, "code-review pass": 1, "security-review pass": 1, "pull-request pass": 1, "pipeline pass": 1,
		"review-comments info": 1, "work-item-update info": 1,
	}
	for name, n := range want {
		if results[name] != n {
			t.Errorf("%d records of %s, want %d", results[name], name, n)
		}
		delete(results, name)
	}
	for name, n := range results {
		t.Errorf("%d records of %s, want none", n, name)
	}
	if len(agents) != 2 {
		t.Errorf("the reviews come from %v, want two agents", agents)
	}
	if out, err := d.state("verify"); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
	out, err := d.state("--json", "status")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Criteria []struct{ ID, Verdict, Discriminates string }
		Done     []struct {
			Condition string
			Holds     bool
			Why       string
		}
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Criteria {
		if c.Verdict != "pass" || c.ID == "REF-7" && c.Discriminates != "yes" {
			t.Errorf("criterion %+v, want a pass, and a gate that discriminates for REF-7", c)
		}
	}
	for _, c := range s.Done {
		if !c.Holds {
			t.Errorf("done, but %q does not hold: %s", c.Condition, c.Why)
		}
	}
	if len(s.Criteria) != 3 || len(s.Done) == 0 {
		t.Errorf("status shows %d criteria and %d conditions", len(s.Criteria), len(s.Done))
	}
}

func (d delivery) checkRemote() {
	const branch = "fix/ref-7-remaining-amount"
	head := d.git("rev-parse", "HEAD")
	if got := d.git("--git-dir="+d.got.Remote, "rev-parse", "refs/heads/"+branch); got != head {
		d.t.Errorf("the remote has %s at %s, want %s", branch, got, head)
	}
	if got := d.git("--git-dir="+d.got.Remote, "rev-list", "--count", "main.."+branch); got != "1" {
		d.t.Errorf("%s commits on the branch, want 1", got)
	}
	if got := d.git("status", "--porcelain"); got != "" {
		d.t.Errorf("the work tree is left with\n%s", got)
	}
}

// Nothing that the agent can do alone takes the same delivery past approve.
func stops(t *testing.T, bin string, environ []string) {
	source := unapproved(t)
	var out bytes.Buffer
	demo := Demo{Source: source, Programs: bin, Environ: environ, Out: &out}
	got, err := demo.Run(t.Context())
	var at *StepError
	if !errors.As(err, &at) || at.What != "submit implement" {
		t.Fatalf("error %v, want one of the step after the approval\n%s", err, out.String())
	}
	if !strings.Contains(err.Error(), "current node is approve") {
		t.Errorf("it stopped for another reason: %v", err)
	}
	if got.Status != "active" || got.Node != "approve" {
		t.Errorf("the delivery is %s at %s, want active at approve", got.Status, got.Node)
	}
	d := delivery{t, bin, got}
	p, err := New(Options{
		State: filepath.Join(bin, "asterweave-state"), Hook: filepath.Join(bin, "asterweave-hook"), Root: got.Root,
		Files: got.Folder, Scratch: filepath.Join(got.Folder, "scratch"), Environ: environ, Set: got.env,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{
		`{"do":"state","args":["approve","{{digest approval}}"],"expect":"refused"}`,
		`{"do":"state","args":["reply","{{ask approval}}","approved"],"expect":"refused"}`,
		`{"do":"complete","node":"approve","outcome":"pass","expect":"refused"}`,
		`{"do":"record","kind":"approval","result":"pass","summary":"approved","expect":"refused"}`,
		`{"do":"enter","node":"implement","expect":"refused"}`,
		`{"do":"run","gate":"unit","expect":"refused"}`,
		`{"do":"human","say":"/asterweave:approve 0123456789abcdef","expect":"refused"}`,
	} {
		if err := p.Play(context.Background(), steps(t, step)); err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
	for _, c := range d.changes() {
		if c.Approved != nil {
			t.Errorf("there is an approval: %+v", c.Approved)
		}
	}
	if s, err := p.status(t.Context()); err != nil || s.Delivery.Node != "approve" {
		t.Errorf("after all attempts: %+v, %v", s, err)
	}
}

// unapproved returns a copy of the sample whose script lacks the approval.
func unapproved(t *testing.T) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "my samples", "refunds")
	for _, suffix := range []string{"", "-delivery"} {
		if err := copyTree(filepath.Join("..", "..", "examples", "refunds"+suffix), source+suffix); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(source+"-delivery", "script.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	less := regexp.MustCompile(`(?m)^.*\{\{digest approval\}\}.*\n`).ReplaceAll(data, nil)
	if len(less) == len(data) {
		t.Fatal("the script has no approval to leave out")
	}
	if err := os.WriteFile(path, less, 0o644); err != nil {
		t.Fatal(err)
	}
	return source
}

func TestMainRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"help", []string{"-h"}, exitOK, "-source"},
		{"an unknown flag", []string{"--fast"}, exitUsage, "-fast"},
		{"an argument", []string{"fast"}, exitUsage, `unknown argument "fast"`},
		{"no sample", []string{"--source", empty}, exitUsage, "there is no sample at " + empty},
		{"no programs", []string{"--source", filepath.Join("..", "..", "examples", "refunds"), "--bin", empty}, exitError, "the programs are not built"},
	} {
		var out, errs bytes.Buffer
		if got := Main(c.args, &out, &errs, nil); got != c.status || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: status %d, %q, want %d and %q", c.name, got, errs.String(), c.status, c.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: stdout got %q", c.name, out.String())
		}
	}
}

func TestDisplayOnATerminal(t *testing.T) {
	var out bytes.Buffer
	d := &display{out: &out, rewrite: true, began: time.Now()}
	stop := d.tick()
	d.update(Progress{Step: 3, Steps: 40, Node: "implement", Attempt: 2, What: "submit " + strings.Repeat("x", 200)})
	d.update(Progress{Step: 3, Steps: 40, Node: "test", Attempt: 2, What: "run unit", Ended: true, Result: "pass"})
	stop()
	text := out.String()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("more than one line: %q", text)
	}
	for part := range strings.SplitSeq(text, "\r\x1b[K") {
		if n := len([]rune(strings.TrimSpace(part))); n > width {
			t.Errorf("%d columns, a terminal may have %d: %q", n, width, part)
		}
	}
	if !strings.Contains(text, "test, attempt 2") || !strings.Contains(text, "run unit: pass") {
		t.Errorf("the last step is not shown: %q", text)
	}
}
