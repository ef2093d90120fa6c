package hook

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/canon"
)

// How long a look waits for the first line of an agent's transcript, which the client
// writes when the agent starts, and how much of it is read.
const (
	transcriptWait = 2 * time.Second
	transcriptStep = 50 * time.Millisecond
	maxFirst       = 1 << 20 // bytes
)

// dictated returns why the agent's verdict is not worth anything, "" when it was started
// with the binary's own words: an agent can be started by other ways than the one that is
// judged before (a skill that forks, a script of agents), with anybody's words.
func (c *call) dictated(d *delivery) string {
	name := role(c.p.AgentType)
	if file := c.impostor(d.root, name); file != "" {
		return impostorText(file, name)
	}
	given, ok := c.firstWords()
	switch {
	case !ok:
		return "what the reviewer was told cannot be read in its transcript"
	case !slices.Contains(d.state.Prompts[name], canon.Hash([]byte(given))):
		return "the reviewer was told something else than asterweave-state next --agent " + name + " says"
	}
	return ""
}

// firstWords returns the first message that the agent got.
func (c *call) firstWords() (string, bool) {
	path := c.p.AgentTranscript
	if !filepath.IsAbs(path) || filepath.Ext(path) != ".jsonl" {
		return "", false
	}
	for waited := time.Duration(0); ; waited += transcriptStep {
		if text, ok := firstMessage(path); ok || waited >= transcriptWait {
			return text, ok
		}
		time.Sleep(transcriptStep)
	}
}

// firstMessage reads the first line of a transcript that is a message. When it is not
// one that somebody said to the agent, there is none.
func firstMessage(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFirst))
	if err != nil {
		return "", false
	}
	for l := range bytes.Lines(text) {
		var e struct {
			Type    string `json:"type"`
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		if !bytes.HasSuffix(l, []byte("\n")) || json.Unmarshal(l, &e) != nil {
			return "", false
		}
		switch e.Type {
		case "user":
			return said(e.Message.Content)
		case "assistant":
			return "", false
		}
	}
	return "", false
}

// said returns a message that is one text, in either of the client's forms. One of several
// texts holds more than what the binary said.
func said(content json.RawMessage) (string, bool) {
	var one string
	if json.Unmarshal(content, &one) == nil {
		return one, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	var texts []string
	for _, p := range parts {
		// What the client itself adds is no word of anybody's.
		if p.Type == "text" && !strings.HasPrefix(strings.TrimSpace(p.Text), "<system-reminder>") {
			texts = append(texts, p.Text)
		}
	}
	if len(texts) != 1 {
		return "", false
	}
	return texts[0], true
}
