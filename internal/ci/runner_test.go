package ci_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// step is a step of the action or of the pipeline's template.
type step struct {
	Name      string            `yaml:"name"`
	If        string            `yaml:"if"`
	Condition string            `yaml:"condition"`
	Uses      string            `yaml:"uses"`
	Shell     string            `yaml:"shell"`
	Run       string            `yaml:"run"`
	Bash      string            `yaml:"bash"`
	With      map[string]string `yaml:"with"`
	Env       map[string]string `yaml:"env"`
}

// script is what the step runs, "" where it uses something of others.
func (s step) script() string { return s.Run + s.Bash }

// readYAML reads a file of the repository.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(repository(t), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// repository is the root of this one.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// ran is what came of a job.
type ran struct {
	status  int
	stdout  string
	stderr  string
	summary string
}

// runner runs the steps of a job as the system's own runner would: expressions become
// text of environment variables, and each script is a file for bash.
type runner struct {
	t         *testing.T
	workspace string
	environ   []string
	value     func(expression string) string // of what stands between ${{ and }}, or $( and )
}

func (r runner) expand(text string) string {
	return regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}|\$\(([A-Z][A-Za-z.]+)\)`).ReplaceAllStringFunc(text, func(m string) string {
		return r.value(strings.Trim(m, "${}() "))
	})
}

// applies evaluates the one form of condition that the files have.
func (r runner) applies(s step) bool {
	r.t.Helper()
	text := s.If
	if text == "" {
		text = s.Condition
	}
	if text == "" {
		return true
	}
	if m := regexp.MustCompile(`^(inputs\.[a-z-]+) (==|!=) '(.*)'$`).FindStringSubmatch(text); m != nil {
		return (r.value(m[1]) == m[3]) == (m[2] == "==")
	}
	if m := regexp.MustCompile(`^and\(succeeded\(\), eq\('(.*)', '(.*)'\)\)$`).FindStringSubmatch(r.expand(text)); m != nil {
		return m[1] == m[2]
	}
	r.t.Fatalf("the condition %q is not known", text)
	return false
}

// run runs the steps up to the first that fails.
func (r runner) run(steps []step) ran {
	r.t.Helper()
	var all ran
	for _, s := range steps {
		if s.script() == "" || !r.applies(s) {
			continue
		}
		file := filepath.Join(r.t.TempDir(), "step.sh")
		if err := os.WriteFile(file, []byte(s.script()), 0o600); err != nil {
			r.t.Fatal(err)
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file)
		cmd.Dir, cmd.Env = r.workspace, r.environ
		for name, text := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+r.expand(text))
		}
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		all.stdout += stdout.String()
		all.stderr += stderr.String()
		var ended *exec.ExitError
		switch {
		case errors.As(err, &ended):
			all.status = ended.ExitCode()
			return all
		case err != nil:
			r.t.Fatal(err)
		}
	}
	return all
}

// lookup finds a value in a payload, "" where there is none, as an expression does.
func lookup(payload []byte, path string) string {
	var v any
	if json.Unmarshal(payload, &v) != nil {
		return ""
	}
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	s, _ := v.(string)
	return s
}
