//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// sample is a repository that a delivery is made in, and how it is made.
type sample struct {
	name       string
	repository string // folder with its files
	folder     string // with goal.txt, script.json and the files that its steps copy
}

// refunds is the sample of make demo: the first attempt fails, and a human is asked
// three times.
func refunds() sample {
	return sample{"refunds", filepath.Join(repository, "examples", "refunds"), filepath.Join(repository, "examples", "refunds-delivery")}
}

// pages is a fix of one line.
func pages() sample {
	return sample{"pages", filepath.Join("testdata", "pages", "repository"), filepath.Join("testdata", "pages")}
}

// step is a step of a sample's script, as docs/scripted-harness.md describes it.
type step struct {
	Do         string          `json:"do"`
	Why        string          `json:"why"`
	Expect     string          `json:"expect"`
	Say        string          `json:"say"`
	Node       string          `json:"node"`
	Document   string          `json:"document"`
	Body       json.RawMessage `json:"body"`
	Gate       string          `json:"gate"`
	At         string          `json:"at"`
	Kind       string          `json:"kind"`
	Question   string          `json:"question"`
	Tried      string          `json:"tried"`
	Outcome    string          `json:"outcome"`
	Reason     string          `json:"reason"`
	Hypothesis string          `json:"hypothesis"`
	From       string          `json:"from"`
	As         string          `json:"as"` // agent that copies; without one the main conversation does
	Agent      string          `json:"agent"`
	What       string          `json:"what"`
	Title      string          `json:"title"`
	Save       string          `json:"save"`
	Args       []string        `json:"args"`
	Verdict    map[string]any  `json:"verdict"`
}

// script returns the steps of the sample's delivery, still with their placeholders.
func (s sample) script(t *testing.T) []json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.folder, "script.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Steps []json.RawMessage `json:"steps"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all.Steps
}
