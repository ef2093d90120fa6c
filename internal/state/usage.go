package state

import (
	"strings"
	"time"
)

// What a delivery cost: calls of tools, time and tokens, by node and agent. It is
// observed and no evidence; nothing that moves a delivery reads it.

// Bounds of what is counted apart. What exceeds them is counted together.
const (
	keptUses        = 400
	keptModels      = 12
	keptTranscripts = 300
	keptVisits      = 80
)

// others stands for agents and models that are not counted apart.
const others = "(others)"

// ToolUse counts what an agent did in a node.
type ToolUse struct {
	Calls      int               `json:"calls"`
	Failed     int               `json:"failed,omitempty"`
	Reads      int               `json:"reads,omitempty"` // files opened with Read, each call counted
	DurationMs int64             `json:"durationMs"`
	Models     map[string]Tokens `json:"models,omitempty"`
}

// Tokens are those that a model was given and gave.
type Tokens struct {
	Messages   int64 `json:"messages"`
	Input      int64 `json:"input"` // not from the cache
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
}

// Add adds what another message used.
func (t *Tokens) Add(o Tokens) {
	t.Messages += o.Messages
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
}

// Used is what a transcript of the harness says about models, from the byte up to
// which it was read before. It counts once: a reading that began elsewhere is none.
type Used struct {
	Transcript string   `json:"transcript"` // names it
	AgentType  string   `json:"agentType,omitempty"`
	From       int64    `json:"from"` // bytes
	To         int64    `json:"to"`
	Last       *Message `json:"last,omitempty"`
	Uses       []Use    `json:"uses,omitempty"`
}

// Use is what one model used in one node.
type Use struct {
	Node   string `json:"node"`
	Model  string `json:"model"`
	Tokens Tokens `json:"tokens"`
}

// Message is the last message that was counted. A transcript may go on with it, since
// it repeats a message's usage with each part of it.
type Message struct {
	ID     string `json:"id"`
	Tokens Tokens `json:"tokens"`
}

// Transcript is how far a transcript has been read.
type Transcript struct {
	Bytes int64    `json:"bytes"`
	Last  *Message `json:"last,omitempty"`
}

// Visit says since when the delivery has been at a node.
type Visit struct {
	Node string    `json:"node"`
	At   time.Time `json:"at"`
}

// NodeAt returns the node at which the delivery was at a time, false when the time is
// before its start.
func (s *State) NodeAt(t time.Time) (string, bool) {
	for i := len(s.Visits) - 1; i >= 0; i-- {
		if !s.Visits[i].At.After(t) {
			return s.Visits[i].Node, true
		}
	}
	return "", false
}

// visit notes that the delivery is at another node than before.
func (s *State) visit(at time.Time) {
	if n := len(s.Visits); s.Node != "" && (n == 0 || s.Visits[n-1].Node != s.Node) {
		s.Visits = last(append(s.Visits, Visit{Node: s.Node, At: at}), keptVisits)
	}
}

func (s *State) counted(c Tool) {
	s.use(s.Node, c.AgentType, func(u *ToolUse) {
		u.Calls++
		u.DurationMs += c.DurationMs
		if c.Failed {
			u.Failed++
		}
		if c.Read {
			u.Reads++
		}
	})
}

func (s *State) used(c Used) {
	t, known := s.Transcripts[c.Transcript]
	if t.Bytes != c.From || !known && len(s.Transcripts) >= keptTranscripts {
		return
	}
	s.Transcripts[c.Transcript] = Transcript{Bytes: c.To, Last: c.Last}
	for _, one := range c.Uses {
		s.use(one.Node, c.AgentType, func(u *ToolUse) {
			if u.Models == nil {
				u.Models = map[string]Tokens{}
			}
			model := one.Model
			if _, known := u.Models[model]; !known && len(u.Models) >= keptModels {
				model = others
			}
			sum := u.Models[model]
			sum.Add(one.Tokens)
			u.Models[model] = sum
		})
	}
}

// use changes what is counted of an agent in a node.
func (s *State) use(node, agent string, change func(*ToolUse)) {
	key := node + "/" + agent
	if _, known := s.Tools[key]; !known && len(s.Tools) >= keptUses {
		key = node + "/" + others
	}
	u := s.Tools[key]
	change(&u)
	s.Tools[key] = u
}

// UseKey takes a key of Tools apart. The main conversation is no agent.
func UseKey(key string) (node, agent string) {
	node, agent, _ = strings.Cut(key, "/")
	return node, agent
}
