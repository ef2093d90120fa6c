package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
)

func TestUnstable(t *testing.T) {
	run := func(id, gate, tree string, result evidence.Result, changes ...func(*evidence.Record)) evidence.Record {
		r := evidence.Record{ID: id, Gate: gate, Result: result, Counts: true, World: evidence.World{Tree: tree}}
		for _, c := range changes {
			c(&r)
		}
		return r
	}
	unknown := func(r *evidence.Record) { r.Counts = false }
	tools := func(r *evidence.Record) { r.World.Env = "other" }
	got := unstable([]evidence.Record{
		run("E1", "unit", "t1", evidence.Fail),
		run("E2", "unit", "t1", evidence.Fail),
		run("E3", "lint", "t1", evidence.Pass),
		run("E4", "unit", "t1", evidence.Pass),
		run("E5", "unit", "t1", evidence.Pass), // said once
		run("E6", "unit", "t2", evidence.Fail),
		run("E7", "unit", "t3", evidence.Pass), // the code changed
		run("E8", "lint", "t3", evidence.Fail),
		run("E9", "lint", "t3", evidence.Pass, tools), // the tools did
		run("E10", "e2e", "t3", evidence.Fail, unknown),
		run("E11", "e2e", "t3", evidence.Pass),
		run("E12", "", "t3", evidence.Fail),
		run("E13", "", "t3", evidence.Pass),
	})
	want := []Unstable{{Gate: "unit", Tree: "t1", Failed: []string{"E1", "E2"}, Passed: "E4"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
