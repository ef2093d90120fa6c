//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines returns the level of each line of doctor, by name.
func doctorLines(t *testing.T, a answer) map[string]string {
	t.Helper()
	out := map[string]string{}
	list, _ := dig(a.json, "lines").([]any)
	for _, l := range list {
		name, _ := dig(l, "name").(string)
		level, _ := dig(l, "level").(string)
		if level != "ok" && dig(l, "next") == nil {
			t.Errorf("%s has no next step field", name)
		}
		out[name] = level
	}
	if len(out) == 0 {
		t.Fatalf("no lines: %s", a)
	}
	return out
}

// TestDoctorTriesTheRealLauncher: the canary goes through run.sh into the hook program.
func TestDoctorTriesTheRealLauncher(t *testing.T) {
	r := at0(t)
	root, err := filepath.Abs(filepath.Join("..", "..", "plugin"))
	if err != nil {
		t.Fatal(err)
	}
	found := r.with("CLAUDE_PLUGIN_ROOT="+root, "PATH="+filepath.Join(shared.dir, "bin")+":"+shared.path)
	a := r.ok(found.look("--json", "doctor"))
	if l := doctorLines(t, a); l["hooks"] != "ok" || l["plugin"] != "ok" || l["versions"] != "ok" || l["protection"] != "warn" {
		t.Errorf("%s", a)
	}
	if !strings.Contains(a.stdout, "run.sh") {
		t.Errorf("the launcher was not tried: %s", a)
	}
	// Without the program, the launcher is silent in the canary's folder or refuses there; doctor says that nothing is guarded.
	gone := r.with("CLAUDE_PLUGIN_ROOT="+root, "PATH="+shared.path)
	a = gone.look("--json", "doctor")
	if l := doctorLines(t, a); l["hooks"] != "fail" || a.status != 1 {
		t.Errorf("a missing hook program is not seen: %s", a)
	}
	if _, err := os.Lstat(r.file(".claude")); err == nil {
		t.Error("doctor left something in the repository")
	}
}

func TestDoctorOutsideOfARepository(t *testing.T) {
	r := at0(t)
	out := open(t, t.TempDir())
	if err := os.Mkdir(out.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	a := out.look("--json", "doctor")
	if l := doctorLines(t, a); l["repository"] != "fail" || l["hooks"] != "ok" || a.status != 1 {
		t.Errorf("%s", a)
	}
	if a := r.ok(r.look("doctor")); !strings.Contains(a.stdout, "hooks") {
		t.Errorf("%s", a)
	}
}
