// Package commands holds no code: its test holds the plugin's slash commands to
// their house rules.
package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// maxBody is the longest text of a command: the binary does the work.
const maxBody = 1400

// command is one file.
type command struct {
	name string
	head struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
		Hint        string `yaml:"argument-hint"`
		Human       bool   `yaml:"disable-model-invocation"`
	}
	body string
}

func all(t *testing.T) []command {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d commands: %v", len(files), err)
	}
	var out []command
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := command{name: strings.TrimSuffix(file, ".md")}
		head, body, ok := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
		dec := yaml.NewDecoder(strings.NewReader(head))
		dec.KnownFields(true)
		if err := dec.Decode(&c.head); !ok || err != nil {
			t.Fatalf("%s: front matter: %v", file, err)
		}
		c.body = body
		out = append(out, c)
	}
	return out
}

func TestCommandsAreThose(t *testing.T) {
	want := []string{"abort", "approve", "asterweave", "doctor", "reject", "reply", "report", "resume", "retro", "review", "status", "steer"}
	var got []string
	for _, c := range all(t) {
		got = append(got, c.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("commands %v, want %v", got, want)
	}
}

// A command that carries a person's word is not the model's to call: the client would
// expand it out of a prompt that the model scheduled. The others stay open to it.
func TestOnlyPeoplesWordsAreClosedToTheModel(t *testing.T) {
	for _, c := range all(t) {
		word := slices.Contains([]string{"asterweave", "approve", "reject", "reply", "steer", "resume", "abort"}, c.name)
		if c.head.Human != word {
			t.Errorf("%s: disable-model-invocation is %v", c.name, c.head.Human)
		}
	}
}

func TestCommandsAreThin(t *testing.T) {
	for _, c := range all(t) {
		if len(c.body) > maxBody {
			t.Errorf("%s: %d bytes, at most %d", c.name, len(c.body), maxBody)
		}
		if c.head.Description == "" || !strings.HasSuffix(c.head.Description, ".") {
			t.Errorf("%s: description %q", c.name, c.head.Description)
		}
		if (c.head.Name != "") != (c.name == "asterweave") {
			t.Errorf("%s: a name makes the bare command, which only /asterweave is", c.name)
		}
		if strings.Contains(c.body, "!`") {
			t.Errorf("%s: an inline command runs without hooks, and takes the command down when it fails", c.name)
		}
	}
}

// People's verbs are absent on purpose: a command that called one would forge a word.
func TestCommandsCallOnlyVerbsThatLook(t *testing.T) {
	call := regexp.MustCompile("asterweave-state ([a-z]+)")
	looks := []string{"status", "report", "doctor", "retro", "next"}
	for _, c := range all(t) {
		for _, m := range call.FindAllStringSubmatch(c.body, -1) {
			if !slices.Contains(looks, m[1]) {
				t.Errorf("%s calls %s", c.name, m[1])
			}
		}
	}
}

// The reviewers start side by side, know nothing of each other, and open no gate.
func TestReviewIsIndependentAndRecordsNothing(t *testing.T) {
	for _, c := range all(t) {
		if c.name != "review" {
			continue
		}
		for _, part := range []string{"`asterweave:staff-reviewer`", "`asterweave:security-reviewer`", "in one message", "one and the same", "nor why it", "nothing is recorded", "its own review node"} {
			if !strings.Contains(c.body, part) {
				t.Errorf("review does not say %q", part)
			}
		}
	}
}
