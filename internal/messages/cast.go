package messages

import (
	"runtime"
	"sync"
)

// Cast is a model whose conversations are functions. A function is called once, at
// the first turn of its conversation, and gets the client's answers as it goes on:
//
//	func(c *messages.Conversation) {
//		out := c.Use(messages.ToolUse{Name: "Bash", Input: map[string]any{"command": "ls"}})
//		c.Say("There is " + out[0].Text) // goes on when the human says something
//	}
//
// A request that a client sends again after a broken answer is a turn like others;
// faults that are laid into the server never reach the cast.
type Cast struct {
	main  func(*Conversation)
	agent func(*Conversation)

	mu      sync.Mutex
	playing map[string]*Conversation
	done    chan struct{}
}

// NewCast returns a model: main plays the conversation of each session, agent those
// of subagents.
func NewCast(main, agent func(*Conversation)) *Cast {
	return &Cast{main: main, agent: agent, playing: map[string]*Conversation{}, done: make(chan struct{})}
}

// Close ends the functions that wait for a turn that does not come.
func (c *Cast) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
	default:
		close(c.done)
	}
}

// Turn implements [Model]. A conversation whose function has ended says that there
// is nothing to do.
func (c *Cast) Turn(r Request) Reply {
	v := c.conversation(r)
	v.turn.Lock()
	defer v.turn.Unlock()
	over := Reply{Text: "I have nothing more to do."}
	select {
	case v.requests <- r:
	case <-v.ended:
		return over
	}
	select {
	case reply := <-v.replies:
		return reply
	case <-v.ended:
		return over
	}
}

func (c *Cast) conversation(r Request) *Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := r.Session + "/" + r.Agent
	if v := c.playing[key]; v != nil {
		return v
	}
	v := &Conversation{
		requests: make(chan Request), replies: make(chan Reply), ended: make(chan struct{}), done: c.done,
	}
	c.playing[key] = v
	play := c.main
	if r.Agent != "" {
		play = c.agent
	}
	go func() {
		defer close(v.ended) // a function may end by runtime.Goexit, as tests do
		v.wait()
		if play != nil {
			play(v)
		}
	}()
	return v
}

// Conversation is one conversation, as the function sees it that plays it.
type Conversation struct {
	turn     sync.Mutex
	requests chan Request
	replies  chan Reply
	ended    chan struct{}
	done     <-chan struct{}
	now      Request
}

func (v *Conversation) wait() {
	select {
	case v.now = <-v.requests:
	case <-v.done:
		runtime.Goexit()
	}
}

// Request returns what the client sent last.
func (v *Conversation) Request() Request { return v.now }

// Reply answers and waits for the next request of the conversation.
func (v *Conversation) Reply(r Reply) Request {
	select {
	case v.replies <- r:
	case <-v.done:
		runtime.Goexit()
	}
	v.wait()
	return v.now
}

// Say ends the turn with a text and returns the next prompt.
func (v *Conversation) Say(text string) Request { return v.Reply(Reply{Text: text}) }

// End says the last words of a conversation; the function does not go on.
func (v *Conversation) End(text string) {
	select {
	case v.replies <- Reply{Text: text}:
	case <-v.done:
	}
	runtime.Goexit()
}

// Use uses tools, several of them side by side, and returns what came of each, in
// their order. A result that is not in the next request, since the conversation was
// compacted, is empty.
func (v *Conversation) Use(uses ...ToolUse) []ToolResult {
	for i := range uses {
		uses[i].ID = newID("toolu_")
	}
	next := v.Reply(Reply{Uses: uses})
	results := make([]ToolResult, len(uses))
	for i, u := range uses {
		results[i], _ = next.Result(u.ID)
	}
	return results
}
