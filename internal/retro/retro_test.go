package retro

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/state"
)

var nine = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// moment is one event of a ledger that is written for a test.
type moment struct {
	after   time.Duration // the start
	node    string
	changes []state.Change
}

func started(id, goal string) moment {
	return moment{0, "intake", []state.Change{
		{Started: &state.Started{Delivery: state.Delivery{ID: id, Goal: goal, Status: state.Active}, Nodes: []string{"intake", "plan", "implement", "test"}}},
		{Entered: &state.Entered{Node: "intake"}},
	}}
}

func run(id, result string) state.Change {
	return state.Change{Recorded: &evidence.Record{ID: id, Gate: "unit", GateDef: "d", Counts: true, Result: evidence.Result(result), World: evidence.World{Tree: "t"}}}
}

// life is a delivery with one of everything that is counted.
func life(id string) []moment {
	failed := &state.Failure{Node: "test", Gate: "unit", Signature: "fail TestRefund"}
	return []moment{
		started(id, "refunds\n\x1b[2Jover the amount"),
		{time.Minute, "intake", []state.Change{{Asked: &state.Ask{ID: "A1", Kind: state.AskDecision, Question: "which limit?"}}}},
		{3 * time.Minute, "intake", []state.Change{{Closed: &state.Closed{Ask: "A1", Answer: "100", Channel: "client"}}}},
		{4 * time.Minute, "test", []state.Change{{Entered: &state.Entered{Node: "test"}}, {Tool: &state.Tool{Tool: "Bash", DurationMs: 1500}}, {Tool: &state.Tool{Tool: "Read", DurationMs: 2}}, run("E1", "fail")}},
		{5 * time.Minute, "test", []state.Change{{Completed: &state.Completed{Node: "test", Outcome: "fail-retryable", To: "implement", Failure: failed}}}},
		{6 * time.Minute, "test", []state.Change{{Entered: &state.Entered{Node: "test"}}}},
		{7 * time.Minute, "test", []state.Change{{Completed: &state.Completed{Node: "test", Outcome: "blocked", To: "test", Refund: true}}, {Paused: &state.PausedBy{Reason: "no database"}}}},
		{8 * time.Minute, "test", []state.Change{{Resumed: &state.Resumed{}}, {Entered: &state.Entered{Node: "test"}}}},
		{9 * time.Minute, "test", []state.Change{run("E2", "pass"), {Completed: &state.Completed{Node: "test", Outcome: "fail-replan", To: "plan", Failure: failed}}}},
	}
}

func write(t *testing.T, dir string, moments ...moment) {
	t.Helper()
	w, err := ledger.Open(dir, ledger.Options{}).Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, m := range moments {
		data, err := json.Marshal(state.Data{Changes: m.changes})
		if err == nil {
			_, err = w.Append(ledger.Draft{Type: "x", Node: m.node, Data: data, At: nine.Add(m.after)}, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDelivery(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, append(life("d1"), moment{20 * time.Minute, "plan", []state.Change{{Asked: &state.Ask{ID: "A2", Kind: state.AskApproval, Question: "approve?"}}}},
		moment{25 * time.Minute, "plan", []state.Change{{Moved: &state.Moved{To: "plan"}}}})...)
	want := Delivery{
		ID: "d1", Goal: "refunds\n\x1b[2Jover the amount", Outcome: state.Active, StartedAt: nine, LastAt: nine.Add(25 * time.Minute), DurationMs: 25 * 60000,
		Nodes:    []Node{{Node: "intake", Attempts: 1}, {Node: "test", Attempts: 3, Refunds: 1, Calls: 2}},
		Failures: []Failure{{Node: "test", Gate: "unit", Signature: "fail TestRefund", Count: 2}},
		Asks: []Ask{
			{ID: "A1", Kind: state.AskDecision, Question: "which limit?", Channel: "client", WaitedMs: 120000},
			{ID: "A2", Kind: state.AskApproval, Question: "approve?", Open: true, WaitedMs: 300000},
		},
		WaitedMs: 420000, Unstable: []report.Unstable{{Gate: "unit", Tree: "t", Failed: []string{"E1"}, Passed: "E2"}},
		Refunds: 1, Replans: 2, Calls: 2, CallMs: 1502,
	}
	r := Read(dir)
	if d := cmp.Diff([]Delivery{want}, r.Deliveries); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Total{
		Deliveries: 1, Outcomes: map[string]int{"active": 1}, DurationMs: 25 * 60000, WaitedMs: 420000, Nodes: want.Nodes, Failures: want.Failures,
		Asks: map[string]int{"decision": 1, "approval": 1}, Unstable: map[string]int{"unit": 1}, Refunds: 1, Replans: 2, Calls: 2, CallMs: 1502,
	}, r.Total); d != "" {
		t.Error(d)
	}
}

func TestEarlierDeliveriesAreSummedAndBadOnesNamed(t *testing.T) {
	dir := t.TempDir()
	archived := func(name string) string { return filepath.Join(dir, "archive", name) }
	for i, id := range []string{"a", "b", "c"} {
		if err := os.MkdirAll(archived(id), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, archived(id), append(life(id), moment{time.Hour, "", []state.Change{{Ended: &state.Ended{Status: state.Aborted, Reason: fmt.Sprint(i)}}}})...)
	}
	hurt := filepath.Join(archived("b"), ledger.FileName)
	b, err := os.ReadFile(hurt)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, []byte("no database"), []byte("no datubase"), 1)
	if err := os.WriteFile(hurt, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(archived("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archived("a-file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(archived("a"), archived("link")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, started("now", "next"))

	r := Read(dir)
	var ids, skipped []string
	for _, d := range r.Deliveries {
		ids = append(ids, fmt.Sprint(d.ID, d.Archived, d.Outcome))
	}
	for _, s := range r.Skipped {
		skipped = append(skipped, s.Path)
		if s.Why == "" {
			t.Errorf("%s is skipped without a reason", s.Path)
		}
	}
	if d := cmp.Diff([]string{"atrueaborted", "ctrueaborted", "nowfalseactive"}, ids); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"archive/a-file", "archive/b", "archive/empty", "archive/link"}, skipped); d != "" {
		t.Error(d)
	}
	if f := r.Total.Failures; len(f) != 1 || f[0].Count != 4 {
		t.Errorf("the same failure of two deliveries is not summed: %+v", f)
	}
	if r.Total.Outcomes[state.Aborted] != 2 || r.Total.Nodes[0] != (Node{Node: "intake", Attempts: 3}) {
		t.Errorf("%+v", r.Total)
	}
}

func TestNothing(t *testing.T) {
	r := Read(filepath.Join(t.TempDir(), "none"))
	b, err := json.Marshal(r)
	if err != nil || bytes.Contains(b, []byte("null")) || r.Total.Deliveries != 0 {
		t.Errorf("%s %v", b, err)
	}
	var out strings.Builder
	if err := Print(&out, r); err != nil || out.String() != "no delivery has left a ledger here\n" {
		t.Errorf("%q %v", out.String(), err)
	}
}

func TestPrint(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, life("d1")...)
	var out strings.Builder
	r := Read(dir)
	r.Skipped = []Skipped{{"archive/x", "line 3\nis torn"}}
	if err := Print(&out, r); err != nil {
		t.Fatal(err)
	}
	const want = `d1  active after 9m0s
  goal      refunds [2Jover the amount
  attempts  intake 1, test 3 (1 refunded)
  failed    2 × test unit: fail TestRefund
  unstable  unit failed (E1) and passed (E2) on one tree
  asked     A1 decision, answered, client after 2m0s: which limit?
  counts    1 refunds, 1 replans, 2 tool calls in 1.502s

skipped archive/x: line 3 is torn
all 1: 1 active; 9m0s, 2m0s of it waiting for people
  attempts  intake 1, test 3 (1 refunded)
  failed    2 × test unit: fail TestRefund
  unstable  1 unit
  asked     1 decision
  counts    1 refunds, 1 replans, 2 tool calls in 1.502s
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}
