// Package provider is the one interface through which a delivery is read back
// from where it was submitted, with types that name no provider.
//
// Implementations are leaves: they import nothing of the engine. They read and
// never write.
package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Names of providers.
const (
	Local       = "local"
	GitHub      = "github"
	AzureDevOps = "azure-devops"
)

// NotInBuildError says that a program has no client of a provider.
type NotInBuildError struct{ Name string }

func (e *NotInBuildError) Error() string {
	return fmt.Sprintf("the provider %q is not in this build", e.Name)
}

// Target is what is read back.
type Target struct {
	Remote string // name of the Git remote
	URL    string // of the remote, without user information
	Branch string
	Base   string
	Head   string // commit that was submitted, or is about to be read
	Source string // work item, "" for none
	Gates  []document.Gate

	PullRequest string   // URL of the pull request that was read back, "" before
	Repository  string   // identity of the repository that was read first, "" before; a name can be given away, this cannot
	Required    []string // checks that the configuration requires, besides what the provider says
	State       string   // that the work item has to have, "" where the plan names none
	Asking      Asking   // the job that waits for the checks; the zero Asking is none
}

// Asking names a job of a pipeline that reads the checks, of which it is one: it cannot
// wait for itself.
type Asking struct {
	Run string // id of the workflow run or build
	Job string // name of the check that the job reports
}

// Answer is what the provider said. Result is pass, fail, info or unknown; what a
// read could not find out is unknown, with what was missing in Because.
type Answer struct {
	Result    evidence.Result
	Summary   string
	Because   string
	Head      string // commit that the answer is about
	Tree      string // its tree
	URL       string // identifier of the pull request, check run or item
	Body      string // text of the pull request, data that others wrote; of a read of it alone
	Proof     string // what shows that the answer is real
	Output    []byte // for the artifact; not yet redacted
	Signature string // of a failure

	// Pending: the answer will come without anybody acting on this machine, so that
	// reading again makes sense. The Result is unknown then.
	Pending bool
	// Repository is the identity of the repository that answered.
	Repository string
	// Comments are what people and bots said on the pull request, in the order of the
	// provider; of a read of comments. A read of the work item gives those on the item.
	Comments []Comment

	// Unreported: no check is required and none is reported about this head. The Result
	// is unknown then; of a read of checks alone.
	Unreported bool
	// RetryAfter is when asking again makes sense at the earliest, 0 where the provider
	// did not say. It asks for patience like Pending does.
	RetryAfter time.Duration
	// State is what the work item is in, "" where it was not found out.
	State string
	// States are other words for it that whoever sets it may use: closed, completed.
	States []string
}

// Kinds of comments.
const (
	Thread       = "thread"       // on a place in the change; can be resolved
	ReviewBody   = "review"       // the text of a review; cannot be resolved
	Conversation = "conversation" // on the pull request as a whole
)

// Comment is a thread, a review's text or a conversation comment. Its texts are
// data that others wrote.
type Comment struct {
	ID       string `json:"id"`   // stable at the provider, and what a reply names
	Kind     string `json:"kind"` // thread, review, conversation
	Author   string `json:"author"`
	Bot      bool   `json:"bot,omitempty"`
	Own      bool   `json:"own,omitempty"` // by the identity that reads
	URL      string `json:"url"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Text     string `json:"text"`
	At       string `json:"at"` // RFC 3339
	Resolved bool   `json:"resolved,omitempty"`
	Outdated bool   `json:"outdated,omitempty"`
	Blocks   bool   `json:"blocks,omitempty"` // a review that asks for changes and stands

	Replies []Reply `json:"replies,omitempty"` // oldest first; for a conversation comment those that quote its URL
}

// Reply is an answer within a comment.
type Reply struct {
	ID     string `json:"id"`
	Author string `json:"author"`
	Own    bool   `json:"own,omitempty"` // by the identity that reads
	Text   string `json:"text"`
	At     string `json:"at"` // RFC 3339
}

// Item is a work item as it was read at the start.
type Item struct {
	Source string // canonical: owner/repo#1, org/project#1
	Title  string
	Text   string // data that others wrote
	State  string
	URL    string
	Proof  string
}

// Approval is a comment on the work item that says /asterweave approve and a digest.
type Approval struct {
	Author string // login or unique name
	Digest string // as it was written, lower case
	URL    string
	At     string // RFC 3339
	Proof  string
	// Refused says why it counts for nothing (edited, no write permission, the agent's own
	// identity, a bot, or what could not be found out), "" when it counts.
	Refused string
}

// Protection is what a finding about the base branch's rules is about.
const Protection = "protection"

// Finding is a line of a provider's own examination, for doctor.
type Finding struct {
	About string // "" for the provider as a whole, Protection for the rules of the base branch
	OK    bool
	What  string // the token's source and host, what can be read, what cannot
	Next  string // the missing grant and the next step, "" when all is well
}

// Provider reads a delivery back.
type Provider interface {
	Name() string
	PullRequest(ctx context.Context, t Target) (Answer, error)
	Checks(ctx context.Context, t Target) (Answer, error)
	Comments(ctx context.Context, t Target) (Answer, error)
	WorkItem(ctx context.Context, t Target) (Answer, error)

	// Item reads the work item that t.Source names, to start from.
	Item(ctx context.Context, t Target) (Item, error)
	// Approvals reads what was approved by comments on the work item.
	Approvals(ctx context.Context, t Target) ([]Approval, error)
	// Examine says what can be read with the token at hand.
	Examine(ctx context.Context, t Target) []Finding
}

// Git is what a provider may need of the repository.
type Git interface {
	LsRemote(ctx context.Context, remote, branch string) (commit string, err error)
	CloneAt(ctx context.Context, remote, branch, commit, dir string) error
	TreeOf(ctx context.Context, commit string) (string, error)
}

// GateResult is how a gate ended in a clean clone.
type GateResult struct {
	Result    evidence.Result
	Summary   string
	Signature string
	Output    []byte
	Exit      *int            // nil where it did not start
	Tests     *evidence.Tests // nil where its runner is not known
}

// RunGate runs a gate in a folder, in an environment without secrets.
type RunGate func(ctx context.Context, dir string, g document.Gate) GateResult
