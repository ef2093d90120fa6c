package scripted

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkTravel is a reviewer on another machine: a fresh clone, the notes, and the verdict
// of our own program and of one that is not ours.
func (d delivery) checkTravel() {
	const branch, notes = "fix/ref-7-remaining-amount", "refs/notes/asterweave"
	clone := filepath.Join(d.t.TempDir(), "clone")
	d.git("-c", "protocol.allow=always", "clone", "--quiet", "--branch", branch, d.got.Remote, clone)
	d.git("-C", clone, "-c", "protocol.allow=always", "fetch", "--quiet", "origin", notes+":"+notes)

	out, err := d.state("--root", clone, "--json", "verify", "--ci", "--rerun")
	var answer struct {
		OK      bool
		Verdict struct {
			Checks []struct{ Name, State, Reason string }
			Rerun  []struct{ Gate, From, State string }
		}
	}
	if jerr := json.Unmarshal([]byte(out), &answer); err != nil || jerr != nil || !answer.OK {
		d.t.Errorf("verify --ci: %v\n%s", errors.Join(err, jerr), out)
	}
	for _, c := range answer.Verdict.Checks {
		if c.State != "open" {
			d.t.Errorf("%s is %s: %s", c.Name, c.State, c.Reason)
		}
	}
	if len(answer.Verdict.Checks) != 18 || len(answer.Verdict.Rerun) != 4 {
		d.t.Errorf("%d checks and %d gates that ran again, want 18 and 4", len(answer.Verdict.Checks), len(answer.Verdict.Rerun))
	}
	for _, r := range answer.Verdict.Rerun {
		if r.From != "plan only" {
			d.t.Errorf("the gate %s, which the base does not name, is marked %q", r.Gate, r.From)
		}
	}

	python, err := exec.LookPath("python3")
	if err != nil {
		d.t.Log("the outside check is left out: there is no python3 here")
		return
	}
	head := d.git("rev-parse", "HEAD")
	script, err := filepath.Abs(filepath.Join("..", "..", "examples", "verify", "verify.py"))
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(python, script, "-", head)
	cmd.Dir, cmd.Env = clone, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.Stdin = strings.NewReader(d.git("-C", clone, "notes", "--ref="+notes, "show", head))
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "FAIL") {
		d.t.Errorf("%s: %v\n%s", script, err, said)
	}
}
