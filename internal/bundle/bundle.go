// Package bundle is the shape in which a delivery travels: an in-toto Statement about
// one commit, in a DSSE envelope. docs/bundle.md describes it for other programs.
//
// A bundle proves nothing by being there. Its ledger is the ground for everything else
// in it: who verifies derives the rest from the ledger and compares.
package bundle

import (
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/state"
)

// Names of the types, as the envelope and the statement say them.
const (
	// PayloadType is the media type of a statement, see
	// https://github.com/in-toto/attestation/blob/main/spec/v1/envelope.md.
	PayloadType = "application/vnd.in-toto+json"
	// StatementType is that of in-toto's Statement v1, see
	// https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md.
	StatementType = "https://in-toto.io/Statement/v1"
	// PredicateType names the shape of Predicate; another shape gets another number.
	PredicateType = "https://github.com/asterweave/asterweave/delivery/v1"
	// CommitDigest names the digest of a subject that is a commit, see
	// https://github.com/in-toto/attestation/blob/main/spec/v1/digest_set.md.
	CommitDigest = "gitCommit"
	// NotesRef is the ref of the Git notes that carry envelopes, one a line.
	NotesRef = "refs/notes/asterweave"
)

// Bounds, in bytes. Git hosts take notes of this size, and a verifier can hold it.
const (
	MaxEnvelope = 32 << 20
	MaxPayload  = MaxEnvelope / 4 * 3 // what base64 makes of it fits into an envelope
	MaxLedger   = 256 << 20           // unpacked
)

// MaxSignatures bounds how many signatures an envelope may have.
const MaxSignatures = 16

// Statement is an in-toto Statement about a commit.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"` // exactly one
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject names what a statement is about.
type Subject struct {
	Name   string            `json:"name"` // the branch
	Digest map[string]string `json:"digest"`
}

// Commit returns the id of the commit that the statement is about, "" where it is
// not about exactly one.
func (s Statement) Commit() string {
	if len(s.Subject) != 1 || len(s.Subject[0].Digest) != 1 {
		return ""
	}
	return s.Subject[0].Digest[CommitDigest]
}

// Predicate is what is said of the commit. All but World, Documents, Trees,
// Outputs, LeftOut and Tools follows from the ledger.
type Predicate struct {
	Delivery  Delivery          `json:"delivery"`
	Graph     string            `json:"graph"` // digest of the graph that the delivery runs on
	World     World             `json:"world"`
	Criteria  []Criterion       `json:"criteria"`
	Evidence  []evidence.Record `json:"evidence"` // every record, in the ledger's order
	Approvals []state.Approval  `json:"approvals"`
	Plan      Plan              `json:"plan"`
	Findings  []Finding         `json:"findings"`
	Failures  []state.Failure   `json:"failures"`
	Waivers   []state.Waived    `json:"waivers"`
	Bypasses  []state.Bypass    `json:"bypasses"`
	Ledger    Ledger            `json:"ledger"`
	Documents map[string][]byte `json:"documents"` // by digest: graph, work item, specs, plans, verdicts of reviewers
	Outputs   map[string][]byte `json:"outputs"`   // by digest: what runs printed, where that was asked for
	LeftOut   []LeftOut         `json:"leftOut"`
	Trees     map[string][]byte `json:"trees"` // by Git id: trees that evidence is about and the subject has not, as Git hashes them
	Tools     map[string]string `json:"tools"` // name → version, of the machine that the bundle was made on
}

// Delivery is what was to be delivered, and where that stood.
type Delivery struct {
	ID        string    `json:"id"`
	Goal      string    `json:"goal"`
	GoalBy    string    `json:"goalBy"` // channel
	Source    string    `json:"source"` // work item, "" for none
	Provider  string    `json:"provider"`
	Base      string    `json:"base"` // branch
	Branch    string    `json:"branch"`
	AutoPR    bool      `json:"autoPr"`
	StartedAt time.Time `json:"startedAt"`
	Status    string    `json:"status"`
	Node      string    `json:"node"`
}

// World is what the delivery is about: the subject's tree, the merge base, and the
// documents in force.
type World struct {
	Tree   string `json:"tree"` // of the subject
	Base   string `json:"base"` // merge base of the subject with the base branch
	Plan   string `json:"plan"`
	Spec   string `json:"spec"`
	Config string `json:"config"` // digest of the configuration at the base
}

// Criterion is an acceptance criterion and its verdict.
type Criterion struct {
	ID       string   `json:"id"`
	Hardness string   `json:"hardness"`
	Digest   string   `json:"digest"`  // of its text
	Verdict  string   `json:"verdict"` // pass, fail, "" for none
	Channel  string   `json:"channel"` // of the verdict
	Evidence []string `json:"evidence"`
	Tree     string   `json:"tree"` // that was judged
}

// Plan is the plan in force.
type Plan struct {
	Digest   string `json:"digest"`
	Revision int    `json:"revision"` // 1 is the first
}

// Finding is a finding of a review.
type Finding struct {
	state.Finding
	Open bool `json:"open"`
}

// Ledger is the ledger up to where the bundle was made.
type Ledger struct {
	Format int    `json:"format"` // of docs/ledger-format.md
	Events int64  `json:"events"`
	Bytes  int64  `json:"bytes"`
	Head   string `json:"head"`   // hash of the last event
	Digest string `json:"digest"` // SHA-256 of the bytes
	Gzip   []byte `json:"gzip"`   // the bytes, packed as RFC 1952 says
}

// LeftOut names something that the delivery has and the bundle has not.
type LeftOut struct {
	Digest  string `json:"digest"`
	Bytes   int64  `json:"bytes"`
	Because string `json:"because"`
}
