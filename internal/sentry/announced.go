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
// has shown, while the node is under way that makes them. Whoever pauses a delivery keeps
// what was confirmed before from being written.
func announced(e *engine.Engine, st *state.State) []guard.Write {
	if st.Delivery.Status != state.Active {
		return nil
	}
	var out []guard.Write
	kinds := map[string]string{guard.WriteReply: graph.Comments, guard.WriteWorkItem: graph.WorkItem}
	for kind, node := range kinds {
		if !st.Running(node) {
			continue
		}
		for _, in := range gate.Due(st, kind) {
			w, says := rest(st, in)
			if says {
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

// repositoryOf returns owner/name from the URL of a pull request of GitHub, "" from others.
func repositoryOf(url string) string {
	parts := strings.Split(strings.TrimRight(url, "/"), "/")
	if n := len(parts); n > 4 && parts[n-2] == "pull" {
		return parts[n-4] + "/" + parts[n-3]
	}
	return ""
}

// rest is what may still be written of an announced write, but for its text, and whether
// there is one: of an update, the parts that no read has shown.
func rest(st *state.State, in state.Intent) (w guard.Write, says bool) {
	w.Kind = in.Kind
	w.Repo, w.Item, _ = strings.Cut(st.Delivery.Source, "#")
	if st.Submitted != nil {
		w.Pull = lastNumber(st.Submitted.URL)
	}
	if in.Kind == guard.WriteReply {
		w.Target, w.Repo = in.Target, ""
		if st.Submitted != nil { // the work item may lie in another repository
			w.Repo = repositoryOf(st.Submitted.URL)
		}
		return w, in.Body != ""
	}
	missing := in.Missing()
	if slices.Contains(missing, state.PartState) {
		w.State = in.Target
	}
	return w, slices.Contains(missing, state.PartComment)
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
