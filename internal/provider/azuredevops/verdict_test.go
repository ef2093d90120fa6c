package azuredevops

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

const (
	own  = "00000007-0000-4000-8000-000000000000"
	head = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
)

func parse[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := decode([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// policyJSON is an enabled blocking policy, unless flags say otherwise.
func policyJSON(kind, status, flags, settings, context string) string {
	if flags == "" {
		flags = `"isEnabled":true,"isBlocking":true`
	}
	if context == "" {
		context = "null"
	}
	return fmt.Sprintf(`{"evaluationId":"1","status":%q,"configuration":{"id":1,%s,"type":{"id":%q,"displayName":"Policy"},"settings":{%s}},"context":%s}`, status, flags, kind, settings, context)
}

// 6.3: what an evaluation is worth; 6.4 and 6.5 judge what waits for people.
func TestEvaluation(t *testing.T) {
	ofHead := `{"lastMergeSourceCommitId":"` + head + `","buildId":555}`
	older := `{"lastMergeSourceCommitId":"` + strings.Repeat("b2", 20) + `","buildId":555}`
	scan := `"statusGenre":"sec","statusName":"scan"`
	w := world{pr: 22, head: head, last: 2, builds: map[int]build{
		555: {ID: 555, Status: "completed", Result: "succeeded", TriggerInfo: map[string]string{"pr.sourceSha": head}},
		556: {ID: 556, Status: "completed", Result: "succeeded", TriggerInfo: map[string]string{"pr.sourceSha": strings.Repeat("b2", 20)}},
	}, statuses: []status{
		{ID: 1, IterationID: 1, State: "succeeded", Context: statusContext{"sec", "old"}},
		{ID: 2, IterationID: 2, State: "succeeded", Context: statusContext{"sec", "scan"}},
		{ID: 3, IterationID: 0, State: "succeeded", Context: statusContext{"sec", "whole"}},
		{ID: 4, IterationID: 2, State: "succeeded", Context: statusContext{"sec", "flips"}},
		{ID: 5, IterationID: 2, State: "failed", Context: statusContext{"sec", "flips"}},
		{ID: 6, IterationID: 1, State: "succeeded", Context: statusContext{"sec", "flips"}},
	}}
	for _, c := range []struct {
		name, text string
		role       role
		want       evidence.Result
		pending    bool
	}{
		{"a build of the head", policyJSON(policyBuild, "approved", "", "", ofHead), required, evidence.Pass, false},
		{"in capitals", policyJSON(strings.ToUpper(policyBuild), "approved", "", "", older), required, evidence.Unknown, true},
		{"a build of an older commit", policyJSON(policyBuild, "approved", "", "", older), required, evidence.Unknown, true},
		{"the same, queued by hand", policyJSON(policyBuild, "approved", "", `"manualQueueOnly":true`, older), required, evidence.Unknown, false},
		{"an older commit's failure", policyJSON(policyBuild, "rejected", "", "", older), required, evidence.Unknown, true},
		{"a failure", policyJSON(policyBuild, "rejected", "", "", ofHead), required, evidence.Fail, false},
		{"approved without a build", policyJSON(policyBuild, "approved", "", "", ""), required, evidence.Unknown, false},
		{"approved without a commit", policyJSON(policyBuild, "approved", "", "", `{"buildId":555}`), required, evidence.Unknown, false},
		{"approved and expired", policyJSON(policyBuild, "approved", "", "", `{"lastMergeSourceCommitId":"`+head+`","buildId":555,"isExpired":true}`), required, evidence.Unknown, false},
		{"running", policyJSON(policyBuild, "running", "", "", ofHead), required, evidence.Unknown, true},
		{"never queued", policyJSON(policyBuild, "queued", "", "", ""), required, evidence.Unknown, true},
		{"a status that is not known", policyJSON(policyBuild, "frobnicated", "", "", ofHead), required, evidence.Unknown, false},
		{"no status", policyJSON(policyBuild, "", "", "", ofHead), required, evidence.Unknown, false},
		{"a kind that is not known", policyJSON("11111111-1111-4111-8111-111111111111", "approved", "", "", ""), required, evidence.Pass, false},
		{"a kind that is not known, queued", policyJSON("11111111-1111-4111-8111-111111111111", "queued", "", "", ""), required, evidence.Unknown, true},
		{"it is not said whether it blocks", policyJSON(policyBuild, "approved", `"isEnabled":true`, "", ofHead), required, evidence.Unknown, false},
		{"it is not said whether it is enabled", policyJSON(policyBuild, "approved", `"isBlocking":true`, "", ofHead), required, evidence.Unknown, false},
		{"advisory", policyJSON(policyBuild, "rejected", `"isEnabled":true,"isBlocking":false`, "", ofHead), optional, evidence.Fail, false},
		{"disabled", policyJSON(policyBuild, "rejected", `"isEnabled":false,"isBlocking":true`, "", ofHead), off, evidence.Fail, false},
		{"deleted", policyJSON(policyBuild, "rejected", `"isEnabled":true,"isBlocking":true,"isDeleted":true`, "", ofHead), off, evidence.Fail, false},
		{"a status of the last iteration", policyJSON(policyStatus, "approved", "", scan, ""), required, evidence.Pass, false},
		{"a status of an earlier iteration", policyJSON(policyStatus, "approved", "", `"statusGenre":"sec","statusName":"old"`, ""), required, evidence.Unknown, false},
		{"a status of the pull request as a whole", policyJSON(policyStatus, "approved", "", `"statusGenre":"sec","statusName":"whole"`, ""), required, evidence.Unknown, false},
		{"the newest status of the last iteration", policyJSON(policyStatus, "approved", "", `"statusGenre":"sec","statusName":"flips"`, ""), required, evidence.Fail, false},
		{"a work item that nothing else judges", policyJSON(policyWorkItems, "rejected", "", "", ""), forUsers, evidence.Fail, false},
		{"the same, queued", policyJSON(policyWorkItems, "queued", "", "", ""), forUsers, evidence.Unknown, true},
		{"the same, linked", policyJSON(policyWorkItems, "approved", "", "", ""), forUsers, evidence.Pass, false},
		{"a build of a merge of another commit", policyJSON(policyBuild, "approved", "", "", `{"lastMergeSourceCommitId":"`+head+`","buildId":556}`), required, evidence.Unknown, false},
		{"reviewers who have not voted", policyJSON(policyMinimumReviewers, "queued", "", "", ""), forUsers, evidence.Pass, false},
		{"a reviewer who rejects", policyJSON(policyRequiredReviewers, "rejected", "", "", ""), forUsers, evidence.Pass, false},
		{"threads", policyJSON(policyComments, "rejected", "", "", ""), forUsers, evidence.Pass, false},
		{"a policy for people that is broken", policyJSON(policyComments, "broken", "", "", ""), forUsers, evidence.Fail, false},
		{"the kind of merge, two digits from reviewers", policyJSON(policyMergeStrategy, "queued", "", "", ""), forUsers, evidence.Pass, false},
	} {
		got := w.judge(parse[evaluation](t, c.text))
		if got.Role != c.role || got.Result != c.want || got.Pending != c.pending {
			t.Errorf("%s: %s %s (pending %v): %s", c.name, got.Role, got.Result, got.Pending, got.Because)
		}
	}
}

// What waits for people is told and stops nothing: threads and votes are read where
// comments are, which is later.
func TestOpenForPeople(t *testing.T) {
	w := world{pr: 22, head: head, last: 1, builds: map[int]build{555: {ID: 555, Status: "completed", Result: "succeeded"}}}
	ci := parse[evaluation](t, policyJSON(policyBuild, "approved", "", "", `{"lastMergeSourceCommitId":"`+head+`","buildId":555}`))
	people := parse[evaluation](t, policyJSON(policyMinimumReviewers, "queued", "", "", ""))
	if j := w.decide([]evaluation{ci, people}, nil, nil); j.Result != evidence.Pass || !strings.Contains(j.Summary, "still open for people") {
		t.Errorf("%s: %s", j.Result, j.Summary)
	}
	if j := w.decide([]evaluation{people}, nil, nil); j.Result != evidence.Unknown || j.Pending {
		t.Errorf("people alone are no check: %s (pending %v) %s", j.Result, j.Pending, j.Summary)
	}
	other := parse[evaluation](t, policyJSON("11111111-1111-4111-8111-111111111111", "approved", "", "", ""))
	if j := w.decide([]evaluation{other}, nil, nil); j.Result != evidence.Unknown {
		t.Errorf("a policy of a kind that is not known is no check: %s %s", j.Result, j.Summary)
	}
	if j := w.decide([]evaluation{ci, other}, nil, nil); j.Result != evidence.Pass {
		t.Errorf("and stops nothing when it is approved: %s %s", j.Result, j.Because)
	}
	other.Status = "queued"
	if j := w.decide([]evaluation{ci, other}, nil, nil); j.Result != evidence.Unknown || !j.Pending {
		t.Errorf("it has to be approved: %s %s", j.Result, j.Because)
	}
	no := false
	for _, advisory := range []evaluation{people, other} {
		advisory.Configuration.IsBlocking = &no
		for _, status := range []string{"approved", "rejected", "broken"} {
			advisory.Status = status
			if j := w.decide([]evaluation{advisory}, nil, nil); j.Result == evidence.Pass {
				t.Errorf("advisory, %s, and no check: %s", status, j.Summary)
			}
			if j := w.decide([]evaluation{ci, advisory}, nil, nil); j.Result != evidence.Pass {
				t.Errorf("advisory, %s, beside a required check: %s", status, j.Because)
			}
		}
	}
	// 6.3: what does not apply blocks nothing, and shows nothing.
	away := parse[evaluation](t, policyJSON(policyBuild, "notApplicable", "", "", ""))
	if j := w.decide([]evaluation{away}, nil, nil); j.Result != evidence.Unknown {
		t.Errorf("a required build that does not apply is no check: %s %s", j.Result, j.Summary)
	}
	if j := w.decide([]evaluation{ci, away}, nil, nil); j.Result != evidence.Pass || !strings.Contains(j.Summary, "1 passed") {
		t.Errorf("and stops nothing: %s %s", j.Result, j.Summary)
	}
	people.Status = "rejected"
	if j := w.decide([]evaluation{people}, nil, nil); j.Result != evidence.Unknown {
		t.Errorf("an advisory policy for people is no check that failed: %s %s", j.Result, j.Summary)
	}
	people.Status = "approved"
	if j := w.decide([]evaluation{people}, nil, nil); j.Result != evidence.Unknown {
		t.Errorf("votes alone are no check: %s %s", j.Result, j.Summary)
	}
}

// The link of the delivery's own work item is judged where the item is read.
func TestLinkOfTheItem(t *testing.T) {
	w := world{pr: 22, head: head, last: 1, item: true}
	if c := w.judge(parse[evaluation](t, policyJSON(policyWorkItems, "rejected", "", "", ""))); c.Result != evidence.Pass || c.Note == "" {
		t.Errorf("%s: %s", c.Result, c.Because)
	}
}

// A required status that does not apply exempts, and is no check that ran.
func TestExempt(t *testing.T) {
	w := world{pr: 22, head: head, last: 1, item: true, statuses: []status{{ID: 1, IterationID: 1, State: "notApplicable", Context: statusContext{"sec", "scan"}}}}
	scan := parse[evaluation](t, policyJSON(policyStatus, "approved", "", `"statusGenre":"sec","statusName":"scan"`, ""))
	if j := w.decide([]evaluation{scan}, nil, nil); j.Result != evidence.Unknown || j.Pending {
		t.Errorf("alone: %s (pending %v) %s", j.Result, j.Pending, j.Summary)
	}
	w.statuses = append(w.statuses, status{ID: 2, IterationID: 1, State: "succeeded", Context: statusContext{"sec", "other"}})
	other := parse[evaluation](t, policyJSON(policyStatus, "approved", "", `"statusGenre":"sec","statusName":"other"`, ""))
	if j := w.decide([]evaluation{scan, other}, nil, nil); j.Result != evidence.Pass || !strings.Contains(j.Summary, "1 passed") {
		t.Errorf("beside one that ran: %s %s", j.Result, j.Summary)
	}
}

// 6.3: the newest of a context, of the last iteration alone.
func TestReported(t *testing.T) {
	s := func(id, iteration int, state string) status {
		return status{ID: id, IterationID: iteration, State: state, Context: statusContext{"sec", "scan"}}
	}
	for _, c := range []struct {
		name    string
		all     []status
		names   []string
		want    evidence.Result
		pending bool
	}{
		{"none", nil, nil, evidence.Unknown, false},
		{"of the last iteration", []status{s(1, 2, "succeeded")}, nil, evidence.Pass, false},
		{"the newest counts", []status{s(2, 2, "failed"), s(1, 2, "succeeded")}, nil, evidence.Fail, false},
		{"the newest counts, whatever the order", []status{s(1, 2, "succeeded"), s(2, 2, "failed")}, nil, evidence.Fail, false},
		{"an error", []status{s(1, 2, "error")}, nil, evidence.Fail, false},
		{"of an earlier iteration", []status{s(1, 1, "succeeded")}, nil, evidence.Unknown, true},
		{"of the pull request as a whole", []status{s(1, 0, "succeeded")}, nil, evidence.Unknown, false},
		{"a failure of the whole", []status{s(1, 0, "failed")}, nil, evidence.Unknown, false},
		{"does not apply", []status{s(1, 2, "notApplicable")}, nil, evidence.Unknown, false},
		{"not set", []status{s(1, 2, "notSet")}, nil, evidence.Unknown, true},
		{"a state that is not known", []status{s(1, 2, "frobnicated")}, nil, evidence.Unknown, false},
		{"partially", []status{s(1, 2, "partiallySucceeded")}, nil, evidence.Unknown, false},
		{"required by its whole name", []status{s(1, 2, "succeeded")}, []string{"sec/scan"}, evidence.Pass, false},
		{"required by its name", []status{s(1, 2, "succeeded")}, []string{"Scan"}, evidence.Pass, false},
		{"another is required as well", []status{s(1, 2, "succeeded")}, []string{"scan", "lint"}, evidence.Unknown, true},
		{"one failed that is required, one never came", []status{s(1, 2, "failed")}, []string{"lint", "scan"}, evidence.Fail, false},
	} {
		j := world{pr: 22, head: head, last: 2, statuses: c.all}.decide(nil, nil, c.names)
		if j.Result != c.want || j.Pending != c.pending {
			t.Errorf("%s: %s (pending %v): %s", c.name, j.Result, j.Pending, j.Because)
		}
	}
}

// 6.3: partially is never succeeded.
func TestBuild(t *testing.T) {
	for _, c := range []struct {
		status, result string
		want           evidence.Result
		pending        bool
	}{
		{"completed", "succeeded", evidence.Pass, false},
		{"completed", "partiallySucceeded", evidence.Unknown, false},
		{"completed", "failed", evidence.Fail, false},
		{"completed", "canceled", evidence.Unknown, false},
		{"completed", "", evidence.Unknown, false},
		{"completed", "none", evidence.Unknown, false},
		{"inProgress", "succeeded", evidence.Unknown, true},
		{"notStarted", "", evidence.Unknown, true},
		{"", "succeeded", evidence.Unknown, false},
		{"frobnicated", "succeeded", evidence.Unknown, false},
	} {
		v := build{Status: c.status, Result: c.result}.judge("ci")
		if v.Result != c.want || v.Pending != c.pending {
			t.Errorf("%q %q: %+v", c.status, c.result, v)
		}
	}
}

// 6.2: votes; 6.4: threads.
func TestHear(t *testing.T) {
	text := func(status, kind string, deleted bool) string {
		return fmt.Sprintf(`{"id":1,"status":%s,"publishedDate":"2026-01-10T09:10:00.1Z","comments":[{"id":1,"author":{"id":"x","uniqueName":"rev@example.com"},"content":"fix","commentType":%q,"isDeleted":%v}]}`, status, kind, deleted)
	}
	vote := func(v int) reviewer {
		return reviewer{identity: identity{ID: "r", UniqueName: "rev@example.com"}, Vote: v}
	}
	group := reviewer{identity: identity{ID: "g", DisplayName: "Team", IsContainer: true}, Vote: -10}
	for _, c := range []struct {
		name    string
		threads string
		votes   []reviewer
		want    evidence.Result
		n       int
	}{
		{"nothing", `[]`, nil, evidence.Info, 0},
		{"the service's own words", `[` + text("null", "system", false) + `]`, nil, evidence.Info, 0},
		{"active", `[` + text(`"active"`, "text", false) + `]`, nil, evidence.Fail, 1},
		{"pending", `[` + text(`"pending"`, "text", false) + `]`, nil, evidence.Fail, 1},
		{"a kind of comment that is not known is one of a person", `[` + text(`"active"`, "frobnicated", false) + `]`, nil, evidence.Fail, 1},
		{"active and deleted", `[` + text(`"active"`, "text", true) + `]`, nil, evidence.Info, 0},
		{"a thread that was deleted", `[` + strings.Replace(text(`"active"`, "text", false), `"id":1`, `"id":1,"isDeleted":true`, 1) + `]`, nil, evidence.Info, 0},
		{"active and the service's own", `[` + text(`"active"`, "system", false) + `]`, nil, evidence.Info, 0},
		{"fixed", `[` + text(`"fixed"`, "text", false) + `]`, nil, evidence.Pass, 1},
		{"a status that is not known", `[` + text(`"frobnicated"`, "text", false) + `]`, nil, evidence.Unknown, 1},
		{"no status", `[` + text(`null`, "text", false) + `]`, nil, evidence.Pass, 1},
		{"approved with suggestions", `[]`, []reviewer{vote(5)}, evidence.Info, 0},
		{"waits for the author", `[]`, []reviewer{vote(-5)}, evidence.Fail, 1},
		{"rejected", `[]`, []reviewer{vote(-10)}, evidence.Fail, 1},
		{"a member and the group", `[]`, []reviewer{vote(-10), group}, evidence.Fail, 1},
		{"a group alone", `[]`, []reviewer{vote(10), group}, evidence.Fail, 1},
		{"a vote that is not known", `[]`, []reviewer{vote(7)}, evidence.Unknown, 0},
	} {
		s := hear(pullRequest{Reviewers: c.votes}, parse[[]thread](t, c.threads), own, "https://example.com/pr")
		if s.Result != c.want || len(s.Comments) != c.n {
			t.Errorf("%s: %s, %d comments: %s", c.name, s.Result, len(s.Comments), s.Because)
		}
		for _, one := range s.Comments {
			if one.Kind == provider.ReviewBody != one.Blocks {
				t.Errorf("%s: %+v", c.name, one)
			}
		}
	}
}

func TestApprovalFlaws(t *testing.T) {
	const digest = "0123456789abcdef"
	whole := func(change string) string {
		base := map[string]any{}
		for _, text := range []string{`{"id":1,"version":1,"text":"/asterweave approve 0123456789ABCDEF","createdBy":{"id":"p","uniqueName":"dev@example.com","descriptor":"aad.x"},"createdDate":"2026-01-10T09:00:00.18Z","modifiedBy":{"id":"P"},"modifiedDate":"2026-01-10T09:00:00.18Z"}`, change} {
			if err := json.Unmarshal([]byte(text), &base); err != nil {
				t.Fatal(err)
			}
		}
		b, err := json.Marshal(base)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		change string
		flaw   string
	}{
		{`{}`, ""},
		{`{"text":"<div><b>/asterweave</b> approve&nbsp;0123456789abcdef</div>"}`, ""},
		{`{"version":2}`, "edited"},
		{`{"version":0}`, "edited"},
		{`{"modifiedDate":"2026-01-10T09:00:01.18Z"}`, "edited"},
		{`{"modifiedDate":null}`, "edited"},
		{`{"createdDate":"0001-01-01T00:00:00","modifiedDate":"0001-01-01T00:00:00"}`, "edited"},
		{`{"modifiedBy":{"id":"q"}}`, "edited by somebody else"},
		{`{"createdOnBehalfOf":{"id":"q"}}`, "on behalf"},
		{`{"createdBy":{"id":"` + strings.ToUpper(own) + `"},"modifiedBy":null}`, "the identity whose token"},
		{`{"createdBy":{"id":"p","descriptor":"svc.x"}}`, "service"},
		{`{"createdBy":{"id":"p","displayName":"Widgets Build Service (acme)"}}`, "service"},
		{`{"createdBy":{}}`, "does not say who"},
	} {
		comment := parse[itemComment](t, whole(c.change))
		if got := comment.approved(); got != digest {
			t.Errorf("%s: digest %q", c.change, got)
		}
		if got := comment.flaw(own); !strings.Contains(got, c.flaw) || (got == "") != (c.flaw == "") {
			t.Errorf("%s: %q, want %q", c.change, got, c.flaw)
		}
	}
	for _, text := range []string{
		"", "/asterweave approve", "/asterweave approve 0123", "/asterweave approve 0123456789abcdeg", "<blockquote>/asterweave approve 0123456789abcdef</blockquote>thanks",
		"<blockquote>/asterweave approve 0123456789abcdef</blockquote>", "> /asterweave approve 0123456789abcdef",
		"please do not /asterweave approve 0123456789abcdef", "/asterweave approve 0123456789abcdef\nbut not the second part", "/asterweave reject 0123456789abcdef",
	} {
		if got := (itemComment{Text: text}).approved(); got != "" {
			t.Errorf("%q approves %s", text, got)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-01-10T09:00:05.9185139Z"`: "2026-01-10T09:00:05Z", `"2026-01-10T09:00:05"`: "2026-01-10T09:00:05Z", `"2026-01-10T10:00:05.5+01:00"`: "2026-01-10T09:00:05Z",
		`"0001-01-01T00:00:00"`: "", `null`: "", `""`: "", `"yesterday"`: "error", `5`: "error",
	} {
		var d date
		got := "error"
		if err := json.Unmarshal([]byte(text), &d); err == nil {
			got = d.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"<div>a &lt; b</div><div><br></div><ul><li>one</li><li>t<b>w</b>o</li></ul>": "a < b\n- one\n- two",
		"1 < 2 and 3 > 2": "1 < 2 and 3 > 2", "a<br/>b": "a\nb", "<!-- hidden -->shown": "shown", "no end <b": "no end <b", "": "",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("<div>a &lt; b</div><")
	f.Fuzz(func(t *testing.T, s string) {
		if got := plain(s); len(got) > 4*len(s)+4 {
			t.Errorf("%d bytes became %d", len(s), len(got))
		}
	})
}

// 6.5: states are of a process, categories are of all.
func TestStates(t *testing.T) {
	states := []workItemState{{"New", "Proposed"}, {"Resolved", "Resolved"}, {"Done", "Completed"}, {"Cut", "Removed"}, {"Odd", "Frobnicated"}}
	for _, c := range []struct {
		now, wanted string
		want        evidence.Result
	}{
		{"Done", "", evidence.Pass},
		{"New", "", evidence.Pass},
		{"Cut", "", evidence.Fail},
		{"done", "DONE", evidence.Pass},
		{"New", "Done", evidence.Fail},
		{"Done", "Completed", evidence.Pass},
		{"New", "completed", evidence.Fail},
		{"Resolved", "Resolved", evidence.Pass},
		{"Done", "Resolved", evidence.Fail},
		{"Done", "Closed", evidence.Unknown},
		{"Gone", "Done", evidence.Unknown},
		{"Odd", "", evidence.Unknown},
		{"Odd", "Odd", evidence.Unknown},
	} {
		w := workItem{ID: 1, Fields: map[string]any{"System.State": c.now, "System.WorkItemType": "Task"}}
		if v := w.inState(states, c.wanted); v.Result != c.want || v.Result != evidence.Pass && v.Because == "" {
			t.Errorf("%s, wanted %q: %+v", c.now, c.wanted, v)
		}
	}
}

// A list that is cut, or is none, is no list.
func TestLists(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"count":1,"value":[{}]}`: true, `{"value":[]}`: true, "\ufeff" + `{"count":0,"value":[]}`: true,
		`{"count":2,"value":[{}]}`: false, `{"count":0,"value":null}`: false, `{}`: false, `[]`: false, ``: false, `null`: false, `{"count":1,"value":[{}`: false,
	} {
		var l list[struct{}]
		err := decode([]byte(text), &l)
		if err == nil {
			err = l.check()
		}
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
