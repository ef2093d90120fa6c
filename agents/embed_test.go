package agents

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
)

func TestNamesAreTheTenRoles(t *testing.T) {
	want := []string{
		"architect", "failure-analyst", "implementer", "pr-engineer", "repo-analyzer",
		"requirements-challenger", "security-reviewer", "staff-reviewer", "test-engineer",
		"verification-engineer",
	}
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("Names() = %v, want %v", got, want)
	}
}

func TestBodyIsBoundedAndHasEveryPart(t *testing.T) {
	for _, name := range Names() {
		body, ok := Body(name)
		if !ok {
			t.Errorf("%s: no body", name)
			continue
		}
		if strings.HasPrefix(body, "---") {
			t.Errorf("%s: the body still has its front matter", name)
		}
		if len(body) > MaxBodyBytes {
			t.Errorf("%s: body of %d bytes, at most %d", name, len(body), MaxBodyBytes)
		}
		for _, part := range []string{"Role: ", "\nScope: ", "\nSteps", "\nOutput: ", "\nDo not ", "\nStop ", "\n1. "} {
			if part == "\n1. " && name == "pr-engineer" {
				continue // its steps are one a node
			}
			if part == "\nDo not " && strings.Contains(body, "\nDo not: ") {
				continue
			}
			if !strings.Contains(body, part) {
				t.Errorf("%s: no part %q", name, part)
			}
		}
	}
}

// verbs are the verbs of the command line that an agent may be told to call.
// Human verbs are absent on purpose: an agent that is told to approve would be
// told to forge a word.
var verbs = []string{
	"ask", "complete", "enter", "intend pr", "intend reply", "intend work-item", "log", "manifest check",
	"manifest put", "manifest show", "next", "pause", "plan put", "plan show", "read checks", "read comments",
	"read pr", "read work-item", "record", "refresh", "report", "run", "spec judge", "spec list", "spec put",
	"status", "submit", "trace",
}

func TestBodiesCallOnlyTheAgentsVerbs(t *testing.T) {
	call := regexp.MustCompile("asterweave-state ([^`\n]*)")
	for _, name := range Names() {
		body, _ := Body(name)
		for _, m := range call.FindAllStringSubmatch(body, -1) {
			known := slices.ContainsFunc(verbs, func(v string) bool {
				return m[1] == v || strings.HasPrefix(m[1], v+" ")
			})
			if !known {
				t.Errorf("%s: calls %q, which no agent may", name, m[0])
			}
		}
	}
}

func TestReviewersEndWithAVerdictThatDecodes(t *testing.T) {
	for name, kind := range map[string]string{"staff-reviewer": "code-review", "security-reviewer": "security-review"} {
		body, _ := Body(name)
		_, rest, found := strings.Cut(body, "```json\n")
		block, _, closed := strings.Cut(rest, "\n```")
		if !found || !closed {
			t.Errorf("%s: no fenced json block", name)
			continue
		}
		dec := json.NewDecoder(strings.NewReader(block))
		dec.DisallowUnknownFields()
		var review document.Review
		if err := dec.Decode(&review); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if review.Kind != kind {
			t.Errorf("%s: kind %q, want %q", name, review.Kind, kind)
		}
	}
}

func TestBodyOfNobody(t *testing.T) {
	for _, name := range []string{"", "nobody", "../rules/evidence", "embed.go"} {
		if body, ok := Body(name); ok {
			t.Errorf("Body(%q) = %q, want none", name, body)
		}
	}
}

func TestWithoutFrontMatter(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"---\nname: a\n---\n\ntext\n", "text\n"},
		{"text\n---\nmore\n", "text\n---\nmore\n"},
		{"---\nname: never closed\n", "---\nname: never closed\n"},
	} {
		if got := withoutFrontMatter(c.in); got != c.want {
			t.Errorf("withoutFrontMatter(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
