// Package contract says, as one suite of tests, what every provider owes to those
// who ask it: what each read answers as the world moves, that what could not be
// read is unknown, that nothing is written, and that no answer shows the token.
//
// A provider's own tests build a [World] and call [Test].
package contract

import (
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
)

// Ability is something that not every provider has a place for.
type Ability string

// The abilities. Without one, the suite asks that the provider says so (info, or
// unknown where a work item is named) and never that it passes.
const (
	PullRequests Ability = "pull requests" // apart from the branch
	Pending      Ability = "pending"       // a check can be on its way
	Comments     Ability = "comments"
	Items        Ability = "items"     // work items, and their links to pull requests
	Approvals    Ability = "approvals" // comments on work items
	Faults       Ability = "faults"    // answers over HTTP, which can be broken
)

// State is how a check stands.
type State string

// The states of checks.
const (
	Passing State = "passing"
	Failing State = "failing"
	Running State = "running" // needs Pending
)

// Text is what a pull request says.
const Text = "Refunds have a cap.\n\nNone is larger."

// Person is who writes a comment.
type Person string

// The persons. Writer may push to the repository, Stranger may not and may comment
// all the same; Agent is the identity whose token the provider reads with.
const (
	Writer   Person = "writer"
	Stranger Person = "stranger"
	Agent    Person = "agent"
)

// Fault is how an answer over HTTP is broken.
type Fault string

// The faults.
const (
	Forbidden   Fault = "403"
	NotFound    Fault = "404"
	Empty       Fault = "empty"     // 200 without a body
	Hollow      Fault = "hollow"    // 200 with {}
	Truncated   Fault = "truncated" // the connection ends within the body
	Malformed   Fault = "malformed" // 200 with a page where JSON should be
	SignIn      Fault = "sign-in"   // 203 with a page to sign in
	Stalled     Fault = "timeout"   // no answer as long as the client waits
	Limited     Fault = "429"       // with Retry-After of an hour
	Unavailable Fault = "502"
	Elsewhere   Fault = "redirected" // 301 to another host
	Moved       Fault = "moved"      // the answer is a true one, and then the branch gets another commit, in pull request and all
)

// EveryFault returns all faults.
func EveryFault() []Fault {
	return []Fault{Forbidden, NotFound, Empty, Hollow, Truncated, Malformed, SignIn, Stalled, Limited, Unavailable, Elsewhere, Moved}
}

// World is a repository at a provider, with a delivery's branch, and the hands of the
// people, bots and agents that change it. A World is of one test: methods that fail
// end it.
//
// A new World has a base branch with a commit, and on the delivery's branch nothing.
// No check is required and none is reported.
type World interface {
	// Provider returns a provider as the wiring would make it: nothing is remembered of
	// what another one read. Each wait of a request is bound by patience.
	Provider(t *testing.T, patience time.Duration) provider.Provider
	// Can reports whether there is a place for something.
	Can(a Ability) bool
	// Target returns what the engine would ask about now: Head is the commit that was
	// submitted last, PullRequest is empty, Source is the item that Item made last, and
	// State is empty.
	Target(t *testing.T) provider.Target
	// Tree returns the tree of a commit, as Git says it.
	Tree(t *testing.T, commit string) string

	// Submit commits something, pushes it to the delivery's branch, and opens a pull
	// request to the base with the text Text unless one is open. The commit is the Target's Head from then on.
	Submit(t *testing.T)
	// Push does the same without any pull request or change of the Target: somebody else
	// pushes to the branch. An open pull request follows.
	Push(t *testing.T)
	// Close closes the pull request without merging it.
	Close(t *testing.T)

	// Check makes a check a required one and reports on it for the newest commit of the
	// branch. It can be called again for the same name, and before Submit for providers
	// that run checks themselves.
	Check(t *testing.T, name string, s State)
	// Require makes a check a required one that nobody has reported on.
	Require(t *testing.T, name string)

	// Asking names the job that reports the newest of a check, as it would name itself.
	Asking(t *testing.T, name string) provider.Asking

	// Say begins a thread on the pull request that can be resolved, and returns its ID.
	Say(t *testing.T, who Person, text string) (id string)
	// Reply answers within a thread.
	Reply(t *testing.T, id string, who Person, text string)
	// Resolve resolves a thread.
	Resolve(t *testing.T, id string)

	// Item makes an open work item, which the Target names from then on.
	Item(t *testing.T, title, text string)
	// Link links the work item with the pull request, as the provider's users do.
	Link(t *testing.T)
	// Finish brings the work item into the state that the method returns, which is what a
	// plan would name for done.
	Finish(t *testing.T) (state string)
	// Comment writes a comment on the work item.
	Comment(t *testing.T, who Person, text string) (id string)
	// Edit changes a comment of Comment.
	Edit(t *testing.T, id, text string)

	// Break breaks every answer after the next n ones, until Repair. With only, it breaks
	// one answer and no more; Moved always happens once.
	Break(t *testing.T, f Fault, n int, only bool)
	// Repair ends Break.
	Repair(t *testing.T)
	// Requests counts what was asked for since the World is there.
	Requests() int
	// Writes counts the requests that were not reads; all of them were refused.
	Writes() int
	// Token is the secret that the provider reads with, "" where there is none.
	Token() string
}
