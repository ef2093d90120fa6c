//go:build e2e

package e2e

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/asterweave/asterweave/agents"
	"github.com/asterweave/asterweave/internal/client"
	"github.com/asterweave/asterweave/internal/messages"
)

// crew is the model in all conversations of a test: main plays what a session is for,
// agents do what they were told when they were sent.
type crew struct {
	*messages.Cast
	w    *world
	main []func(*worker) // of the sessions, in the order of their first turns

	project map[string]string // agents of the repository's own, and how their system prompts begin

	mu    sync.Mutex
	jobs  map[string]func(*worker) // by the name of the agent
	asked client.Question          // that the human saw last
}

// newCrew makes a world of a sample with a crew in it.
func newCrew(t *testing.T, from sample, main ...func(*worker)) *crew {
	t.Helper()
	c := &crew{main: main, jobs: map[string]func(*worker){}}
	c.Cast = messages.NewCast(
		func(v *messages.Conversation) { c.session(&worker{Conversation: v, w: c.w, crew: c}) },
		func(v *messages.Conversation) { c.agent(&worker{Conversation: v, w: c.w, crew: c}) },
	)
	t.Cleanup(c.Close)
	c.w = newWorld(t, from, c.Cast)
	return c
}

// session plays the next main; a session that nobody foresaw says nothing of use.
func (c *crew) session(m *worker) {
	c.mu.Lock()
	play := func(m *worker) { m.End("I was not expected.") }
	if len(c.main) > 0 {
		play, c.main = c.main[0], c.main[1:]
	}
	c.mu.Unlock()
	play(m)
}

// send says what the next agent of a name does. A client tells an agent by its system
// prompt alone, since the prompt that it is sent with may be replaced on the way.
func (c *crew) send(name string, job func(*worker)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs[name] = job
}

func (c *crew) agent(m *worker) {
	for name, first := range c.agents() {
		if !strings.Contains(m.Request().System, first) {
			continue
		}
		c.mu.Lock()
		job := c.jobs[name]
		c.mu.Unlock()
		if job == nil {
			m.fail("nobody sent the %s", name)
		}
		job(m)
		return
	}
	m.fail("an agent that is nobody's: %.300s", m.Request().System)
}

// agents returns how the system prompts of the agents begin, by their names.
func (c *crew) agents() map[string]string {
	all := maps.Clone(c.project)
	if all == nil {
		all = map[string]string{}
	}
	for _, name := range agents.Names() {
		body, _ := agents.Body(name)
		all[name], _, _ = strings.Cut(body, "\n")
	}
	return all
}

// copies returns a job that writes the files of an attempt over the work tree.
func (c *crew) copies(from string) func(*worker) {
	return func(m *worker) {
		m.copy(from)
		m.End("The files are as the task wants them.")
	}
}

// copy writes the files of an attempt over the work tree.
func (m *worker) copy(from string) {
	m.w.t.Helper()
	source := filepath.Join(m.w.sample.folder, from)
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			m.put(filepath.Join(m.w.root, rel), string(data))
		}
		return err
	})
	if err != nil {
		m.fail("%v", err)
	}
}

func (w *world) file(path string) (string, error) {
	data, err := os.ReadFile(path)
	return string(data), err
}
