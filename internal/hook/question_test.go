package hook_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

type asked struct {
	Questions []struct {
		Question string `json:"question"`
		Header   string `json:"header"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
		Multi bool `json:"multiSelect"`
	} `json:"questions"`
	Answers map[string]string `json:"answers,omitempty"`
}

func modelsQuestion(text string, options ...string) fields {
	list := []fields{}
	for _, o := range options {
		list = append(list, fields{"label": o, "description": "so it is"})
	}
	return fields{"questions": []fields{{"question": text, "header": "Plan", "options": list, "multiSelect": false}}}
}

// ask has the model ask something, and returns what the human sees.
func (w *world) ask() asked {
	w.t.Helper()
	a := w.hook("pre-tool-use", w.with("PreToolUse", fields{
		"tool_name": "AskUserQuestion", "tool_use_id": "toolu_1", "tool_input": modelsQuestion("Shall I go on?", "Yes", "No"),
	}))
	var q asked
	if len(a.Specific.Updated) == 0 {
		w.t.Fatalf("the question was not replaced: %+v", a)
	}
	if err := json.Unmarshal(a.Specific.Updated, &q); err != nil {
		w.t.Fatal(err)
	}
	return q
}

// answer has the human choose.
func (w *world) answer(q asked, text string, more fields) answer {
	w.t.Helper()
	q.Answers = map[string]string{q.Questions[0].Question: text}
	p := w.with("PostToolUse", fields{"tool_name": "AskUserQuestion", "tool_use_id": "toolu_1", "tool_input": q, "tool_response": q, "duration_ms": 9000})
	for k, v := range more {
		p[k] = v
	}
	return w.hook("post-tool-use", p)
}

func TestQuestionIsReplacedAndApproves(t *testing.T) {
	w := at(t, "approve")
	digest := w.state().Asks[0].Digest
	q := w.ask()
	if len(q.Questions) != 1 || !strings.Contains(q.Questions[0].Question, digest) || !strings.Contains(q.Questions[0].Question, "approve plan revision 1?") {
		t.Fatalf("question %+v", q)
	}
	if o := q.Questions[0].Options; len(o) != 2 || o[0].Label != "Approve "+digest[:8] || o[1].Label != "Reject" || o[0].Description == "" {
		t.Errorf("options %+v", o)
	}
	if h := q.Questions[0].Header; len(h) == 0 || len(h) > 12 {
		t.Errorf("header %q", h)
	}
	a := w.answer(q, "Approve "+digest[:8], nil)
	if a.Specific.Event != "PostToolUse" || !strings.Contains(a.Specific.Context, "implement") {
		t.Errorf("answer %+v", a)
	}
	s := w.state()
	if s.Node != "implement" || s.Approval == nil || s.Approval.Channel != "client" || s.Approval.Digest != digest {
		t.Errorf("node %s, approval %+v", s.Node, s.Approval)
	}
	if a := w.answer(q, "Approve "+digest[:8], nil); !a.silent() {
		t.Errorf("an answer to an ask that is closed: %+v", a)
	}
}

func TestAnswersThatApproveNothing(t *testing.T) {
	w := at(t, "approve")
	digest := w.state().Asks[0].Digest
	yes := "Approve " + digest[:8]
	q := w.ask()
	changed := func(change func(*asked)) asked {
		var c asked
		b, _ := json.Marshal(q)
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(err)
		}
		change(&c)
		return c
	}
	own := changed(func(a *asked) { a.Questions[0].Question = "Shall I go on?" })
	for name, c := range map[string]struct {
		q      asked
		answer string
		more   fields
		env    string
	}{
		"the other option":     {q: q, answer: "Reject"},
		"free text":            {q: q, answer: "yes, go on"},
		"the digest alone":     {q: q, answer: digest[:8]},
		"another digest":       {q: q, answer: "Approve 00000000"},
		"the whole digest":     {q: q, answer: "Approve " + digest},
		"in capitals":          {q: q, answer: strings.ToUpper(yes)},
		"the model's question": {q: own, answer: yes},
		"a text that contains it": {q: changed(func(a *asked) {
			a.Questions[0].Question = "Just continue?\n" + a.Questions[0].Question
		}), answer: yes},
		"other options": {q: changed(func(a *asked) { a.Questions[0].Options[0].Description = "shows the plan" }), answer: yes},
		"one option more": {q: changed(func(a *asked) {
			a.Questions[0].Options = append(a.Questions[0].Options, a.Questions[0].Options[0])
		}), answer: yes},
		"another header":  {q: changed(func(a *asked) { a.Questions[0].Header = "Continue" }), answer: yes},
		"two questions":   {q: changed(func(a *asked) { a.Questions = append(a.Questions, own.Questions[0]) }), answer: yes},
		"no questions":    {q: q, answer: yes, more: fields{"tool_response": fields{"answers": fields{q.Questions[0].Question: yes}}}},
		"no response":     {q: q, answer: yes, more: fields{"tool_response": nil}},
		"text response":   {q: q, answer: yes, more: fields{"tool_response": "Your questions have been answered"}},
		"in the input":    {q: q, answer: yes, more: fields{"tool_response": q}},
		"a subagent":      {q: q, answer: yes, more: fields{"agent_id": "a1", "agent_type": "asterweave:architect"}},
		"the marker":      {q: q, answer: yes, env: "ASTERWEAVE_AGENT=1"},
		"agent's shell":   {q: q, answer: yes, env: "AI_AGENT=x_agent"},
		"another tool":    {q: q, answer: yes, more: fields{"tool_name": "mcp__x__AskUserQuestion"}},
		"a failed call":   {q: q, answer: yes, more: fields{"hook_event_name": "PostToolUseFailure", "tool_response": nil}},
		"an answer twice": {q: q, answer: yes, more: fields{"tool_response": fields{"questions": q.Questions, "answers": fields{q.Questions[0].Question: yes, "x": "y"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.environ = append(cleanEnviron(), c.env)
			a := w.answer(c.q, c.answer, c.more)
			if (c.env != "" || name == "a subagent") != a.refused() {
				t.Errorf("answer %+v", a)
			}
			if s := w.state(); s.Node != "approve" || s.Approval != nil || len(s.Asks) != 1 {
				t.Fatalf("it moved: node %s, approval %+v", s.Node, s.Approval)
			}
		})
	}
	w.t, w.environ = t, cleanEnviron()
	if w.answer(q, yes, nil); w.state().Node != "implement" {
		t.Error("the honest twin does not approve")
	}
}

func TestDecisionIsAnswered(t *testing.T) {
	w := at(t, "intake")
	w.must(w.engine().Do(t.Context(), "complete", agentBy(), func(d *decide.Draft) error { return d.Complete("intake", "blocked", "no access") }))
	options := w.state().Asks[0].Options
	if len(options) < 2 || len(options) > 4 {
		t.Fatalf("options %q", options)
	}
	q := w.ask()
	if len(q.Questions[0].Options) != len(options) || !strings.Contains(q.Questions[0].Question, "no access") {
		t.Fatalf("question %+v", q)
	}
	if a := w.answer(q, "do whatever you think is right", nil); a.Specific.Context == "" || len(w.state().Asks) != 1 {
		t.Errorf("free text: %+v", a)
	}
	w.answer(q, options[0], nil)
	if s := w.state(); s.Delivery.Status != state.Active || len(s.Asks) != 0 || s.Answers[0].Channel != "client" {
		t.Errorf("%s, asks %v, answers %v", s.Delivery.Status, s.Asks, s.Answers)
	}
}

func TestQuestionsThatStayTheModels(t *testing.T) {
	pre := func(w *world, more fields) answer {
		p := w.with("PreToolUse", fields{"tool_name": "AskUserQuestion", "tool_input": modelsQuestion("Which way?", "Left", "Right")})
		for k, v := range more {
			p[k] = v
		}
		return w.hook("pre-tool-use", p)
	}
	t.Run("no ask", func(t *testing.T) {
		if a := pre(at(t, "intake"), nil); !a.silent() {
			t.Errorf("%+v", a)
		}
	})
	t.Run("an ask without options", func(t *testing.T) {
		w := at(t, "intake")
		w.must(w.engine().Do(t.Context(), "ask", agentBy(), func(d *decide.Draft) error {
			_, err := d.Ask("decision", "which way?", "", nil)
			return err
		}))
		if a := pre(w, nil); !a.silent() {
			t.Errorf("%+v", a)
		}
	})
	t.Run("a subagent", func(t *testing.T) {
		if a := pre(at(t, "approve"), fields{"agent_id": "a1"}); !a.silent() {
			t.Errorf("%+v", a)
		}
	})
}

// TestOldestBlockingAsk opens an ask that blocks nothing here before the approval.
func TestOldestBlockingAsk(t *testing.T) {
	w := at(t, "approve")
	w.must(w.engine().DoFor(context.Background(), "reject", "test", evidence.By{Channel: "terminal"}, func(d *decide.Draft) error {
		return d.Reject("do it otherwise")
	}))
	w.must(w.engine().Do(t.Context(), "complete", agentBy(), func(d *decide.Draft) error { return d.Complete("plan", "blocked", "whom to ask?") }))
	if q := w.ask(); !strings.Contains(q.Questions[0].Question, "whom to ask?") || q.Questions[0].Header != "Decision" {
		t.Errorf("question %+v", q)
	}
}
