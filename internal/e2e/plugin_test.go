//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// plugin returns the folder that the client loads: the repository's own plugin, as an
// installation makes it of a clone, with the programs that were built.
func plugin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plugin")
	from := filepath.Join(repository, "plugin")
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries { // links become what they lead to
		target, err := filepath.EvalSymlinks(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(target); err != nil || !info.IsDir() {
			continue
		}
		if err := os.CopyFS(filepath.Join(dir, e.Name()), os.DirFS(target)); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"asterweave-state", "asterweave-hook"} {
		to := filepath.Join(dir, "bin", program)
		if err := os.Remove(to); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(have.bin, program))
		if err == nil {
			err = os.WriteFile(to, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
