package ci_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// workflow is what is held of this repository's own.
type workflow struct {
	On          map[string]any    `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Permissions map[string]string `yaml:"permissions"`
		Steps       []step            `yaml:"steps"`
		Env         map[string]string `yaml:"env"`
	} `yaml:"jobs"`
}

func TestOwnWorkflow(t *testing.T) {
	var w workflow
	readYAML(t, ".github/workflows/verify.yml", &w)
	for event := range w.On {
		if !slices.Contains([]string{"pull_request", "merge_group"}, event) {
			t.Errorf("%s starts it", event)
		}
	}
	if len(w.On) != 2 || w.Permissions == nil || len(w.Permissions) > 0 || len(w.Jobs) != 2 {
		t.Errorf("%d events, %d jobs, and the permissions %v for all", len(w.On), len(w.Jobs), w.Permissions)
	}
	for name, job := range w.Jobs {
		for what, may := range job.Permissions {
			if may != "read" {
				t.Errorf("%s may %s %s", name, may, what)
			}
		}
		var action step
		for _, s := range job.Steps {
			switch {
			case strings.HasPrefix(s.Uses, "actions/checkout@"):
				if s.With["persist-credentials"] != "false" {
					t.Errorf("%s leaves credentials in the checkout %s", name, s.With["path"])
				}
				if s.With["path"] == "base" && !strings.Contains(s.With["ref"], "base.sha") || s.With["path"] == "head" && s.With["fetch-depth"] != "0" {
					t.Errorf("%s checks out %v", name, s.With)
				}
			case s.Uses == "./base/.github/actions/verify":
				action = s
			default:
				t.Errorf("%s has the step %+v, which is not known here", name, s)
			}
		}
		again := action.With["rerun"] == "true"
		if action.With["path"] != "head" || again != (name == "rerun") || len(job.Env) > 0 {
			t.Errorf("%s runs the action with %v", name, action.With)
		}
		if again && (len(job.Permissions) != 1 || job.Permissions["contents"] != "read") {
			t.Errorf("the job that runs what the head brings has the permissions %v", job.Permissions)
		}
	}
}

// An expression in a script is text that somebody else may have written, run by a shell.
func TestNoExpressionInAScript(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []step `yaml:"steps"`
		} `yaml:"runs"`
	}
	readYAML(t, ".github/actions/verify/action.yml", &action)
	var template struct {
		Steps []step `yaml:"steps"`
	}
	readYAML(t, "examples/azure-pipelines/verify.yml", &template)
	scripts := 0
	for _, s := range append(action.Runs.Steps, template.Steps...) {
		if s.script() == "" {
			continue
		}
		scripts++
		if strings.Contains(s.script(), "${{") || strings.Contains(s.script(), "$(") {
			t.Errorf("%s: %s", s.Name, s.script())
		}
		again := s.Env["RERUN"] == "true"
		for _, secret := range []string{"TOKEN", "GITHUB_TOKEN", "SYSTEM_ACCESSTOKEN"} {
			if s.Env[secret] != "" && again {
				t.Errorf("%s has %s", s.Name, secret)
			}
		}
	}
	if scripts != 8 {
		t.Errorf("%d scripts", scripts)
	}
}

func TestScriptsParse(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	files, err := filepath.Glob(filepath.Join(repository(t), ".github", "actions", "verify", "*.sh"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if out, err := exec.Command(bash, "-n", f).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f, err, out)
		}
		b, err := os.ReadFile(f)
		if err != nil || !strings.HasPrefix(string(b), "#!/usr/bin/env bash\n") || !strings.Contains(string(b), "\nset -euo pipefail\n") {
			t.Errorf("%s: %v", f, err)
		}
		if shellcheck, err := exec.LookPath("shellcheck"); err == nil {
			if out, err := exec.Command(shellcheck, f).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", f, err, out)
			}
		}
	}
}
