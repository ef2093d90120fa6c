package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// placeholder stands in a script's strings for what is known only while it is
// played: {{name}} or {{name argument}}.
type placeholder struct {
	text string // as it stands, braces included
	name string
	arg  string
}

// placeholders returns those that occur in the JSON of a step, each once.
func placeholders(data []byte) []placeholder {
	var out []placeholder
	for _, m := range regexp.MustCompile(`\{\{([a-z-]+)(?: ([^{}"\\]*))?\}\}`).FindAllSubmatch(data, -1) {
		p := placeholder{string(m[0]), string(m[1]), strings.TrimSpace(string(m[2]))}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// check refuses what can never be resolved.
func (p placeholder) check() error {
	switch p.name {
	case "tree", "scratch", "head":
		if p.arg != "" {
			return fmt.Errorf("placeholder %s takes no argument", p.text)
		}
	case "criterion", "evidence", "digest", "ask", "value":
		if p.arg == "" {
			return fmt.Errorf("placeholder %s needs an argument", p.text)
		}
	default:
		return fmt.Errorf("unknown placeholder %s", p.text)
	}
	return nil
}

// resolve replaces the placeholders of a step by what they stand for now.
func (p *Player) resolve(ctx context.Context, data []byte) ([]byte, error) {
	var st *status
	for _, h := range placeholders(data) {
		if st == nil && h.name != "value" && h.name != "scratch" && h.name != "tree" && h.name != "head" {
			var err error
			if st, err = p.status(ctx); err != nil {
				return nil, err
			}
		}
		value, ok := p.lookUp(h, st)
		if h.name == "head" {
			var err error
			if value, err = p.head(ctx); err != nil {
				return nil, err
			}
			ok = true
		}
		if !ok {
			return nil, fmt.Errorf("%s stands for nothing now", h.text)
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.text, err)
		}
		data = []byte(strings.ReplaceAll(string(data), h.text, string(quoted[1:len(quoted)-1])))
	}
	return data, nil
}

func (p *Player) lookUp(h placeholder, st *status) (string, bool) {
	value := ""
	switch h.name {
	case "value":
		value = p.o.Values[h.arg]
	case "scratch":
		value = p.o.Scratch
	case "tree":
		value = p.tree
	case "criterion":
		value = st.criterion(h.arg)
	case "evidence":
		value = st.evidence(h.arg)
	case "digest":
		value = st.ask(h.arg).Digest
	case "ask":
		value = st.ask(h.arg).ID
	}
	return value, value != ""
}
