package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goodSpec returns a spec without problems.
func goodSpec() Spec {
	return Spec{
		Version: 1,
		Task:    Task{Summary: "Refunds over the limit are refused", Decisions: []string{}, Assumptions: []string{}},
		Criteria: []Criterion{
			{ID: "AC-1", Text: "answers 403", Hardness: Hard, Verify: "TestRefund", Refs: []string{"FR-12"}},
			{ID: "#123", Text: "reads well", Hardness: Soft, Verify: VerifyHuman},
		},
	}
}

func lines(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}

func TestSpecCheck(t *testing.T) {
	if p := goodSpec().Check(); p != nil {
		t.Fatalf("problems in a good spec: %v", p)
	}
	for _, tt := range []struct {
		what   string
		change func(*Spec)
		want   []string
	}{
		{"version", func(s *Spec) { s.Version = 2 }, []string{"version: is 2; this program reads version 1"}},
		{"no criteria", func(s *Spec) { s.Criteria = nil }, []string{"criteria: there is none; a delivery needs at least one"}},
		{"empty texts", func(s *Spec) {
			s.Task.Summary = " \t"
			s.Criteria[0].Text = "\u200b\x1b"
			s.Criteria[0].Verify = ""
			s.Criteria[0].Refs = []string{" "}
			s.Criteria[1].Questions = []string{""}
		}, []string{
			"task.summary: is empty", "criteria[0].text: is empty", "criteria[0].verify: is empty",
			"criteria[0].refs[0]: is empty", "criteria[1].questions[0]: is empty",
		}},
		{"an id twice", func(s *Spec) { s.Criteria[1].ID = "AC-1" }, []string{"criteria[1].id: AC-1 is also the id of criteria[0]"}},
		{"ids", func(s *Spec) { s.Criteria[0].ID = "1 b"; s.Criteria[1].ID = "#" }, []string{
			`criteria[0].id: "1 b" is no identifier such as AC-1, FR-12 or #123`,
			`criteria[1].id: "#" is no identifier such as AC-1, FR-12 or #123`,
		}},
		{"hardness", func(s *Spec) { s.Criteria[0].Hardness = "hard" }, []string{`criteria[0].hardness: "hard" is none of HARD, SOFT`}},
		{"dropped without a reason", func(s *Spec) { s.Task.Dropped = []Dropped{{Ref: "FR-1"}, {Because: "b"}} }, []string{
			"task.dropped[0].because: is empty", "task.dropped[1].ref: is empty",
		}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			s := goodSpec()
			tt.change(&s)
			if diff := cmp.Diff(tt.want, lines(s.Check())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCriterionID(t *testing.T) {
	for _, id := range []string{"AC-1", "FR-12", "UC-3", "#123", "a", "Story.2_b"} {
		if !criterionID(id) {
			t.Errorf("%q refused", id)
		}
	}
	for _, id := range []string{"", "#", "#1a", "1", "-a", "a b", "a/b", "ä", strings.Repeat("a", 65), "a\n"} {
		if criterionID(id) {
			t.Errorf("%q taken", id)
		}
	}
}

func TestCriterionDigest(t *testing.T) {
	base := goodSpec().Criteria[0]
	changed := map[string]func(*Criterion){
		"id": func(k *Criterion) { k.ID = "AC-2" }, "text": func(k *Criterion) { k.Text += "." },
		"hardness": func(k *Criterion) { k.Hardness = Soft }, "verify": func(k *Criterion) { k.Verify = "x" },
		"refs": func(k *Criterion) { k.Refs = append(slices.Clone(k.Refs), "b") },
	}
	for what, change := range changed {
		k := base
		change(&k)
		if k.Digest() == base.Digest() {
			t.Errorf("%s is no part of the digest", what)
		}
	}
	asked := base
	asked.Questions = []string{"?"}
	if asked.Digest() != base.Digest() {
		t.Error("questions are part of the digest")
	}
	none, empty := Criterion{ID: "a"}, Criterion{ID: "a", Refs: []string{}}
	if none.Digest() != empty.Digest() || len(none.Digest()) != 64 {
		t.Error("no refs and an empty list differ")
	}
}

func TestOpenQuestions(t *testing.T) {
	s := goodSpec()
	if q := s.OpenQuestions(); q != nil {
		t.Errorf("%q", q)
	}
	s.Criteria[1].Questions = []string{"Which\nlimit?", "who?"}
	if diff := cmp.Diff([]string{"#123: Which limit?", "#123: who?"}, s.OpenQuestions()); diff != "" {
		t.Error(diff)
	}
	if _, ok := s.Criterion("#123"); !ok {
		t.Error("#123 not found")
	}
	if _, ok := s.Criterion("AC-9"); ok {
		t.Error("AC-9 found")
	}
}

func TestCoverage(t *testing.T) {
	const unnamed = " is in no criterion's id or refs, and not listed under task.dropped with a reason"
	for _, tt := range []struct {
		what, task string
		change     func(*Spec)
		want       []string
	}{
		{"nothing asked", "fix it", nil, nil},
		{"id and ref", "AC-1 and (FR-12).", nil, nil},
		{"a ref with an anchor", "FR-7", func(s *Spec) { s.Criteria[0].Refs = []string{"docs/spec.md#FR-7"} }, nil},
		{"missing", "see FR-1 and FR-13, FR-1 again", nil, []string{"criteria: FR-1 of the task" + unnamed, "criteria: FR-13 of the task" + unnamed}},
		{"dropped", "FR-1", func(s *Spec) { s.Task.Dropped = []Dropped{{"FR-1", "later"}} }, nil},
		{"dropped without a reason", "FR-1", func(s *Spec) { s.Task.Dropped = []Dropped{{"FR-1", " "}} }, []string{"criteria: FR-1 of the task" + unnamed}},
		{"in the text of a criterion only", "FR-1", func(s *Spec) { s.Criteria[0].Text = "FR-1" }, []string{"criteria: FR-1 of the task" + unnamed}},
		{"checkboxes", "- [ ] Refuse  big refunds\n  * [x] log it\n1. [X] tell the user\n> + [ ] quoted\n", nil, []string{
			`criteria: the checkbox "Refuse big refunds" of the task` + unnamed, `criteria: the checkbox "log it" of the task` + unnamed,
			`criteria: the checkbox "tell the user" of the task` + unnamed, `criteria: the checkbox "quoted" of the task` + unnamed,
		}},
		{"a checkbox by its text", "- [ ] Refuse  big refunds \r\n", func(s *Spec) { s.Criteria[0].Refs = []string{" refuse big REFUNDS"} }, nil},
		{"a dropped checkbox", "- [ ] Log it", func(s *Spec) { s.Task.Dropped = []Dropped{{"log it", "no"}} }, nil},
		{"a checkbox by its identifier", "- [ ] **AC-1**: refuse\n- [ ] refuse (FR-12).\n- [ ] #123 reads well", nil, nil},
		{"an identifier that a checkbox only mentions", "- [ ] like AC-1, but for credit", nil, []string{`criteria: the checkbox "like AC-1, but for credit" of the task` + unnamed}},
		{"its own identifier is missing", "- [ ] AC-9: refuse", nil, []string{"criteria: AC-9 of the task" + unnamed}},
		{"no checkboxes", "-[ ] a\n- [y] b\n- [] c\n- [ ]\n[ ] d\n10 [ ] e\n-- [ ] f\n", nil, nil},
		{"no identifiers", "aB-1 x_AC-1 AC- 1-2 ac-1 A1-2x", nil, nil},
		{"an identifier inside others", "X-AC-7", nil, []string{"criteria: AC-7 of the task" + unnamed}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			s := goodSpec()
			if tt.change != nil {
				tt.change(&s)
			}
			if diff := cmp.Diff(tt.want, lines(Coverage(s, tt.task))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCoverageOfALongText(t *testing.T) {
	text := strings.Repeat("AC-", 200_000) + strings.Repeat("- [ ] x\n", 50_000) + strings.Repeat("A", 500_000)
	if p := Coverage(goodSpec(), text); len(p) != 1 {
		t.Errorf("%d problems", len(p))
	}
	if p := Coverage(goodSpec(), "- [ ] "+strings.Repeat("é", 10_000)); len(p) != 1 || len(p[0].What) > 500 {
		t.Error("a long checkbox is not shortened")
	}
}

func TestProblemsAsError(t *testing.T) {
	err := error(Problems{{"a", "is empty"}, {"", "too long"}})
	if err.Error() != "a: is empty; too long" {
		t.Error(err)
	}
}
