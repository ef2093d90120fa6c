package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// Bounds of what is taken out of a transcript. It is a file that anybody may have
// written: numbers and names of models are all that is read of it.
const (
	maxTranscript = 8 << 20 // bytes a call; the next call goes on
	maxTokens     = 1 << 30 // of one message
	maxModel      = 64      // bytes of a name
	maxUses       = 100     // pairs of node and model a call
)

// entry is a line of the client's transcript, as far as it counts. The client repeats
// a message, with its usage, in a line for each part of it.
type entry struct {
	Type    string    `json:"type"`
	At      time.Time `json:"timestamp"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *struct {
			Input      int64 `json:"input_tokens"`
			Output     int64 `json:"output_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// tokens returns what the message used, false where that is nothing that can be.
func (e entry) tokens() (state.Tokens, bool) {
	u := e.Message.Usage
	if e.Type != "assistant" || u == nil || e.Message.ID == "" || len(e.Message.ID) > 200 || e.Message.Model == "<synthetic>" {
		return state.Tokens{}, false
	}
	for _, n := range []int64{u.Input, u.Output, u.CacheRead, u.CacheWrite} {
		if n < 0 || n > maxTokens {
			return state.Tokens{}, false
		}
	}
	return state.Tokens{Messages: 1, Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}, true
}

// usage counts what models used since the last look, in the transcript of the session
// and in that of the agent that has ended. It is no evidence: what cannot be read is
// not counted, and nothing that goes wrong here changes the event's answer.
func (c *call) usage(ctx context.Context, d *delivery) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(c.stderr, "asterweave: tokens were not counted: %v\n", v)
		}
	}()
	if c.deps.agentShell() {
		return
	}
	err := c.readTranscript(ctx, d, c.p.Transcript, "")
	if c.p.AgentID != "" && c.p.AgentType != "" { // without a type it is a compaction
		err = errors.Join(err, c.readTranscript(ctx, d, c.p.AgentTranscript, c.p.AgentType))
	}
	if err != nil && problem.CodeOf(err) != problem.LockTimeout && !errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(c.stderr, "asterweave: tokens were not counted: %s\n", line(err.Error()))
	}
}

func (c *call) readTranscript(ctx context.Context, d *delivery, path, agentType string) error {
	if !filepath.IsAbs(path) || filepath.Ext(path) != ".jsonl" {
		return nil
	}
	name := canon.Hash([]byte(path))[:16]
	seen := d.state.Transcripts[name]
	text, err := tail(path, seen.Bytes)
	if err != nil || len(text) == 0 {
		return nil // a transcript that is not there has nothing to count
	}
	used := count(text, seen, d.state.NodeAt)
	used.Transcript, used.AgentType, used.From, used.To = name, line(clip(agentType, maxModel)), seen.Bytes, seen.Bytes+int64(len(text))
	wait := reviewWait
	if c.kebab == SessionEnd {
		wait = countWait // the client is on its way out
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return d.engine.Use(ctx, "hook "+c.kebab, c.by(), used)
}

// tail returns the whole lines of a file behind an offset. A line longer than what is
// read at once is passed over piece by piece.
func tail(path string, from int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() <= from {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, from, min(info.Size()-from, maxTranscript)))
	if err != nil {
		return nil, err
	}
	if end := bytes.LastIndexByte(text, '\n') + 1; end > 0 || len(text) < maxTranscript {
		text = text[:end]
	}
	return text, nil
}

// count adds up the messages in the lines of a transcript, each once, by the node at
// which the delivery was then. What was said before its start is not counted.
func count(text []byte, seen state.Transcript, nodeAt func(time.Time) (string, bool)) state.Used {
	type key struct{ node, model string }
	sums := map[key]state.Tokens{}
	var ids []string
	messages := map[string]struct {
		key    key
		tokens state.Tokens
	}{}
	for raw := range bytes.Lines(text) {
		if !bytes.Contains(raw, []byte(`"usage"`)) {
			continue
		}
		var e entry
		if json.Unmarshal(raw, &e) != nil {
			continue
		}
		t, ok := e.tokens()
		node, during := nodeAt(e.At)
		if !ok || !during {
			continue
		}
		m, known := messages[e.Message.ID]
		if !known {
			m.key = key{node, model(e.Message.Model)}
			ids = append(ids, e.Message.ID)
		}
		m.tokens = most(m.tokens, t)
		messages[e.Message.ID] = m
	}
	out := state.Used{Last: seen.Last}
	for _, id := range ids {
		m := messages[id]
		t := m.tokens
		if seen.Last != nil && seen.Last.ID == id {
			t = beyond(t, seen.Last.Tokens)
		}
		sum, known := sums[m.key]
		if !known && len(sums) >= maxUses {
			m.key.model = "(others)"
			sum = sums[m.key]
		}
		sum.Add(t)
		sums[m.key] = sum
		out.Last = &state.Message{ID: line(id), Tokens: m.tokens}
	}
	for k, t := range sums {
		out.Uses = append(out.Uses, state.Use{Node: k.node, Model: k.model, Tokens: t})
	}
	slices.SortFunc(out.Uses, func(a, b state.Use) int {
		return cmp.Or(strings.Compare(a.Node, b.Node), strings.Compare(a.Model, b.Model))
	})
	return out
}

// most returns the greater of each number: parts of a message that come early know
// less of it than later ones.
func most(a, b state.Tokens) state.Tokens {
	return state.Tokens{
		Messages: 1, Input: max(a.Input, b.Input), Output: max(a.Output, b.Output), CacheRead: max(a.CacheRead, b.CacheRead), CacheWrite: max(a.CacheWrite, b.CacheWrite),
	}
}

// beyond returns what t has more than what was counted of the same message.
func beyond(t, counted state.Tokens) state.Tokens {
	m := most(t, counted)
	return state.Tokens{Input: m.Input - counted.Input, Output: m.Output - counted.Output, CacheRead: m.CacheRead - counted.CacheRead, CacheWrite: m.CacheWrite - counted.CacheWrite}
}

// model is a model's name as far as it can be one.
func model(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:/@[]", r) {
			return r
		}
		return -1
	}, clip(name, maxModel))
	return cmp.Or(clean, "unknown")
}
