//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever cleans ignored files takes the state folder away. That is damage, and stays
// it for a model; a person can give the delivery up and begin another.
func TestALedgerThatIsGoneCanBeGivenUp(t *testing.T) {
	r := at(t, "test")
	if err := os.RemoveAll(r.file(".claude")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"start", "--goal", "another"}} {
		if a := r.aw(args...); a.status != 5 || !strings.Contains(a.text("error", "hint"), "abort") {
			t.Errorf("damage with its way out was due: %s", a)
		}
	}
	if a := r.aw("abort", "--reason", "it is gone"); a.status != 3 || a.code() != "human-only" {
		t.Errorf("a model gave a ledger up: %s", a)
	}
	if a := r.human("", "abort"); a.status != 64 {
		t.Errorf("without a reason: %s", a)
	}
	a := r.ok(r.human("", "abort", "--reason", "git clean took it"))
	if _, err := os.Stat(filepath.Join(r.dir, a.text("setAside"), "anchor")); err != nil {
		t.Errorf("the anchor is not kept: %v, %s", err, a)
	}
	if a := r.aw("status"); a.code() != "no-delivery" {
		t.Errorf("no delivery was due: %s", a)
	}
	r.ok(r.aw("start", "--goal", "another"))
}

// A repository without tests is told what its baseline can be instead.
func TestABaselineWithoutTests(t *testing.T) {
	r := at(t, "analyze")
	manifest := manifestDoc()
	delete(manifest, "commands")
	r.submit("analyze", obj{"documents": obj{"manifest": manifest}, "records": []any{record("repository", "no tests")}})
	a := r.aw("run", "--kind", "baseline")
	if a.status != 3 || !strings.Contains(a.text("error", "hint"), "where there are no tests") {
		t.Errorf("the way on was due: %s", a)
	}
	manifest["commands"] = obj{"test": "git diff --check"}
	r.submit("analyze", obj{"documents": obj{"manifest": manifest}})
	r.ok(r.aw("run", "--kind", "baseline"))
	r.ok(r.aw("complete", "analyze", "pass"))
}
