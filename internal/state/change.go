package state

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
)

// Change is one effect of an event; exactly one field is set.
//
// One event is one transaction: its changes are folded together or not at all,
// so that every prefix of a ledger is a legal state.
type Change struct {
	Started    *Started         `json:"started,omitempty"`
	Entered    *Entered         `json:"entered,omitempty"`
	Completed  *Completed       `json:"completed,omitempty"`
	Moved      *Moved           `json:"moved,omitempty"`
	Recorded   *evidence.Record `json:"recorded,omitempty"`
	Documented *Documented      `json:"documented,omitempty"`
	Judged     *Judged          `json:"judged,omitempty"`
	Asked      *Ask             `json:"asked,omitempty"`
	Closed     *Closed          `json:"closed,omitempty"`
	Approved   *Approval        `json:"approved,omitempty"`
	Intended   *Intent          `json:"intended,omitempty"`
	Confirmed  *Confirmed       `json:"confirmed,omitempty"`
	Submitted  *Submitted       `json:"submitted,omitempty"`
	Steered    *Steer           `json:"steered,omitempty"`
	Paused     *PausedBy        `json:"paused,omitempty"`
	Resumed    *Resumed         `json:"resumed,omitempty"`
	Ended      *Ended           `json:"ended,omitempty"`
	Reviewed   *Reviewed        `json:"reviewed,omitempty"`
	Granted    *Granted         `json:"granted,omitempty"`
	Waived     *Waived          `json:"waived,omitempty"`
	Accepted   *Accepted        `json:"accepted,omitempty"`
	Pinned     *Pinned          `json:"pinned,omitempty"`
	Analysed   *Analysed        `json:"analysed,omitempty"`
	Leased     *Lease           `json:"leased,omitempty"`
	Held       *Hold            `json:"held,omitempty"`
	Heard      *Heard           `json:"heard,omitempty"`
	Tool       *Tool            `json:"tool,omitempty"`
	Used       *Used            `json:"used,omitempty"`
	SentBack   *SentBack        `json:"sentBack,omitempty"`
	Prompted   *Prompted        `json:"prompted,omitempty"`
	Bypassed   *Bypass          `json:"bypassed,omitempty"`
	Commented  *Comments        `json:"commented,omitempty"`
	Triaged    *Triaged         `json:"triaged,omitempty"`
	Settled    *Settled         `json:"settled,omitempty"`
	Unhooked   *Unhooked        `json:"unhooked,omitempty"`
}

// Unhooked says that a human took the installed hook of Git away. It changes nothing that
// is decided, and is there to be read.
type Unhooked struct {
	Folder string `json:"folder"` // of the hooks
}

// Started opens a delivery at the first node, which is not yet entered.
type Started struct {
	Delivery Delivery `json:"delivery"`
	Nodes    []string `json:"nodes"`
}

// Entered begins an attempt.
type Entered struct {
	Node       string `json:"node"`
	Tree       string `json:"tree,omitempty"`
	Hypothesis string `json:"hypothesis,omitempty"`
}

// Completed ends an attempt.
type Completed struct {
	Node       string   `json:"node"`
	Outcome    string   `json:"outcome"`
	Reason     string   `json:"reason,omitempty"`
	To         string   `json:"to"` // the node that is current now; "" when done
	Refund     bool     `json:"refund,omitempty"`
	Reset      []string `json:"reset,omitempty"`      // nodes that start afresh
	Invalidate []string `json:"invalidate,omitempty"` // nodes whose evidence counts no more
	Failure    *Failure `json:"failure,omitempty"`
	Branch     string   `json:"branch,omitempty"`
}

// Moved leads to another node by a human's word, between two attempts.
type Moved struct {
	To         string   `json:"to"`
	Reset      []string `json:"reset,omitempty"`
	Invalidate []string `json:"invalidate,omitempty"`
}

// Documented stores a document; the criteria are those of a spec.
type Documented struct {
	Name     string      `json:"name"`
	Digest   string      `json:"digest"`
	Criteria []Criterion `json:"criteria,omitempty"`
}

// Judged gives a criterion its verdict.
type Judged struct {
	Criterion string  `json:"criterion"`
	Digest    string  `json:"digest"`
	Verdict   Verdict `json:"verdict"`
}

// Closed ends an ask: answered, or overtaken by another.
type Closed struct {
	Ask     string `json:"ask"`
	Answer  string `json:"answer,omitempty"`
	Channel string `json:"channel,omitempty"`
	Because string `json:"because,omitempty"`
}

// Confirmed lets the announced write through.
type Confirmed struct {
	Intent  string `json:"intent"`
	Channel string `json:"channel"`       // a human's, or "auto-pr"
	URL     string `json:"url,omitempty"` // of the comment that said it
	Proof   string `json:"proof,omitempty"`
}

// PausedBy stops the delivery until something is there.
type PausedBy struct {
	Reason string `json:"reason"`
	Ask    string `json:"ask,omitempty"`
	Idle   bool   `json:"idle,omitempty"` // it brought no new fact
	Wait   bool   `json:"wait,omitempty"` // for the provider: anyone may resume
}

// Resumed lets a paused delivery go on.
type Resumed struct {
	Reason string `json:"reason,omitempty"`
}

// Ended closes the delivery.
type Ended struct {
	Status string `json:"status"` // done or aborted
	Reason string `json:"reason,omitempty"`
}

// Reviewed is a reviewer's verdict.
type Reviewed struct {
	Kind     string    `json:"kind"`
	Review   Review    `json:"review"`
	Resolved []string  `json:"resolved,omitempty"`
	Opened   []Finding `json:"opened,omitempty"`
	AgentID  string    `json:"agentId,omitempty"`
}

// Granted allows one more attempt of a node.
type Granted struct {
	Node string `json:"node"`
}

// Waived opens a kind by a human's word, while the plan is the same.
type Waived struct {
	Kind    string `json:"kind"`
	Because string `json:"because"`
	Plan    string `json:"plan,omitempty"`
}

// Accepted lets through, by a human's word, what differs from what was pinned: a thing
// by its digest, programs, or surroundings, of which some may differ from then on.
type Accepted struct {
	Digest       string             `json:"digest,omitempty"`
	Programs     map[string]Program `json:"programs,omitempty"`
	Surroundings map[string]string  `json:"surroundings,omitempty"` // label → hash, "" when it is gone
	Loose        []string           `json:"loose,omitempty"`
}

// Pinned fixes what later runs are compared with. What is pinned already stays, unless
// this replaces it, as a later baseline does.
type Pinned struct {
	Replace      bool               `json:"replace,omitempty"`
	Surroundings *Surroundings      `json:"surroundings,omitempty"`
	Programs     map[string]Program `json:"programs,omitempty"`
}

// Analysed puts the failure analyst's report into an open ask.
type Analysed struct {
	Ask   string `json:"ask"`
	About string `json:"about"`
}

// Tool is one tool call that a hook saw; it is no evidence.
type Tool struct {
	Tool       string            `json:"tool"`
	AgentID    string            `json:"agentId,omitempty"`
	AgentType  string            `json:"agentType,omitempty"`
	DurationMs int64             `json:"durationMs,omitempty"`
	Files      map[string]string `json:"files,omitempty"` // opened by it, relative to the root → digest of the content
	Wrote      bool              `json:"wrote,omitempty"`
	Read       bool              `json:"read,omitempty"`   // it opened a file with Read
	Failed     bool              `json:"failed,omitempty"` // the harness says that it failed
}

// Heard notes that a human spoke in the conversation; what was said is not kept, and
// is no word that moves a delivery.
type Heard struct{}

// SentBack notes that an agent's malformed verdict went back to it.
type SentBack struct {
	AgentID string `json:"agentId"`
	Because string `json:"because"`
}

// Prompted notes what `next` printed, by digest and size in bytes.
type Prompted struct {
	Digest string `json:"digest"`
	Size   int    `json:"size"`
	Agent  string `json:"agent,omitempty"`
}

// Entry is an event as the fold sees it.
type Entry struct {
	Seq     int64
	At      time.Time
	By      evidence.By
	Changes []Change
}

// Data is the "data" of an event.
type Data struct {
	Changes []Change `json:"changes"`
}

// Decode reads the changes of an event's data. A change of a kind that this
// build does not know is an error: a fold that skips effects is not the state.
func Decode(data []byte) ([]Change, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var d Data
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("event data: %w", err)
	}
	return d.Changes, nil
}
