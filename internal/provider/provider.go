// Package provider is the one interface through which a delivery is read back
// from where it was submitted, with types that name no provider.
//
// Implementations are leaves: they import nothing of the engine. They read and
// never write.
package provider

import (
	"context"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
)

// Names of providers.
const (
	Local       = "local"
	GitHub      = "github"
	AzureDevOps = "azure-devops"
)

// Target is what is read back.
type Target struct {
	Remote string // name of the Git remote
	URL    string // of the remote
	Branch string
	Base   string
	Head   string // commit that was submitted, or is about to be read
	Source string // work item, "" for none
	Gates  []document.Gate
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
	Proof     string // what shows that the answer is real
	Output    []byte // for the artifact; not yet redacted
	Signature string // of a failure
}

// Provider reads a delivery back.
type Provider interface {
	Name() string
	PullRequest(ctx context.Context, t Target) (Answer, error)
	Checks(ctx context.Context, t Target) (Answer, error)
	Comments(ctx context.Context, t Target) (Answer, error)
	WorkItem(ctx context.Context, t Target) (Answer, error)
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
}

// RunGate runs a gate in a folder, in an environment without secrets.
type RunGate func(ctx context.Context, dir string, g document.Gate) GateResult
