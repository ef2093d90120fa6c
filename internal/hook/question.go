package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/state"
)

// toolQuestion is the client's tool that puts a question to the human.
const toolQuestion = "AskUserQuestion"

// questions is the input of that tool.
type questions struct {
	Questions []question `json:"questions"`
}

type question struct {
	Question string   `json:"question"`
	Header   string   `json:"header"` // at most 12 characters
	Options  []option `json:"options"`
	Multi    bool     `json:"multiSelect"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// The client takes between two and four options.
const minOptions, maxOptions = 2, 4

const optionReject = "Reject"

func optionApprove(a state.Ask) string { return "Approve " + short(a.Digest) }

// preTool lets the guard judge a tool call, and gives agents that open a gate their
// prompt. A question to the human gets the binary's
// own text and options in place of the model's, while an ask is open that a human could
// answer there.
func (c *call) preTool(ctx context.Context) (reply, error) {
	d, err := c.delivery()
	if err != nil {
		return reply{}, err
	}
	if d == nil {
		return c.afterwards(), nil
	}
	if c.p.Tool != toolQuestion || c.p.AgentID != "" {
		r, err := c.peeked(d)
		if err != nil || r.Specific != nil {
			return r, err
		}
		r, err = c.judged(d)
		if err != nil || r.Specific != nil {
			return r, err
		}
		switch c.p.Tool {
		case "Agent", "Task": // its name of now, and of before
			return c.delegated(ctx, d)
		case "SendMessage":
			return c.told(d), nil
		}
		return reply{}, nil
	}
	q, ok := due(d.state)
	if !ok {
		return reply{}, nil
	}
	return reply{Specific: &specific{Event: c.event, UpdatedInput: questions{[]question{q}}}}, nil
}

// due returns the question of the oldest ask that blocks where the delivery is,
// else of the oldest one; asks that the tool cannot show are passed over.
func due(s *state.State) (question, bool) {
	var first *question
	for _, a := range s.Asks {
		q, ok := ownQuestion(a)
		if !ok {
			continue
		}
		if s.Delivery.PausedBy == a.ID || slices.Contains(a.Blocks, s.Node) {
			return q, true
		}
		if first == nil {
			first = &q
		}
	}
	if first == nil {
		return question{}, false
	}
	return *first, true
}

// ownQuestion returns the binary's own text and options of an ask. They are the
// same as long as the ask is, so that an answer to anything else is seen.
func ownQuestion(a state.Ask) (question, bool) {
	switch {
	case a.Digest != "" && (a.Kind == state.AskApproval || a.Kind == state.AskConfirmation):
		q := question{Header: "Approval", Options: []option{
			{optionApprove(a), "this, as it is named by the digest, and nothing else"},
			{optionReject, "nothing is recorded until /asterweave:reject says why"},
		}}
		shown := "asterweave-state plan show prints the plan that is approved"
		if a.Kind == state.AskConfirmation {
			q.Header, shown = "Confirmation", "nothing leaves the machine before this is confirmed"
		}
		q.Question = text(a) + "\n" + shown + "\ndigest " + a.Digest
		return q, true
	case a.Kind == state.AskDecision && len(a.Options) >= minOptions && len(a.Options) <= maxOptions:
		q := question{Question: text(a), Header: "Decision"}
		for _, o := range a.Options {
			q.Options = append(q.Options, option{o, "answers " + a.ID + " with: " + o})
		}
		return q, true
	}
	return question{}, false
}

// text shows an ask. The words of others are kept from looking like a line of ours.
func text(a state.Ask) string {
	out := fmt.Sprintf("%s: %s", a.ID, line(a.Question))
	if a.About != "" {
		out += "\n> " + strings.ReplaceAll(clip(visible(strings.TrimSpace(a.About)), maxAbout), "\n", "\n> ")
	}
	return out
}

// answered takes a human's answer to the binary's own question; answers to other
// questions, or to asks that are not open any more, are none.
func (c *call) answered(ctx context.Context, d *delivery) (reply, error) {
	a, answer, ok := c.answerTo(d.state)
	if !ok {
		return reply{}, nil
	}
	if err := c.unheard(); err != nil {
		return reply{}, err
	}
	verb, say := verbReply, func(w *decide.Draft) error { return w.Reply(a.ID, answer) }
	if a.Digest != "" {
		if answer != optionApprove(a) {
			return c.context(fmt.Sprintf("The human did not approve %s. Nothing is recorded: they say why with /asterweave:reject REASON. End your turn.", a.ID)), nil
		}
		verb, say = verbApprove, func(w *decide.Draft) error { return w.Approve(a.Digest) }
	} else if !slices.Contains(a.Options, answer) {
		return c.context(fmt.Sprintf("That is none of the answers to %s, and nothing is recorded. End your turn.", a.ID)), nil
	}
	draft, err := d.engine.DoFor(ctx, verb, causeAnswer, c.human(), say)
	if err != nil {
		return reply{}, err
	}
	return c.next(ctx, d, draft, fmt.Sprintf("The human's answer to %s is recorded.", a.ID))
}

// answerTo returns the open ask that was put in the binary's own words, and its
// answer. The whole question has to be the binary's, its options too: a hook that
// did not run leaves the model's own.
func (c *call) answerTo(s *state.State) (state.Ask, string, bool) {
	var asked struct {
		questions
		Answers map[string]string `json:"answers"`
	}
	if json.Unmarshal(c.p.ToolResponse, &asked) != nil || len(asked.Questions) != 1 || len(asked.Answers) != 1 {
		return state.Ask{}, "", false
	}
	for _, a := range s.Asks {
		q, ok := ownQuestion(a)
		if !ok || !same(q, asked.Questions[0]) {
			continue
		}
		answer, ok := asked.Answers[q.Question]
		return a, answer, ok
	}
	return state.Ask{}, "", false
}

func same(a, b question) bool {
	return a.Question == b.Question && a.Header == b.Header && a.Multi == b.Multi && slices.Equal(a.Options, b.Options)
}
