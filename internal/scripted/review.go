package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Review is a reviewer at work: the delegation is fetched, a context of its own
// opens every changed file, and its last message ends with the verdict.
type Review struct {
	head
	Agent string `json:"agent"` // staff-reviewer, security-reviewer
	Kind  string `json:"kind"`  // code-review, security-review
	// Verdict is the block that the reviewer ends with. Version, kind and the tree
	// of the delegation are filled in where they are missing.
	Verdict map[string]any `json:"verdict"`
	// Opens are the files that the reviewer reads; missing, all that changed.
	Opens *[]string `json:"opens,omitempty"`
}

func (a *Review) title() string { return "review " + a.Agent }

func (a *Review) play(ctx context.Context, p *Player) (outcome, error) {
	if err := p.delegation(ctx, a.Agent); err != nil {
		return outcome{}, err
	}
	by := newAgent(a.Agent)
	if err := p.told(by); err != nil {
		return outcome{}, err
	}
	var paths []string
	if a.Opens != nil {
		paths = *a.Opens
	} else {
		var err error
		if paths, err = p.changed(ctx); err != nil {
			return outcome{}, err
		}
	}
	for _, path := range paths {
		if err := p.read(ctx, by, path); err != nil {
			return outcome{}, err
		}
	}
	block := map[string]any{"version": 1, "kind": a.Kind, "tree": p.tree}
	for k, v := range a.Verdict {
		block[k] = v
	}
	data, err := json.MarshalIndent(block, "", "  ")
	if err != nil {
		return outcome{}, err
	}
	message := fmt.Sprintf("I opened %d changed files.\n\n```json\n%s\n```", len(paths), data)
	if err := p.stopped(ctx, by, message); err != nil {
		return outcome{}, err
	}
	return p.verdict(ctx, a.Kind)
}

// verdict returns how the need for a kind stands after the reviewer has spoken.
func (p *Player) verdict(ctx context.Context, kind string) (outcome, error) {
	s, err := p.status(ctx)
	if err != nil {
		return outcome{}, err
	}
	n, ok := s.need(kind)
	if !ok {
		return outcome{}, fmt.Errorf("status knows no need for %s", kind)
	}
	switch n.State {
	case "current":
		return outcome{result: "pass"}, nil
	case "failing":
		return outcome{result: "fail", why: n.Why}, nil
	default:
		return outcome{result: "unknown", why: n.State + ": " + n.Why}, nil
	}
}

// delegation fetches the prompt for an agent and notes the tree that it names.
func (p *Player) delegation(ctx context.Context, name string) error {
	a, _, err := p.call(ctx, nil, "next", "--agent", name)
	if err != nil {
		return err
	}
	m := regexp.MustCompile(`"tree":\s*"([0-9a-f]{40,64})"`).FindStringSubmatch(a.Next.Prompt)
	if m == nil && strings.HasSuffix(name, "-reviewer") {
		return fmt.Errorf("the delegation to %s names no tree", name)
	}
	if m != nil {
		p.tree = m[1]
	}
	p.given = a.Next.Prompt
	return nil
}
