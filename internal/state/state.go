// Package state is the fold of a delivery's ledger: what is known after its last
// event. It is pure: no clock, file or network.
//
// State holds what later decisions need and no more, the newest record of each
// slot and what is open, so that its size does not grow with the ledger.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Status of a delivery.
const (
	Active  = "active"
	Paused  = "paused"
	Done    = "done"
	Aborted = "aborted"
)

// Status of a node.
const (
	NodePending = "pending"
	NodeRunning = "running"
	NodePassed  = "passed"
	NodeFailed  = "failed"
	NodePaused  = "paused"
)

// Names of documents.
const (
	DocSpec     = "spec"
	DocPlan     = "plan"
	DocManifest = "manifest"
	DocTriage   = "triage"
)

// State is the fold of a ledger.
type State struct {
	Delivery     Delivery              `json:"delivery"`
	Node         string                `json:"node"` // the current node; "" when done
	Nodes        map[string]Node       `json:"nodes"`
	Docs         map[string]string     `json:"docs"`         // name → digest, which is also its artifact
	PlanRevision int                   `json:"planRevision"` // number of plans that were stored
	PriorPlan    string                `json:"priorPlan,omitempty"`
	Criteria     []Criterion           `json:"criteria"`
	Slots        map[string]Slot       `json:"slots"`
	Marks        map[string]Mark       `json:"marks"` // by argv: the most tests that a run of it executed
	Reviews      map[string]Review     `json:"reviews"`
	Findings     []Finding             `json:"findings"` // open ones
	Asks         []Ask                 `json:"asks"`     // open ones
	Answers      []Answer              `json:"answers"`  // the last ones, for prompts
	Steers       []Steer               `json:"steers"`
	Failures     []Failure             `json:"failures"`
	Approval     *Approval             `json:"approval,omitempty"`
	Intents      []Intent              `json:"intents"`
	Waivers      map[string]Waiver     `json:"waivers"`         // by kind
	Accepted     []string              `json:"accepted"`        // digests of transports, and of gates that write, that a human accepted
	Surroundings Surroundings          `json:"surroundings"`    // of the baseline, or else of the plan
	Loose        []string              `json:"loose"`           // labels that a human let differ
	Programs     map[string]Program    `json:"programs"`        // by the name that commands call them
	Idle         int                   `json:"idle"`            // pauses in a row that brought no new fact
	Retry        string                `json:"retry,omitempty"` // signature of the failure that the next attempt answers
	Agents       map[string]Agent      `json:"agents"`
	Lease        *Lease                `json:"lease,omitempty"`
	Hold         *Hold                 `json:"hold,omitempty"`
	Tools        map[string]ToolUse    `json:"tools"`       // by node/agent
	Transcripts  map[string]Transcript `json:"transcripts"` // by their names
	Visits       []Visit               `json:"visits"`      // the last ones
	Counts       Counts                `json:"counts"`
	Submitted    *Submitted            `json:"submitted,omitempty"`
	Branch       string                `json:"branch,omitempty"` // fixed when implement passes
	Bypasses     []Bypass              `json:"bypasses,omitempty"`
	Prompts      map[string][]string   `json:"prompts,omitempty"` // digests of the last that were given to an agent, by its name

	Comments  *Comments           `json:"comments,omitempty"`  // as they were read last
	Triage    map[string]Triage   `json:"triage,omitempty"`    // by the comment's id
	Replies   map[string][]string `json:"replies,omitempty"`   // comment → digests of the replies that humans confirmed
	Approvers []string            `json:"approvers,omitempty"` // URLs of comments that approved something; each is used once
}

// Delivery is what was fixed at start, and how it goes.
type Delivery struct {
	ID        string    `json:"id"`
	Goal      string    `json:"goal"`
	GoalBy    string    `json:"goalBy"` // channel of the goal
	Source    string    `json:"source,omitempty"`
	Provider  string    `json:"provider"`
	Base      string    `json:"base"` // branch name
	AutoPR    bool      `json:"autoPr"`
	Status    string    `json:"status"`
	Reason    string    `json:"reason,omitempty"`
	PausedBy  string    `json:"pausedBy,omitempty"` // the ask that paused it
	Graph     string    `json:"graph"`              // artifact
	Commit    string    `json:"commit,omitempty"`   // HEAD at start, "" in a repository without commits
	Tree      string    `json:"tree"`               // work tree at start
	MergeBase string    `json:"mergeBase,omitempty"`
	Remote    string    `json:"remote,omitempty"` // the one that the delivery is about; "" when there was none at start
	URL       string    `json:"url,omitempty"`
	Transport string    `json:"transport,omitempty"` // digest of how it is reached
	Trunk     string    `json:"trunk,omitempty"`     // the remote's default branch, where it is known
	Item      string    `json:"item,omitempty"`      // artifact: title and text of the work item at start
	Reader    string    `json:"reader,omitempty"`    // identity that read the work item at start, with its host
	Ambient   string    `json:"ambient,omitempty"`   // artifact: untracked files at start and their digests
	Excludes  string    `json:"excludes"`            // digest of what hides files from Git
	StartedAt time.Time `json:"startedAt"`
}

// Open reports whether the delivery goes on, paused included.
func (d Delivery) Open() bool { return d.Status == Active || d.Status == Paused }

// Node is how a node stands.
type Node struct {
	Status     string `json:"status"`
	Attempts   int    `json:"attempts"` // charged ones
	Visits     int    `json:"visits"`   // all ones; numbers the attempts
	Granted    int    `json:"granted,omitempty"`
	Tree       string `json:"tree,omitempty"` // at entry
	EnteredSeq int64  `json:"enteredSeq,omitempty"`
	Hypothesis string `json:"hypothesis,omitempty"`
	Since      int64  `json:"since,omitempty"` // records up to this event count no more
}

// Slot holds the records of one kind and gate that matter: the newest that can
// count (an accepted witness that passed or failed) and the newest of any sort.
type Slot struct {
	Counts *evidence.Record `json:"counts,omitempty"`
	Last   *evidence.Record `json:"last,omitempty"`
}

// Program is a program as it was when the delivery first looked at it, or as a
// human accepted it.
type Program = evidence.Program

// Surroundings are what runs are compared with.
type Surroundings = evidence.Surroundings

// Git is the name under which the program is pinned that reads the repository; no
// word of a command.
const Git = "the reader of the repository"

// Waiver is a human's word that a kind is not needed. It is about one plan; one from
// before there was a plan is about none.
type Waiver struct {
	Because string `json:"because"`
	Plan    string `json:"plan,omitempty"`
}

// Mark is the high-water mark of an argv.
type Mark struct {
	Tests  evidence.Tests `json:"tests"`
	Record string         `json:"record"`
}

// Criterion is a criterion and its verdict.
type Criterion struct {
	ID       string  `json:"id"`
	Hardness string  `json:"hardness"`
	Digest   string  `json:"digest"`
	Human    bool    `json:"human,omitempty"` // verify is human
	Verdict  Verdict `json:"verdict"`
}

// Verdict is a judgment; the zero Verdict is none.
type Verdict struct {
	Value    string            `json:"value,omitempty"` // pass or fail
	Evidence []string          `json:"evidence,omitempty"`
	Gates    []string          `json:"gates,omitempty"` // gates of that evidence
	Refs     map[string]string `json:"refs,omitempty"`  // path → digest of its content
	World    evidence.World    `json:"world,omitzero"`
	Seq      int64             `json:"seq,omitempty"`
	Channel  string            `json:"channel,omitempty"`
}

// Review is the newest verdict of a review kind.
type Review struct {
	Tree    string   `json:"tree"`
	Verdict string   `json:"verdict"`
	Agent   string   `json:"agent,omitempty"`
	Record  string   `json:"record"`
	Failed  []string `json:"failed,omitempty"` // trees that a verdict of the kind failed, for which it stands
}

// Finding is an open finding.
type Finding struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"`
	Title    string `json:"title"`
	Tree     string `json:"tree"`
}

// Severe reports whether the finding shuts the review gate.
func (f Finding) Severe() bool { return document.Finding{Severity: f.Severity}.Severe() }

// Kinds of asks.
const (
	AskApproval     = "approval"
	AskConfirmation = "confirmation"
	AskDecision     = "decision"
	AskCredential   = "credential"
)

// Ask is an open question that only a human can answer.
type Ask struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Question string    `json:"question"`
	About    string    `json:"about,omitempty"`
	Tried    string    `json:"tried,omitempty"`
	Options  []string  `json:"options,omitempty"`
	Digest   string    `json:"digest,omitempty"`
	Blocks   []string  `json:"blocks,omitempty"` // nodes
	Topic    Topic     `json:"topic,omitzero"`
	At       time.Time `json:"at"`
}

// Names of topics.
const (
	TopicBudget      = "budget"
	TopicStopped     = "stopped"
	TopicSecurity    = "security"
	TopicEnvironment = "environment"
	TopicTransport   = "transport"
	TopicWrites      = "writes"
	TopicPrograms    = "programs"
	TopicVerdict     = "verdict"
	TopicBlocked     = "blocked"
)

// Topic says what the binary made an ask for, so that an option has its effect.
type Topic struct {
	Name      string             `json:"name,omitempty"` // one of the Topic constants
	Node      string             `json:"node,omitempty"`
	Criterion string             `json:"criterion,omitempty"`
	Digest    string             `json:"digest,omitempty"`
	Programs  map[string]Program `json:"programs,omitempty"`

	Surroundings map[string]string `json:"surroundings,omitempty"` // label → hash now, "" when it is gone
}

// Answer is what a human said to an ask.
type Answer struct {
	Ask      string `json:"ask"`
	Question string `json:"question"`
	Text     string `json:"text"`
	Channel  string `json:"channel"`
}

// Steer is a constraint that a human gave on the way.
type Steer struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Failure is how an attempt failed.
type Failure struct {
	Node       string `json:"node"`
	Attempt    int    `json:"attempt"`
	Signature  string `json:"signature"`
	Gate       string `json:"gate,omitempty"`
	Evidence   string `json:"evidence,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Tree       string `json:"tree"`
	Plan       string `json:"plan,omitempty"`
	Env        string `json:"env,omitempty"`
	Hypothesis string `json:"hypothesis,omitempty"` // under which the failed attempt was made
}

// Approval binds a human's word to what it was about.
type Approval struct {
	Digest    string `json:"digest"`
	Plan      string `json:"plan"`
	Spec      string `json:"spec"`
	Base      string `json:"base"`
	MergeBase string `json:"mergeBase,omitempty"`
	Config    string `json:"config,omitempty"`
	Tree      string `json:"tree"`
	Channel   string `json:"channel"`
	Record    string `json:"record"`
	URL       string `json:"url,omitempty"` // of the comment that said it
}

// Intent is an announced external write.
type Intent struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"` // pr, reply, work-item
	Digest string `json:"digest"`
	Title  string `json:"title,omitempty"`
	Body   string `json:"body,omitempty"` // artifact
	Head   string `json:"head,omitempty"`
	Branch string `json:"branch,omitempty"`
	Remote string `json:"remote,omitempty"`
	URL    string `json:"url,omitempty"`
	Base   string `json:"base,omitempty"`
	Draft  bool   `json:"draft,omitempty"`

	Push      []string `json:"push,omitempty"`      // URLs that a push goes to
	Transport string   `json:"transport,omitempty"` // digest of how the remote is reached
	Reached   []string `json:"reached,omitempty"`   // names of the settings that decide it

	Target    string `json:"target,omitempty"` // thread or state
	Text      string `json:"text,omitempty"`   // digest of the body as it is compared with what is read back
	Confirmed bool   `json:"confirmed"`
	Channel   string `json:"channel,omitempty"`
	Settled   bool   `json:"settled"`
	Dropped   bool   `json:"dropped,omitempty"` // another one about the same target took its place

	Shown []string `json:"shown,omitempty"` // parts of an update that were read back, while others were not
}

// Parts of an update of a work item, which a client may write one after the other.
const (
	PartState   = "state"
	PartComment = "comment"
)

// Missing returns the parts of an update that no read has shown.
func (i Intent) Missing() []string {
	var out []string
	if i.Target != "" && !slices.Contains(i.Shown, PartState) {
		out = append(out, PartState)
	}
	if i.Body != "" && !slices.Contains(i.Shown, PartComment) {
		out = append(out, PartComment)
	}
	return out
}

// Due reports whether the write was confirmed and has not been read back: it may
// or may not have been made.
func (i Intent) Due() bool { return i.Confirmed && !i.Settled && !i.Dropped }

// Submitted is the pull request as it was read back.
type Submitted struct {
	Head string `json:"head"`
	Tree string `json:"tree"`
	URL  string `json:"url"`

	// Repository is the identity of the repository that answered, which a name is not.
	Repository string `json:"repository,omitempty"`
}

// Agent is what the hooks saw a subagent do.
type Agent struct {
	Type  string `json:"type"`
	Wrote bool   `json:"wrote,omitempty"`
	Gave  bool   `json:"gave,omitempty"` // its verdict
	Sent  bool   `json:"sent,omitempty"` // a malformed verdict was sent back once

	Seen map[string]string `json:"seen,omitempty"` // files that it opened → digest of what was in them then
}

// Lease says which harness session may drive the delivery.
type Lease struct {
	Session string    `json:"session"`
	Until   time.Time `json:"until"`
}

// Hold is how often in a row a turn was kept from ending without any progress since.
type Hold struct {
	Mark  string `json:"mark"` // of the progress so far
	Count int    `json:"count"`
}

// Counts numbers what gets an id.
type Counts struct {
	Evidence int `json:"evidence"`
	Asks     int `json:"asks"`
	Findings int `json:"findings"`
	Steers   int `json:"steers"`
	Intents  int `json:"intents"`
	Bypasses int `json:"bypasses,omitempty"`
}

// Bypass lets through, by a human's word and for a time, what a rule of the guard stops.
type Bypass struct {
	ID      string    `json:"id"`
	Rule    string    `json:"rule"`
	Command string    `json:"command,omitempty"` // the only one that it is for, as people read it
	Digest  string    `json:"digest,omitempty"`  // of that command's exact text
	Reason  string    `json:"reason"`
	Channel string    `json:"channel"`
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"`
}

// InForce reports whether the bypass lets something through at that time.
func (b Bypass) InForce(now time.Time) bool { return now.Before(b.Until) && !now.Before(b.At) }

// New returns the state of an empty ledger.
func New() *State {
	return &State{
		Nodes: map[string]Node{}, Docs: map[string]string{}, Slots: map[string]Slot{}, Marks: map[string]Mark{},
		Reviews: map[string]Review{}, Waivers: map[string]Waiver{}, Agents: map[string]Agent{}, Tools: map[string]ToolUse{},
		Programs: map[string]Program{}, Transcripts: map[string]Transcript{},
	}
}

// Digest returns the SHA-256, in hex, of the state's JSON; the fold digest of an event.
func (s *State) Digest() (string, []byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", nil, fmt.Errorf("state: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), b, nil
}

// Clone returns a copy that shares nothing that a fold changes.
func (s *State) Clone() (*State, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	c := New()
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return c, nil
}

// Ask returns the open ask with this id.
func (s *State) Ask(id string) (Ask, bool) {
	i := slices.IndexFunc(s.Asks, func(a Ask) bool { return a.ID == id })
	if i < 0 {
		return Ask{}, false
	}
	return s.Asks[i], true
}

// AskAbout returns the open ask of a kind, the newest first.
func (s *State) AskAbout(kind string) (Ask, bool) {
	for _, a := range slices.Backward(s.Asks) {
		if a.Kind == kind {
			return a, true
		}
	}
	return Ask{}, false
}

// Criterion returns the criterion with this id.
func (s *State) Criterion(id string) (Criterion, bool) {
	i := slices.IndexFunc(s.Criteria, func(c Criterion) bool { return c.ID == id })
	if i < 0 {
		return Criterion{}, false
	}
	return s.Criteria[i], true
}

// Record returns the record with this id, if it is still the newest of its slot.
func (s *State) Record(id string) (evidence.Record, bool) {
	for _, slot := range s.Slots {
		for _, r := range []*evidence.Record{slot.Counts, slot.Last} {
			if r != nil && r.ID == id {
				return *r, true
			}
		}
	}
	return evidence.Record{}, false
}

// Intent returns the newest intent of a kind that is not settled.
func (s *State) Intent(kind string) (Intent, bool) {
	for _, in := range slices.Backward(s.Intents) {
		if in.Kind == kind && !in.Settled {
			return in, true
		}
	}
	return Intent{}, false
}

// Trees returns the trees that evidence in force is about: that of the start, of the
// records that count, and of the verdicts. One can be there twice.
func (s *State) Trees() []string {
	out := []string{s.Delivery.Tree}
	for _, slot := range s.Slots {
		if slot.Counts != nil {
			out = append(out, slot.Counts.World.Tree)
		}
	}
	for _, c := range s.Criteria {
		out = append(out, c.Verdict.World.Tree)
	}
	return slices.DeleteFunc(out, func(t string) bool { return t == "" })
}

// Bases returns the merge bases that evidence in force was recorded at. One can be there
// twice.
func (s *State) Bases() []string {
	out := []string{s.Delivery.MergeBase}
	for _, slot := range s.Slots {
		if slot.Counts != nil {
			out = append(out, slot.Counts.World.Base)
		}
	}
	return slices.DeleteFunc(out, func(b string) bool { return b == "" })
}

// Running reports whether an attempt of the node is under way.
func (s *State) Running(node string) bool {
	return s.Node == node && s.Nodes[node].Status == NodeRunning
}
