package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/state"
)

// logText is how many columns the words about one event take at most.
const logText = 240

// Log writes one line for an event, for people.
func Log(w io.Writer, e ledger.Event, o Options) error {
	out := &screen{o: o}
	at := "-"
	if e.Node != "" {
		at = fmt.Sprintf("%s#%d", e.Node, e.Attempt)
	}
	out.line(fmt.Sprintf("%5d  %s  %s  %s  %s", e.Seq, stamp(e.At), pad(at, 25), pad(e.Type, 12), clip(eventText(e), logText)))
	return out.flush(w)
}

// eventText says what an event did.
func eventText(e ledger.Event) string {
	by := e.By.Channel
	if e.By.Agent != "" {
		by += " " + e.By.Agent
	}
	switch {
	case e.Cause != "" && e.By.Agent == "" && strings.HasPrefix(e.Cause, by+" "):
		by = e.Cause // "hook post-tool-use" says it all
	case e.Cause != "":
		by += ", " + e.Cause
	}
	by = "[" + by + "] "
	if e.Type == ledger.Recovered {
		return document.OneLine(by + string(e.Data))
	}
	changes, err := state.Decode(e.Data)
	if err != nil {
		return document.OneLine(by + err.Error())
	}
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = describe(c)
	}
	return document.OneLine(by + strings.Join(parts, "; "))
}

// logLine has the fields of an event in the order of the ledger, in which an event
// of the log and a line of the ledger are the same bytes.
type logLine struct {
	V       int             `json:"v"`
	Seq     int64           `json:"seq"`
	At      string          `json:"at"`
	Type    string          `json:"type"`
	Node    string          `json:"node"`
	Attempt int             `json:"attempt"`
	By      evidence.By     `json:"by"`
	Cause   string          `json:"cause"`
	Data    json.RawMessage `json:"data"`
	State   string          `json:"state"`
	Prev    string          `json:"prev"`
	Hash    string          `json:"hash"`
}

// LogJSON writes an event as one JSON object on one line: that of the ledger.
func LogJSON(w io.Writer, e ledger.Event) error {
	data := e.Data
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(logLine{
		V: e.V, Seq: e.Seq, At: e.At.UTC().Format("2006-01-02T15:04:05.000000000Z"), Type: e.Type, Node: e.Node, Attempt: e.Attempt,
		By: e.By, Cause: e.Cause, Data: data, State: e.State, Prev: e.Prev, Hash: e.Hash,
	})
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write event %d: %w", e.Seq, err)
	}
	return nil
}
