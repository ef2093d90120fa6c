//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/follow"
)

// What an agent is told, which is what any agent knows: its program, the service, and
// where it is to stop. Of the delivery it knows what next says.
const (
	agentProgram = "KILLED_AGENT_PROGRAM"
	agentService = "KILLED_AGENT_SERVICE" // where its provider client writes
	agentNode    = "KILLED_AGENT_NODE"
	agentItem    = "KILLED_AGENT_ITEM" // what the pull request's text has to name
)

// How an agent ends.
const (
	agentLeft  = 10 // the node is behind
	agentWaits = 11 // a person has to confirm something
)

// beAgent is the whole of an agent's process.
func beAgent() int {
	a := &agent{word: bufio.NewReader(os.Stdin)}
	for range 40 {
		status, err := a.turn()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if status != 0 {
			return status
		}
	}
	fmt.Fprintln(os.Stderr, "it does not end")
	return 1
}

// agent follows next. It says what it is about to do, and does it when it is told to go on.
type agent struct{ word *bufio.Reader }

// step waits between two steps, where it may be the last that this agent does.
func (a *agent) step(name string) error {
	fmt.Println("step " + name)
	_, err := a.word.ReadString('\n')
	return err
}

func (a *agent) run(stdin string, program string, args ...string) ([]byte, int, error) {
	if err := a.step(strings.Join(append([]string{program[strings.LastIndexByte(program, '/')+1:]}, args...), " ")); err != nil {
		return nil, 0, err
	}
	return a.exec(stdin, program, args...)
}

func (a *agent) exec(stdin string, program string, args ...string) ([]byte, int, error) {
	c := exec.Command(program, args...)
	c.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "KILLED_AGENT_") })
	c.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(out) > 0 {
		return out, exit.ExitCode(), nil
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, stderr.String())
	}
	return out, 0, err
}

// state calls asterweave-state, which has to succeed.
func (a *agent) state(stdin string, args ...string) error {
	out, status, err := a.run(stdin, os.Getenv(agentProgram), append([]string{"--json"}, args...)...)
	if err == nil && status != 0 {
		err = fmt.Errorf("%s: status %d: %s", strings.Join(args, " "), status, out)
	}
	return err
}

// seen is what a read answers.
type seen struct {
	Evidence struct {
		Result evidence.Result `json:"result"`
		URL    string          `json:"url"`
	} `json:"evidence"`
	Due []struct {
		ID      string   `json:"id"`
		Missing []string `json:"missing"`
	} `json:"due"`
}

func (a *agent) read(what string) (seen, error) {
	var s seen
	out, _, err := a.run("", os.Getenv(agentProgram), "--json", "read", what)
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err == nil && s.Evidence.Result == "" {
		err = fmt.Errorf("read %s: %s", what, out)
	}
	return s, err
}

// write is a provider's own client: one request, which is sent once.
func (a *agent) write(what string, fields map[string]string) error {
	if err := a.step("write " + what); err != nil {
		return err
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(os.Getenv(agentService)+"/"+what, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %s, %w", what, resp.Status, answer, err)
	}
	return a.step("heard " + what)
}

func text(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

// turn asks next and does what it says.
func (a *agent) turn() (status int, err error) {
	out, _, err := a.exec("", os.Getenv(agentProgram), "--json", "next")
	if err != nil {
		return 0, err
	}
	var next struct {
		Next struct {
			Node   string `json:"node"`
			Prompt string `json:"prompt"`
		} `json:"next"`
	}
	if err := json.Unmarshal(out, &next); err != nil {
		return 0, err
	}
	node := os.Getenv(agentNode)
	if next.Next.Node != node {
		return agentLeft, nil
	}
	s, err := follow.Read(next.Next.Prompt)
	if err != nil {
		return 0, err
	}
	switch s.Kind {
	case follow.Complete:
		return 0, a.state("", "complete", node, "pass")
	case follow.Confirm:
		return agentWaits, nil
	case follow.LookForPull:
		_, err = a.read("pr")
	case follow.AnnouncePull:
		err = a.state("Add adds.\n\nCloses "+os.Getenv(agentItem)+"\n", "intend", "pr", "--title", `Add "adds"`, "--body", "-")
	case follow.WritePull:
		err = a.writePull(s)
	case follow.ReadComments:
		_, err = a.read("comments")
	case follow.Triage:
		var items []any
		for _, id := range s.Comments {
			items = append(items, obj{"id": id, "class": "informational", "because": "a question"})
		}
		err = a.state(js(obj{"version": 1, "items": items}), "triage", "put", "-")
	case follow.AnnounceWord:
		err = a.state("Because it is  \n\nso: 1 < 2 & more\n", "intend", "reply", "--thread", s.Target, "--body", "-")
	case follow.WriteReplies:
		err = a.writeReplies(s)
	case follow.AnnounceItem:
		var r seen
		if r, err = a.read("work-item"); err == nil && r.Evidence.Result != evidence.Pass {
			err = a.state("It is in:\n1 &lt; 2\n", "intend", "work-item", "--state", s.Target, "--comment", "-")
		}
	case follow.WriteItem:
		err = a.writeItem(s.Writes[0])
	case follow.ReadItem:
		_, err = a.read("work-item")
	}
	return 0, err
}

func (a *agent) writePull(s follow.Step) error {
	r, err := a.read("pr")
	if err != nil || r.Evidence.Result == evidence.Pass {
		return err
	}
	if err := a.state("", "export", "--note"); err != nil {
		return err
	}
	if out, _, err := a.run("", "git", "push", "--quiet", s.Remote, s.Pull.Branch, s.Notes); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if r.Evidence.Result == evidence.Fail && r.Evidence.URL == "" {
		body, err := text(s.Pull.Text)
		if err == nil {
			err = a.write("pull", map[string]string{"branch": s.Pull.Branch, "base": s.Pull.Base, "title": s.Pull.Title, "text": body})
		}
		if err != nil {
			return err
		}
	}
	_, err = a.read("pr")
	return err
}

func (a *agent) writeReplies(s follow.Step) error {
	r, err := a.read("comments")
	if err != nil {
		return err
	}
	for _, w := range s.Writes {
		for _, due := range r.Due {
			if due.ID != w.ID || r.Evidence.Result == evidence.Unknown {
				continue
			}
			body, err := text(w.Text)
			if err == nil {
				err = a.write("reply", map[string]string{"target": w.Target, "text": body})
			}
			if err != nil {
				return err
			}
		}
	}
	_, err = a.read("comments")
	return err
}

// writeItem writes what is missing: in one request where the service takes both parts in
// one, else the comment first, as gh does.
func (a *agent) writeItem(w follow.Write) error {
	r, err := a.read("work-item")
	if err != nil {
		return err
	}
	for _, due := range r.Due {
		if due.ID != w.ID || r.Evidence.Result == evidence.Unknown {
			continue
		}
		fields := map[string]string{}
		if slices.Contains(due.Missing, "state") {
			fields["state"] = w.Target
		}
		if slices.Contains(due.Missing, "comment") {
			if fields["text"], err = text(w.Text); err != nil {
				return err
			}
		}
		if strings.HasSuffix(os.Getenv(agentService), "/whole") {
			err = a.write("item", fields)
		} else {
			for _, part := range []struct{ what, field string }{{"comment", "text"}, {"state", "state"}} {
				if fields[part.field] != "" && err == nil {
					err = a.write(part.what, map[string]string{part.field: fields[part.field]})
				}
			}
		}
		if err != nil {
			return err
		}
	}
	_, err = a.read("work-item")
	return err
}
