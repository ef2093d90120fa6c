// Package evidence names what a delivery records: a record says that something
// was seen, by which witness, with which result, in which world.
//
// The package is pure: it holds shapes and the closed sets of words that they
// are made of. What a record opens is decided by package gate.
package evidence

import "time"

// Kind is what a record is about. The set is closed; see Kinds.
type Kind string

// The evidence kinds, in the order of the delivery graph. Note is a record that
// never opens anything (a run that is no gate, a remark); Analysis is the report
// of the failure analyst, which is attached to the ask that stopped the retries.
const (
	Task            Kind = "task"
	Repository      Kind = "repository"
	Baseline        Kind = "baseline"
	Requirements    Kind = "requirements"
	Plan            Kind = "plan"
	Approval        Kind = "approval"
	Change          Kind = "change"
	Build           Kind = "build"
	Static          Kind = "static"
	UnitTest        Kind = "unit-test"
	IntegrationTest Kind = "integration-test"
	Acceptance      Kind = "acceptance"
	CodeReview      Kind = "code-review"
	SecurityReview  Kind = "security-review"
	Scan            Kind = "scan"
	PullRequest     Kind = "pull-request"
	Pipeline        Kind = "pipeline"
	ReviewComments  Kind = "review-comments"
	WorkItemUpdate  Kind = "work-item-update"
	Note            Kind = "note"
	Analysis        Kind = "failure-analysis"
)

// Kinds returns every kind, in the order of the graph.
func Kinds() []Kind {
	return []Kind{
		Task, Repository, Baseline, Requirements, Plan, Approval, Change, Build, Static, UnitTest,
		IntegrationTest, Acceptance, CodeReview, SecurityReview, Scan, PullRequest, Pipeline,
		ReviewComments, WorkItemUpdate, Note, Analysis,
	}
}

// IsTest reports whether a pass of the kind needs more than zero executed tests.
func (k Kind) IsTest() bool { return k == UnitTest || k == IntegrationTest }

// IsGate reports whether records of the kind come from running a gate.
func (k Kind) IsGate() bool {
	switch k {
	case Build, Static, UnitTest, IntegrationTest, Acceptance, Scan:
		return true
	}
	return false
}

// IsReview reports whether records of the kind are a reviewer's verdict.
func (k Kind) IsReview() bool { return k == CodeReview || k == SecurityReview }

// Result is what a record says. The set is closed.
type Result string

// The results. Info means "not applicable, because"; it opens a kind only in the
// cases that package gate lists. Unknown never opens anything.
const (
	Pass    Result = "pass"
	Fail    Result = "fail"
	Info    Result = "info"
	Unknown Result = "unknown"
)

// Results returns every result.
func Results() []Result { return []Result{Pass, Fail, Info, Unknown} }

// Witness is who saw what a record says. The set is closed.
type Witness string

// The witnesses: the binary ran it, read it from Git, read it from the provider,
// validated a document, heard it from a human, or was merely told.
const (
	Executed Witness = "executed"
	Git      Witness = "git"
	ReadBack Witness = "read-back"
	Human    Witness = "human"
	Document Witness = "document"
	Stated   Witness = "stated"
)

// World is the set of digests that a record is about. Empty means "unknown" for
// Tree and "there is none" for the others.
type World struct {
	Tree   string `json:"tree,omitempty"`   // Git tree id of the work tree, 40 or 64 hex digits
	Base   string `json:"base,omitempty"`   // merge base commit with the base branch
	Plan   string `json:"plan,omitempty"`   // digest of plan.json
	Spec   string `json:"spec,omitempty"`   // digest of spec.json
	Config string `json:"config,omitempty"` // digest of the configuration at the base
	Env    string `json:"env,omitempty"`    // digest of tools, operating system, architecture

	// Ambient is the digest of the files that were untracked at start, as they are.
	Ambient string `json:"ambient,omitempty"`
}

// Tests is what a test runner reported. Units are never compared between runners.
type Tests struct {
	Runner  string   `json:"runner"`
	Unit    string   `json:"unit"` // "test" or "package"
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Known   bool     `json:"known"`             // false: the output held no count that could be read
	Failing []string `json:"failing,omitempty"` // names of failing tests, capped
}

// Executed returns how many tests ran: passed plus failed.
func (t Tests) Executed() int { return t.Passed + t.Failed }

// By says who caused an event or a record.
type By struct {
	Channel  string `json:"channel"`            // agent, cli, client, terminal, provider, hook
	Identity string `json:"identity,omitempty"` // account name where the channel knows one
	Agent    string `json:"agent,omitempty"`    // agent type and id, "staff-reviewer/af06"
	Session  string `json:"session,omitempty"`  // harness session id
}

// Channels that carry a human's word.
const (
	ChannelClient   = "client"
	ChannelTerminal = "terminal"
	ChannelProvider = "provider"
)

// IsHuman reports whether the channel carries a human's word.
func (b By) IsHuman() bool {
	return b.Channel == ChannelClient || b.Channel == ChannelTerminal || b.Channel == ChannelProvider
}

// Record is one piece of evidence.
type Record struct {
	ID         string    `json:"id"`            // E1, E2, … a delivery
	Seq        int64     `json:"seq,omitempty"` // of its event; set by the fold
	Counts     bool      `json:"counts"`        // false: kept and shown, opens nothing
	Kind       Kind      `json:"kind"`
	Gate       string    `json:"gate,omitempty"`
	Node       string    `json:"node"`
	Attempt    int       `json:"attempt"`
	Result     Result    `json:"result"`
	Summary    string    `json:"summary"`
	Witness    Witness   `json:"witness"`
	Argv       []string  `json:"argv,omitempty"`
	Exit       *int      `json:"exit,omitempty"`
	DurationMs int64     `json:"durationMs,omitempty"`
	Tests      *Tests    `json:"tests,omitempty"`
	Path       string    `json:"path,omitempty"` // artifact digest, file or URL
	Criteria   []string  `json:"criteria,omitempty"`
	Because    string    `json:"because,omitempty"`
	Instead    string    `json:"instead,omitempty"`
	By         By        `json:"by"`
	World      World     `json:"world"`
	At         time.Time `json:"at"`

	Base      bool   `json:"atBase,omitempty"`    // run on the base tree; never opens a gate
	Program   string `json:"program,omitempty"`   // resolved path of argv[0]
	Steering  string `json:"steering,omitempty"`  // digest of PATH and the variables that steer runners
	GateDef   string `json:"gateDef,omitempty"`   // digest of the gate's definition
	Signature string `json:"signature,omitempty"` // of the failure, computed by package signature
	Head      string `json:"head,omitempty"`      // commit that a read was about
	URL       string `json:"url,omitempty"`       // identifier at the provider
	Proof     string `json:"proof,omitempty"`     // what shows that the provider really answered
	Findings  []ID   `json:"findings,omitempty"`  // findings that a review opened
	Unseen    []ID   `json:"unseen,omitempty"`    // files of the diff that a reviewer did not open, capped
}

// ID is an identifier or path in a list of a record.
type ID = string

// Key names the slot that a record competes in: of those that count, the newest of
// a kind and gate decides. A run at the base has a slot of its own.
func (r Record) Key() string {
	k := string(r.Kind)
	if r.Gate != "" {
		k += "/" + r.Gate
	}
	if r.Base {
		k += "@base"
	}
	return k
}
