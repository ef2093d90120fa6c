package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Time limits, for those that a test does not set.
const (
	sayWait  = 5 * time.Minute // a turn may be a whole delivery, on a machine that has more to do
	stopWait = 5 * time.Second
	exitWait = 20 * time.Second
)

// maxLine bounds a line of the client, in bytes.
const maxLine = 64 << 20

// Options is how a client is run. Paths are absolute.
type Options struct {
	Program string   // the client
	Network *Network // where the stand-in of the model is
	Dir     string   // the work tree
	Home    string   // thrown away after the test
	Plugins []string // folders
	Mode    string   // permission mode, "" is the client's default
	Args    []string // besides
	Set     []string // KEY=value besides
	Wait    time.Duration
}

// limit is how long a prompt may take.
func (o Options) limit() time.Duration {
	if o.Wait == 0 {
		return sayWait
	}
	return o.Wait
}

func (o Options) command(ctx context.Context, args ...string) *exec.Cmd {
	for _, p := range o.Plugins {
		args = append(args, "--plugin-dir", p)
	}
	if o.Mode != "" {
		args = append(args, "--permission-mode", o.Mode)
	}
	cmd := exec.CommandContext(ctx, o.Program, append(args, o.Args...)...)
	cmd.Dir, cmd.Env = o.Dir, environment(os.Environ(), o.Home, o.Network.URL(), o.Set)
	ownGroup(cmd)
	cmd.Cancel = func() error { return stop(cmd) }
	cmd.WaitDelay = stopWait
	return cmd
}

// Permission is a tool call that the client asks the human about.
type Permission struct {
	Tool   string          `json:"tool_name"`
	Input  json.RawMessage `json:"input"`
	Agent  string          `json:"agent_id"`
	Reason string          `json:"decision_reason"`
}

// Question is what the human is asked in a dialog, as they see it.
type Question struct {
	Text    string `json:"question"`
	Header  string `json:"header"`
	Options []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
	Multi bool `json:"multiSelect"`
}

// Session is a client that runs, and the human in front of it.
type Session struct {
	wait   time.Duration
	cmd    *exec.Cmd
	cancel context.CancelFunc
	stdin  io.WriteCloser
	stderr *tail
	ended  chan struct{} // the client has ended, and err is set
	err    error
	result chan Result

	mu         sync.Mutex
	events     Transcript
	permission func(Permission) error
	question   func(Question) string
	trouble    []error
}

// Start runs the client, with the human's side in the hands of the test. A context
// that ends, ends the client.
func Start(ctx context.Context, o Options) (*Session, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Session{
		wait: o.limit(), cancel: cancel, stderr: &tail{}, ended: make(chan struct{}), result: make(chan Result, 64),
		permission: func(Permission) error { return errors.New("the human does not allow it") },
		question:   func(Question) string { return "" },
	}
	s.cmd = o.command(ctx, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio")
	s.cmd.Stderr = s.stderr
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err == nil {
		err = o.Network.start(s.cmd)
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start the client: %w", err)
	}
	go func() {
		readErr := s.read(stdout)
		late := time.AfterFunc(exitWait, cancel) // it has closed its output and has nothing to do
		endGroup(s.cmd)
		s.err = errors.Join(readErr, s.cmd.Wait())
		late.Stop()
		close(s.ended)
	}()
	return s, nil
}

// OnPermission says how the human answers permission prompts: an error is a no, and
// its text the reason. Without it nothing is allowed.
func (s *Session) OnPermission(f func(Permission) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permission = f
}

// OnQuestion says which label the human chooses; "" dismisses the dialog, and another
// text is typed as their own answer.
func (s *Session) OnQuestion(f func(Question) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.question = f
}

// Say types a prompt or a slash command and returns how it ended.
func (s *Session) Say(ctx context.Context, text string) (Result, error) {
	for len(s.result) > 0 { // of turns that nobody typed, as those of background tasks
		<-s.result
	}
	err := s.write(map[string]any{
		"type": "user", "message": map[string]any{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": "",
	})
	if err != nil {
		return Result{}, s.explain(err)
	}
	limit := time.NewTimer(s.wait)
	defer limit.Stop()
	select {
	case r := <-s.result:
		return r, nil
	case <-s.ended:
		return Result{}, s.explain(errors.Join(errors.New("the client ended"), s.err))
	case <-limit.C:
		return Result{}, s.explain(fmt.Errorf("no answer to %q after %s", firstLine(text), s.wait))
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
}

// Interrupt stops the turn that is under way, as a human does who presses Esc; the Say
// that began it returns.
func (s *Session) Interrupt() error {
	return s.write(map[string]any{
		"type": "control_request", "request_id": "interrupt", "request": map[string]any{"subtype": "interrupt"},
	})
}

// Wait ends the session as a human who leaves, and waits for the client.
func (s *Session) Wait() error {
	closing := s.stdin.Close()
	if errors.Is(closing, os.ErrClosed) {
		closing = nil
	}
	late := false
	select {
	case <-s.ended:
	case <-time.After(exitWait):
		late = true
		s.cancel()
		<-s.ended
	}
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(closing, s.err, errors.Join(s.trouble...))
	if late {
		err = errors.Join(fmt.Errorf("the client did not end in %s", exitWait), err)
	}
	if err != nil {
		return s.explain(err)
	}
	return nil
}

// Stop ends the client at once; Wait still has to be called, by a test's cleanup say.
func (s *Session) Stop() { s.cancel() }

// Transcript returns what the client printed so far.
func (s *Session) Transcript() Transcript {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

func (s *Session) explain(err error) error {
	if text := s.stderr.String(); text != "" {
		return fmt.Errorf("%w; the client says: %s", err, text)
	}
	return err
}

func (s *Session) write(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.stdin.Write(append(data, '\n'))
	return err
}

// read takes the client's lines until it closes its output.
func (s *Session) read(r io.Reader) error {
	return eachLine(r, func(e Event) error {
		s.mu.Lock()
		s.events = append(s.events, e)
		s.mu.Unlock()
		switch e.Type {
		case "result":
			var res Result
			if err := json.Unmarshal(e.Raw, &res); err != nil {
				return err
			}
			select {
			case s.result <- res:
			default: // nobody has listened for long
			}
		case "control_request":
			go s.control(e) // a human who thinks does not hold up what the client prints
		}
		return nil
	})
}

// eachLine hands the JSON lines of a client on; others are passed over.
func eachLine(r io.Reader, take func(Event) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		e := Event{Raw: json.RawMessage(bytes.Clone(lines.Bytes()))}
		if json.Unmarshal(e.Raw, &e) != nil {
			continue
		}
		if err := take(e); err != nil {
			return err
		}
	}
	return lines.Err()
}

// control answers a request of the client for the human.
func (s *Session) control(e Event) {
	var req struct {
		ID      string `json:"request_id"`
		Request struct {
			Subtype string `json:"subtype"`
			Permission
		} `json:"request"`
	}
	err := json.Unmarshal(e.Raw, &req)
	if err == nil && req.Request.Subtype != "can_use_tool" {
		err = fmt.Errorf("the client asks for %q, which nobody here knows", req.Request.Subtype)
	}
	var answer map[string]any
	if err == nil {
		answer, err = s.decide(req.Request.Permission)
	}
	response := map[string]any{"subtype": "success", "request_id": req.ID, "response": answer}
	if err != nil {
		response = map[string]any{"subtype": "error", "request_id": req.ID, "error": err.Error()}
	}
	if err = errors.Join(err, s.write(map[string]any{"type": "control_response", "response": response})); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trouble = append(s.trouble, err)
	}
}

const askTool = "AskUserQuestion"

func (s *Session) decide(p Permission) (map[string]any, error) {
	s.mu.Lock()
	permission, question := s.permission, s.question
	s.mu.Unlock()
	if p.Tool == askTool {
		return choose(p.Input, question)
	}
	if no := permission(p); no != nil {
		return map[string]any{"behavior": "deny", "message": no.Error()}, nil //nolint:nilerr // a human's no is an answer
	}
	return map[string]any{"behavior": "allow", "updatedInput": p.Input}, nil
}

// choose answers the questions of a dialog. The client keys answers by the text of
// the question.
func choose(input json.RawMessage, question func(Question) string) (map[string]any, error) {
	var asked struct {
		Questions []Question `json:"questions"`
	}
	var updated map[string]any
	if err := errors.Join(json.Unmarshal(input, &asked), json.Unmarshal(input, &updated)); err != nil {
		return nil, err
	}
	answers := map[string]string{}
	for _, q := range asked.Questions {
		label := question(q)
		if label == "" {
			return map[string]any{"behavior": "deny", "message": "The user dismissed the question"}, nil
		}
		answers[q.Text] = label
	}
	updated["answers"] = answers
	return map[string]any{"behavior": "allow", "updatedInput": updated}, nil
}

// tail keeps the last bytes that were written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailBytes = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "�"))
}
