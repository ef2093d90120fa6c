// Package engine holds the use cases of a delivery: each reads the world, lets
// package decide judge, and appends one event. It names no harness; adapters turn
// the events of a harness into calls of an Engine.
package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
)

// Schemas validates documents. The hook program has none and relies on strict
// decoding and the checks of package document.
type Schemas interface {
	Validate(name string, data []byte) error
}

// Providers makes a provider by name.
type Providers func(name string, git provider.Git, run provider.RunGate) (provider.Provider, error)

// Options is what the wiring passes in.
type Options struct {
	Root        string // of the worktree
	Now         func() time.Time
	Environ     []string // of this process
	Schemas     Schemas  // may be nil
	Providers   Providers
	LockTimeout time.Duration
	FS          durable.FS // nil is the operating system's

	// Sleep waits between two reads of a provider; nil is a real wait.
	Sleep func(context.Context, time.Duration) error
}

// Engine works on the delivery of one worktree.
type Engine struct {
	o    Options
	repo *gitrepo.Repo
	log  *ledger.Log
}

// Open returns the engine of the worktree at o.Root. It starts no process.
func Open(o Options) (*Engine, error) {
	repo, err := gitrepo.Open(o.Root)
	if err != nil {
		return nil, problem.Wrap(problem.NoRepository, err, "run this inside a Git repository")
	}
	return &Engine{o: o, repo: repo, log: ledger.Open(stateDir(o.Root), ledger.Options{
		Anchor: anchorPath(repo), LockTimeout: o.LockTimeout, FS: o.FS, Now: o.Now,
	})}, nil
}

func stateDir(root string) string {
	return filepath.Join(root, filepath.FromSlash(document.StateFolder))
}

// Root returns the root of the worktree.
func (e *Engine) Root() string { return e.o.Root }

// StateDir returns the state folder.
func (e *Engine) StateDir() string { return e.log.Dir() }

// GitDir returns the Git folder of the worktree, and CommonDir the one that all
// worktrees of the repository share. Both start no process.
func (e *Engine) GitDir() string { return e.repo.GitDir() }

// CommonDir is described at GitDir.
func (e *Engine) CommonDir() (string, error) { return e.repo.CommonDir() }

// Exists reports whether there is a ledger here.
func (e *Engine) Exists() bool { return e.log.Exists() }

// Artifact returns the bytes of an artifact.
func (e *Engine) Artifact(digest string) ([]byte, error) { return e.log.Artifact(digest) }

// ledgerError gives errors of the ledger their code.
func ledgerError(err error) error {
	var (
		coded   *problem.Error
		damage  *ledger.DamageError
		version *ledger.VersionError
		timeout *durable.LockTimeoutError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &coded):
		return err
	case errors.As(err, &damage):
		return problem.Wrap(problem.Ledger, err, "verify and doctor show where; nothing is written until a human has looked, and put it back or ended it with abort in a terminal of their own")
	case errors.As(err, &version):
		return problem.Wrap(problem.Ledger, err, "use the version of asterweave-state that wrote it, or a newer one")
	case errors.As(err, &timeout):
		return problem.Wrap(problem.LockTimeout, err, "another call is at work here; try again when it has ended")
	}
	return problem.Wrap(problem.Failed, err, "doctor says whether the state folder is healthy")
}

func newID(now time.Time) (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("delivery id: %w", err)
	}
	return now.UTC().Format("20060102") + "-" + hex.EncodeToString(b[:]), nil
}

// By is who calls.
type By = evidence.By

// gateCommand returns what a gate runs.
func gateCommand(g document.Gate) (argv []string, shell string) {
	if g.Shell != "" {
		return nil, g.Shell
	}
	return g.Argv, ""
}

// background is used where a result has to be stored although the caller is gone.
func background(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}
