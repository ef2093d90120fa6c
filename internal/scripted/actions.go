package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// action is what a step does.
type action interface {
	title() string // in a few words, for progress and errors
	play(ctx context.Context, p *Player) (outcome, error)
}

// newAction returns an empty action of the named type, or nil.
func newAction(do string) action {
	switch do {
	case "session":
		return &Session{}
	case "human":
		return &Human{}
	case "next":
		return &Next{}
	case "enter":
		return &Enter{}
	case "complete":
		return &Complete{}
	case "submit":
		return &Submit{}
	case "put":
		return &Put{}
	case "run":
		return &Run{}
	case "record":
		return &Record{}
	case "judge":
		return &Judge{}
	case "ask":
		return &Ask{}
	case "intend":
		return &Intend{}
	case "read":
		return &ReadBack{}
	case "state":
		return &State{}
	case "copy":
		return &Copy{}
	case "git":
		return &Git{}
	case "review":
		return &Review{}
	case "forge":
		return &AtForge{}
	}
	return nil
}

// Session is the start of the harness's session.
type Session struct {
	head
	Source string `json:"source"` // startup, resume, clear, compact
}

func (a *Session) title() string { return "session " + a.Source }

func (a *Session) play(ctx context.Context, p *Player) (outcome, error) {
	return outcome{}, p.sessionStart(ctx, a.Source)
}

// Human is a slash command that a person types: /asterweave GOAL,
// /asterweave:approve D, /asterweave:reply A1 TEXT, and so on.
type Human struct {
	head
	Say string `json:"say"`
}

func (a *Human) title() string {
	name, _, _ := strings.Cut(a.Say, " ")
	return "human " + name
}

func (a *Human) play(ctx context.Context, p *Player) (outcome, error) {
	name, args, _ := strings.Cut(a.Say, " ")
	name, ok := strings.CutPrefix(name, "/asterweave")
	if !ok || name != "" && name[0] != ':' {
		return outcome{}, fmt.Errorf("%q is no command of asterweave", a.Say)
	}
	verb := strings.TrimPrefix(name, ":")
	if verb == "" {
		verb = "asterweave" // the client gives the full name, however it was typed
	}
	if err := p.typed(ctx, "asterweave:"+verb, strings.TrimSpace(args)); err != nil {
		return outcome{}, err
	}
	switch verb {
	case "approve", "reject", "reply":
		p.words++
	}
	_, err := p.status(ctx)
	return outcome{}, err
}

// Next asks what to do now, or for a delegation.
type Next struct {
	head
	Agent string `json:"agent,omitempty"`
}

func (a *Next) title() string { return strings.TrimSpace("next " + a.Agent) }

func (a *Next) play(ctx context.Context, p *Player) (outcome, error) {
	if a.Agent != "" {
		return outcome{}, p.delegation(ctx, a.Agent)
	}
	_, out, err := p.call(ctx, nil, "next")
	return out, err
}

// Enter begins an attempt.
type Enter struct {
	head
	Node       string `json:"node"`
	Hypothesis string `json:"hypothesis,omitempty"`
}

func (a *Enter) title() string { return "enter " + a.Node }

func (a *Enter) play(ctx context.Context, p *Player) (outcome, error) {
	_, out, err := p.call(ctx, nil, flags([]string{"enter", a.Node}, "--hypothesis", a.Hypothesis)...)
	return out, err
}

// Complete ends an attempt.
type Complete struct {
	head
	Node    string `json:"node"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

func (a *Complete) title() string { return "complete " + a.Node + " " + a.Outcome }

func (a *Complete) play(ctx context.Context, p *Player) (outcome, error) {
	_, out, err := p.call(ctx, nil, flags([]string{"complete", a.Node, a.Outcome}, "--reason", a.Reason)...)
	return out, err
}

// Submit hands in one structured result for a node.
type Submit struct {
	head
	Node string          `json:"node"`
	Body json.RawMessage `json:"body"`
}

func (a *Submit) title() string { return "submit " + a.Node }

func (a *Submit) play(ctx context.Context, p *Player) (outcome, error) {
	_, out, err := p.call(ctx, a.Body, "submit", a.Node, "-")
	return out, err
}

// Put stores a document.
type Put struct {
	head
	Document string          `json:"document"` // spec, plan, manifest
	Body     json.RawMessage `json:"body"`
}

func (a *Put) title() string { return a.Document + " put" }

func (a *Put) play(ctx context.Context, p *Player) (outcome, error) {
	_, out, err := p.call(ctx, a.Body, a.Document, "put", "-")
	return out, err
}

// Run runs a gate, the baseline, or any command as a note.
type Run struct {
	head
	Gate string   `json:"gate,omitempty"`
	At   string   `json:"at,omitempty"`   // base
	Kind string   `json:"kind,omitempty"` // baseline
	Argv []string `json:"argv,omitempty"`
}

func (a *Run) title() string {
	title := strings.Join(append([]string{"run", a.Gate + a.Kind}, a.Argv...), " ")
	if a.At != "" {
		title += " at " + a.At
	}
	return title
}

func (a *Run) play(ctx context.Context, p *Player) (outcome, error) {
	args := flags([]string{"run"}, "--gate", a.Gate, "--at", a.At, "--kind", a.Kind)
	if len(a.Argv) > 0 {
		args = append(append(args, "--"), a.Argv...)
	}
	_, out, err := p.call(ctx, nil, args...)
	return out, err
}

// Record takes evidence that somebody states.
type Record struct {
	head
	Kind     string   `json:"kind"`
	Result   string   `json:"result"`
	Summary  string   `json:"summary"`
	Path     string   `json:"path,omitempty"`
	Criteria []string `json:"criteria,omitempty"`
	Because  string   `json:"because,omitempty"`
	Instead  string   `json:"instead,omitempty"`
}

func (a *Record) title() string { return "record " + a.Kind + " " + a.Result }

func (a *Record) play(ctx context.Context, p *Player) (outcome, error) {
	args := flags([]string{"record", "--kind", a.Kind, "--result", a.Result, "--summary", a.Summary},
		"--path", a.Path, "--because", a.Because, "--instead", a.Instead)
	for _, c := range a.Criteria {
		args = append(args, "--criterion", c)
	}
	_, out, err := p.call(ctx, nil, args...)
	return out, err
}

// Judge gives a criterion its verdict.
type Judge struct {
	head
	Criterion string   `json:"criterion"`
	Verdict   string   `json:"verdict"`
	Expected  string   `json:"expected"`
	Evidence  []string `json:"evidence"`
}

func (a *Judge) title() string { return "judge " + a.Criterion + " " + a.Verdict }

func (a *Judge) play(ctx context.Context, p *Player) (outcome, error) {
	args := []string{"spec", "judge", a.Criterion, "--verdict", a.Verdict, "--expected", a.Expected}
	for _, id := range a.Evidence {
		args = append(args, "--evidence", id)
	}
	_, out, err := p.call(ctx, nil, args...)
	return out, err
}

// Ask opens a question that only a person can answer.
type Ask struct {
	head
	Kind     string   `json:"kind"` // decision, credential
	Question string   `json:"question"`
	Tried    string   `json:"tried,omitempty"`
	Blocks   []string `json:"blocks,omitempty"`
}

func (a *Ask) title() string { return "ask " + a.Kind }

func (a *Ask) play(ctx context.Context, p *Player) (outcome, error) {
	args := flags([]string{"ask", "--kind", a.Kind, "--question", a.Question}, "--tried", a.Tried)
	for _, b := range a.Blocks {
		args = append(args, "--blocks", b)
	}
	_, out, err := p.call(ctx, nil, args...)
	return out, err
}

// Intend announces a write that leaves the machine.
type Intend struct {
	head
	What    string `json:"what"` // pr, reply, work-item
	Title   string `json:"title,omitempty"`
	Body    string `json:"body,omitempty"` // file of pr and reply
	Draft   bool   `json:"draft,omitempty"`
	Thread  string `json:"thread,omitempty"`
	State   string `json:"state,omitempty"`
	Comment string `json:"comment,omitempty"` // file of work-item
	Text    string `json:"text,omitempty"`    // what the file "-" holds
}

func (a *Intend) title() string { return "intend " + a.What }

func (a *Intend) play(ctx context.Context, p *Player) (outcome, error) {
	args := flags([]string{"intend", a.What}, "--title", a.Title, "--body", a.Body, "--thread", a.Thread, "--state", a.State, "--comment", a.Comment)
	if a.Draft {
		args = append(args, "--draft")
	}
	_, out, err := p.call(ctx, []byte(a.Text), args...)
	return out, err
}

// ReadBack reads the provider back.
type ReadBack struct {
	head
	What string `json:"what"` // pr, checks, comments, work-item
}

func (a *ReadBack) title() string { return "read " + a.What }

func (a *ReadBack) play(ctx context.Context, p *Player) (outcome, error) {
	_, out, err := p.call(ctx, nil, "read", a.What)
	return out, err
}

// State is any other call of asterweave-state. Save keeps what it prints in a file
// of the scratch folder, with Append behind it.
type State struct {
	head
	Args   []string `json:"args"`
	Save   string   `json:"save,omitempty"`
	Append string   `json:"append,omitempty"`
}

func (a *State) title() string { return strings.Join(a.Args, " ") }

func (a *State) play(ctx context.Context, p *Player) (outcome, error) {
	if a.Save == "" {
		_, out, err := p.call(ctx, nil, a.Args...)
		return out, err
	}
	if !filepath.IsLocal(a.Save) {
		return outcome{}, fmt.Errorf("%q does not lie in the scratch folder", a.Save)
	}
	out, err := p.shell(ctx, nil, a.Args...)
	if err != nil {
		return outcome{}, err
	}
	if out.exit != 0 {
		return outcome{}, out.failure("it failed")
	}
	if err := os.WriteFile(filepath.Join(p.o.Scratch, a.Save), append(out.stdout, a.Append...), 0o600); err != nil {
		return outcome{}, err
	}
	return outcome{}, nil
}

// flags appends the flags that have a value to args.
func flags(args []string, pairs ...string) []string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			args = append(args, pairs[i], pairs[i+1])
		}
	}
	return args
}
