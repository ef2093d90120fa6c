package doctor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/state"
)

// seen is what the hooks wrote of tool calls of one session's main conversation.
type seen struct {
	all     int // of any session and agent
	session int
}

// hookEvents reads when a hook last spoke here, and which calls were counted. A ledger
// that is damaged has been reported by then.
func (x *examination) hookEvents() seen {
	var n seen
	session := x.env("CLAUDE_CODE_SESSION_ID")
	_ = x.log.Scan(0, func(ev ledger.Event, _ int64) error {
		if ev.By.Channel == "hook" {
			x.hooked = ev.At
		}
		if ev.Type != "tool" {
			return nil
		}
		changes, err := state.Decode(ev.Data)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.Tool == nil {
				continue
			}
			n.all++
			if c.Tool.AgentID == "" && ev.By.Session == session {
				n.session++
			}
		}
		return nil
	})
	return n
}

// Calls that the hooks may miss: a count is dropped when somebody else holds the lock
// for long.
const (
	missedOf  = 5 // one in five
	tooFew    = 3 // calls from which on none seen is a sign
	maxRecord = 64 << 20
)

// calls compares the tool calls that the hooks saw with those in the transcript of the
// session that this runs in.
func (x *examination) calls(n seen) {
	const name = "calls"
	if x.state == nil || !x.state.Delivery.Open() {
		return // nothing is counted without a delivery
	}
	path := x.transcript()
	if path == "" {
		if n.all == 0 {
			x.add(name, Warn, "no hook has seen a tool call in this delivery, and no transcript says whether there was one", "inside a session, /asterweave:doctor compares both")
			return
		}
		x.ok(name, "the hooks saw %d; inside a session they are compared with its transcript", n.all)
		return
	}
	made, err := callsIn(path, x.state.Delivery.StartedAt)
	switch {
	case err != nil:
		x.add(name, Warn, fmt.Sprintf("the hooks saw %d; the transcript cannot be read: %s", n.session, err), "")
	case made >= tooFew && n.session == 0:
		x.add(name, Fail, fmt.Sprintf("the transcript has %d calls since the delivery began, and the hooks saw none: they do not run in this session", made), "restart the session with the plugin enabled, and without what switches hooks off")
	case made-n.session > max(made/missedOf, tooFew):
		x.add(name, Warn, fmt.Sprintf("the hooks saw %d of %d calls of this session", n.session, made), "restart the session when this goes on")
	default:
		x.ok(name, "the hooks saw %d, the transcript of this session has %d since the delivery began", n.session, made)
	}
}

// transcript returns where the client keeps the conversation that this runs in, "" where
// there is none.
func (x *examination) transcript() string {
	session := x.env("CLAUDE_CODE_SESSION_ID")
	if session == "" || session != filepath.Base(session) {
		return ""
	}
	home := x.env("CLAUDE_CONFIG_DIR")
	if home == "" {
		home = filepath.Join(x.env("HOME"), ".claude")
	}
	found, _ := filepath.Glob(filepath.Join(home, "projects", "*", session+".jsonl"))
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// callsIn counts the tool calls in a transcript that ended well since a time; of those
// that were refused, no hook hears afterwards. Lines that are not known are left out.
func callsIn(path string, since time.Time) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	type part struct {
		Type  string `json:"type"`
		Error bool   `json:"is_error"`
	}
	n := 0
	in := bufio.NewReader(io.LimitReader(f, maxRecord))
	for {
		text, err := in.ReadBytes('\n')
		var l struct {
			Timestamp time.Time `json:"timestamp"`
			Sidechain bool      `json:"isSidechain"`
			Message   struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		}
		var parts []part
		if json.Unmarshal(text, &l) == nil && !l.Sidechain && l.Timestamp.After(since) && json.Unmarshal(l.Message.Content, &parts) == nil {
			for _, p := range parts {
				if p.Type == "tool_result" && !p.Error {
					n++
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
