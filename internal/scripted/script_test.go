package scripted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadTakesTheScriptOfTheSample(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "examples", "refunds-delivery", "script.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	approvals := 0
	for _, step := range s.Steps {
		if step.Do == "human" && strings.Contains(string(step.raw), "{{digest approval}}") {
			approvals++
		}
	}
	if approvals != 1 {
		t.Errorf("the sample's script approves %d times, want 1", approvals)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"no JSON", `steps`, "script:"},
		{"another version", `{"version":2,"steps":[{"do":"next"}]}`, "version 2"},
		{"no steps", `{"version":1,"steps":[]}`, "no steps"},
		{"an unknown field", `{"version":1,"step":[]}`, `unknown field "step"`},
		{"an unknown step", `{"version":1,"steps":[{"do":"next"},{"do":"merge"}]}`, `step 2: unknown step "merge"`},
		{"a field of another step", `{"version":1,"steps":[{"do":"next","gate":"unit"}]}`, `next: json: unknown field "gate"`},
		{"a value of another type", `{"version":1,"steps":[{"do":"run","gate":1}]}`, "run: json"},
		{"an unknown expectation", `{"version":1,"steps":[{"do":"run","gate":"unit","expect":"green"}]}`, `unknown expectation "green"`},
		{"an unknown placeholder", `{"version":1,"steps":[{"do":"human","say":"/asterweave:approve {{secret}}"}]}`, "unknown placeholder {{secret}}"},
		{"a placeholder without its argument", `{"version":1,"steps":[{"do":"human","say":"/asterweave:approve {{digest}}"}]}`, "{{digest}} needs an argument"},
	} {
		_, err := Read(strings.NewReader(c.script))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := Read(strings.NewReader(strings.Repeat(" ", maxScript) + "{}")); err == nil {
		t.Error("a script over the limit is read")
	}
}

func TestCommandLine(t *testing.T) {
	got := commandLine("git", []string{"commit", "-m", "it's done", "", "--", "a b", "c$(d)"})
	want := `git commit -m 'it'\''s done' '' -- 'a b' 'c$(d)'`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	short, long := &tail{}, &tail{}
	_, _ = short.Write([]byte("all of it"))
	for range 100 {
		_, _ = long.Write([]byte(strings.Repeat("x", 100)))
	}
	_, _ = long.Write([]byte("the end"))
	if got := short.String(); got != "all of it" {
		t.Errorf("a short text became %q", got)
	}
	if got := long.String(); !strings.HasSuffix(got, "xxthe end") || !strings.HasPrefix(got, "…") || len(got) > tailBytes+len("…") {
		t.Errorf("a long text became %d bytes: %.20q", len(got), got)
	}
}
