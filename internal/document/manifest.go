package document

import "encoding/json"

// Check returns what a schema cannot say about a manifest: its size as a whole,
// and paths that lead outside the work tree or to nothing. exists is asked for
// paths relative to the work tree, with slashes.
func (m Manifest) Check(exists func(path string) bool) []Problem {
	var c checker
	c.version(m.Version)
	c.text("task", m.Task)
	if n := len(m.Paths()); n > MaxManifestPaths {
		c.add("", "%d paths are more than %d", n, MaxManifestPaths)
		return c.problems
	}
	if text, err := json.Marshal(m); err != nil || len(text) > MaxManifestBytes {
		c.add("", "%d bytes are more than %d", len(text), MaxManifestBytes)
		return c.problems
	}
	for _, list := range []struct {
		field string
		paths []string
	}{
		{"rules", m.Rules},
		{"specs", m.Specs},
		{"files", m.Files},
		{"tests", m.Tests},
		{"affected", m.Affected},
	} {
		for i, p := range list.paths {
			switch why := badPath(p); {
			case why != "":
				c.add(item(list.field, i), "%q %s", clip(p, 80), why)
			case !exists(p):
				c.add(item(list.field, i), "there is no %s", clip(OneLine(p), 200))
			}
		}
	}
	return c.problems
}
