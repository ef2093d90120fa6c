package report

import (
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
)

// ModelVersion is the version of the JSON report.
const ModelVersion = 1

// Model is all that a report says; its JSON is the report's json format. Texts are
// as they were recorded, not escaped for anything.
type Model struct {
	Version     int                    `json:"version"`
	Delivery    Delivery               `json:"delivery"`
	World       World                  `json:"world"`
	Nodes       []engine.NodeStatus    `json:"nodes"`
	Path        []Attempt              `json:"path"`
	Approvals   []Approval             `json:"approvals"`
	Plan        *Plan                  `json:"plan"` // null before there is one
	Criteria    []Criterion            `json:"criteria"`
	Gates       []Gate                 `json:"gates"` // in force
	Evidence    []Evidence             `json:"evidence"`
	Findings    []Finding              `json:"findings"`
	Asks        []Ask                  `json:"asks"`
	Steers      []Steer                `json:"steers"`
	Exceptions  []Exception            `json:"exceptions"`
	Unstable    []Unstable             `json:"unstable"`
	Changes     Changes                `json:"changes"`
	Usage       []engine.Usage         `json:"usage"`
	Comments    []engine.CommentStatus `json:"comments,omitempty"` // unresolved ones of the last read
	PullRequest *PullRequest           `json:"pullRequest"`        // null before it was read back
	Done        []gate.Condition       `json:"done"`
	Ledger      Ledger                 `json:"ledger"`
}

// Delivery is what was asked for, and how it stands.
type Delivery struct {
	engine.DeliveryStatus
	GoalChannel string    `json:"goalChannel"` // who typed the goal
	Base        string    `json:"base"`        // branch
	Branch      string    `json:"branch"`      // "" until implement has passed
	StartedAt   time.Time `json:"startedAt"`
	LastAt      time.Time `json:"lastAt"` // of the last event
}

// World is what was there when the report was made.
type World struct {
	evidence.World
	Head    string   `json:"head"`              // commit
	Unknown []string `json:"unknown,omitempty"` // why there is no tree
}

// Attempt is one visit to a node.
type Attempt struct {
	Node       string    `json:"node"`
	Attempt    int       `json:"attempt"` // 1 is the first visit
	Began      time.Time `json:"began"`
	Ended      time.Time `json:"ended,omitzero"`
	Outcome    string    `json:"outcome"` // "" while it is under way; "moved" by a human's word
	To         string    `json:"to"`      // node that it led to
	Reason     string    `json:"reason"`
	Hypothesis string    `json:"hypothesis"`
	Signature  string    `json:"signature"` // of its failure
	Evidence   string    `json:"evidence"`  // that shows the failure
	Refunded   bool      `json:"refunded"`
	Pauses     []Pause   `json:"pauses"`
}

// Pause is a wait in or after an attempt.
type Pause struct {
	At      time.Time `json:"at"`
	Reason  string    `json:"reason"`
	Ask     string    `json:"ask"`
	Resumed time.Time `json:"resumed,omitzero"`
}

// Approval is a human's word for a plan or for an external write.
type Approval struct {
	Kind     string      `json:"kind"` // approval or confirmation
	About    string      `json:"about"`
	Digest   string      `json:"digest"`
	Channel  string      `json:"channel"` // "auto-pr" when it was waived at start
	By       evidence.By `json:"by"`
	At       time.Time   `json:"at"`
	Evidence string      `json:"evidence"`
	InForce  bool        `json:"inForce"`
}

// Plan is the plan in force.
type Plan struct {
	document.Plan
	Revision int    `json:"revision"`
	Digest   string `json:"digest"`
}

// Criterion is a criterion, its verdict, and what each gate that names it says.
type Criterion struct {
	ID            string   `json:"id"`
	Text          string   `json:"text"`
	Hardness      string   `json:"hardness"`
	Verify        string   `json:"verify"`
	Refs          []string `json:"refs"`
	Digest        string   `json:"digest"`
	Verdict       string   `json:"verdict"` // none, pass, fail, stale
	Why           string   `json:"why"`
	Channel       string   `json:"channel"` // of the verdict
	Evidence      []string `json:"evidence"`
	Discriminates string   `json:"discriminates"` // yes, no, unknown
	Cells         []Cell   `json:"cells"`
}

// SoftFailure reports whether the criterion fails and does not shut the gate.
func (c Criterion) SoftFailure() bool {
	return c.Verdict == gate.VerdictFail && c.Hardness == document.Soft
}

// Cell is what a gate says about a criterion.
type Cell struct {
	Gate     string `json:"gate"`
	State    string `json:"state"` // of a need: missing, current, stale, failing, info
	Evidence string `json:"evidence"`
	Cited    bool   `json:"cited"` // by the verdict
}

// Gate is a gate in force and how it stands.
type Gate struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Command  string `json:"command"`
	From     string `json:"from"` // plan or configuration
	State    string `json:"state"`
	Evidence string `json:"evidence"`
	Why      string `json:"why"`
}

// Evidence is a record and what it is worth now.
type Evidence struct {
	evidence.Record
	Standing string `json:"standing"` // current, stale, failing, info, superseded, opens nothing, at base
	Why      string `json:"why"`

	Output *Output `json:"output,omitempty"` // where something was kept of it
}

// What a record is worth beyond the states of a need.
const (
	Superseded   = "superseded"
	OpensNothing = "opens nothing"
	AtBase       = "at base"
)

// Finding is a finding of a review.
type Finding struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Title    string `json:"title"`
	Review   string `json:"review"`   // evidence that opened it
	Resolved string `json:"resolved"` // evidence that ended it; "" while it is open
}

// Severe reports whether the finding, while open, shuts review.
func (f Finding) Severe() bool { return document.Finding{Severity: f.Severity}.Severe() }

// Ask is a question to a human, and its answer.
type Ask struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Question string    `json:"question"`
	About    string    `json:"about"`
	Tried    string    `json:"tried"`
	Options  []string  `json:"options"`
	At       time.Time `json:"at"`
	Open     bool      `json:"open"`
	Answer   string    `json:"answer"`
	Channel  string    `json:"channel"`
	Because  string    `json:"because"` // why it closed without an answer
	ClosedAt time.Time `json:"closedAt,omitzero"`
}

// Steer is a constraint that a human gave, and the plan's answer.
type Steer struct {
	ID      string    `json:"id"`
	Text    string    `json:"text"`
	Channel string    `json:"channel"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer"`
}

// Exception is what a human let through that would have been shut.
type Exception struct {
	Kind    string      `json:"kind"` // waiver, environment, attempt, auto-pr, bypass, hook
	What    string      `json:"what"`
	Because string      `json:"because"`
	By      evidence.By `json:"by"`
	At      time.Time   `json:"at"`
}

// Changes is what the delivery itself changed.
type Changes struct {
	Known bool     `json:"known"`
	Why   string   `json:"why"` // where it is not known
	Paths []Change `json:"paths"`
}

// Change is a changed path.
type Change struct {
	Path    string   `json:"path"`
	Test    bool     `json:"test"`    // in the scope of tests
	Outside bool     `json:"outside"` // of the plan's scope
	Defines bool     `json:"defines"` // gates or CI
	Tasks   []string `json:"tasks"`   // that name it
}

// PullRequest is the pull request as it was read back.
type PullRequest struct {
	URL  string `json:"url"`
	Head string `json:"head"`
	Tree string `json:"tree"`
}

// Ledger is where the ledger ends.
type Ledger struct {
	Events int64  `json:"events"`
	Bytes  int64  `json:"bytes"`
	Head   string `json:"head"` // hash of the last event
}
