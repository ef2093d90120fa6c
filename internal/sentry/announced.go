package sentry

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/state"
)

// announced returns the replies and updates that a person confirmed and that no read
// has shown, while the node is under way that makes them.
func announced(e *engine.Engine, st *state.State) []guard.Write {
	var out []guard.Write
	kinds := map[string]string{guard.WriteReply: graph.Comments, guard.WriteWorkItem: graph.WorkItem}
	for kind, node := range kinds {
		if !st.Running(node) {
			continue
		}
		for _, in := range gate.Due(st, kind) {
			w := guard.Write{Kind: kind}
			w.Repo, w.Item, _ = strings.Cut(st.Delivery.Source, "#")
			if st.Submitted != nil {
				w.Pull = lastNumber(st.Submitted.URL)
			}
			if kind == guard.WriteReply {
				w.Target = in.Target
			} else if slices.Contains(in.Missing(), state.PartState) {
				w.State = in.Target
			}
			if in.Body != "" && (kind == guard.WriteReply || slices.Contains(in.Missing(), state.PartComment)) {
				text, err := e.Artifact(in.Body)
				if err != nil {
					continue // a text that cannot be read lets nothing through
				}
				w.Text, w.Path = string(text), filepath.Join(resolved(e.StateDir()), "artifacts", in.Body)
			}
			out = append(out, w)
		}
	}
	return out
}

// lastNumber returns the number that a URL ends with, "" where it ends with none.
func lastNumber(url string) string {
	_, last, _ := cutLast(strings.TrimRight(url, "/"), "/")
	if last == "" || strings.Trim(last, "0123456789") != "" {
		return ""
	}
	return last
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
