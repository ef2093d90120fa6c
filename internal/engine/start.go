package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/state"
)

// StartRequest opens a delivery.
type StartRequest struct {
	Goal     string
	Source   string // work item, "" for none
	Provider string // "" selects one
	Base     string // "" is the remote's HEAD, else the current branch
	AutoPR   bool
	By       By
	Cause    string
}

// Start opens a delivery. A finished one is moved to the archive first.
func (e *Engine) Start(ctx context.Context, req StartRequest) (*decide.Draft, error) {
	w, err := e.log.Lock(ctx)
	if err != nil {
		return nil, ledgerError(err)
	}
	defer w.Close()
	s, err := e.load(w.Tail())
	if err != nil {
		return nil, ledgerError(err)
	}
	if s.Delivery.Open() {
		return nil, problem.New(problem.Conflict, fmt.Sprintf("delivery %s is open in this worktree", s.Delivery.ID),
			"next goes on with it; another worktree can hold another delivery")
	}
	del, f, g, err := e.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	// What can be refused is refused before the finished delivery moves away.
	dry, err := decide.New(state.New(), g, f, 1, e.o.Now(), req.By)
	if err != nil {
		return nil, err
	}
	if err := dry.Start(del); err != nil {
		return nil, err
	}
	if s.Delivery.ID != "" {
		if err := w.Archive(s.Delivery.ID); err != nil {
			return nil, ledgerError(err)
		}
	}
	return e.commit(w, call{verb: "start", cause: req.Cause, by: req.By}, state.New(), g, f, func(d *decide.Draft) error { return d.Start(del) })
}

func (e *Engine) prepare(ctx context.Context, req StartRequest) (state.Delivery, *gate.Facts, *graph.Graph, error) {
	del := state.Delivery{Goal: req.Goal, Source: req.Source, Base: req.Base, AutoPR: req.AutoPR}
	var err error
	if del.ID, err = newID(e.o.Now()); err != nil {
		return del, nil, nil, err
	}
	remote, err := e.repo.Remote(ctx)
	if err != nil {
		return del, nil, nil, gitError(err)
	}
	if del.Base == "" {
		if del.Base, err = e.repo.DefaultBase(ctx, remote); err != nil {
			return del, nil, nil, gitError(err)
		}
	} else if head, err := e.repo.Head(ctx); err == nil && !head.Unborn {
		if _, err := e.repo.BaseRef(ctx, remote, del.Base); err != nil {
			return del, nil, nil, problem.Wrap(problem.Usage, err, "name a branch that exists with --base")
		}
	}
	if del.Excludes, err = e.repo.ExcludesDigest(ctx); err != nil {
		return del, nil, nil, gitError(err)
	}
	ambient, err := e.repo.Ambient(ctx)
	if err != nil {
		return del, nil, nil, gitError(err)
	}
	list, err := json.Marshal(ambient)
	if err != nil {
		return del, nil, nil, fmt.Errorf("untracked files: %w", err)
	}
	if del.Ambient, err = e.log.PutArtifact(list); err != nil {
		return del, nil, nil, ledgerError(err)
	}
	if del.Graph, err = e.log.PutArtifact(graph.Embedded()); err != nil {
		return del, nil, nil, ledgerError(err)
	}
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		return del, nil, nil, err
	}
	fresh := state.New()
	fresh.Delivery = del
	f, err := e.facts(ctx, fresh, want{fresh: true, commits: true})
	if err != nil {
		return del, nil, nil, err
	}
	if base := f.Config.Base; req.Base == "" && base != "" && base != del.Base {
		del.Base, fresh.Delivery.Base = base, base
		if f, err = e.facts(ctx, fresh, want{fresh: true, commits: true}); err != nil {
			return del, nil, nil, err
		}
	}
	del.Remote, del.URL = f.Remote, f.URL
	if del.Provider, err = e.selectProvider(req.Provider, f); err != nil {
		return del, nil, nil, err
	}
	return del, f, g, nil
}

// selectProvider takes the named provider, else the configured one, else local.
func (e *Engine) selectProvider(name string, f *gate.Facts) (string, error) {
	if name == "" {
		name = f.Config.Provider
	}
	if name == "" {
		name = provider.Local
	}
	if _, err := e.o.Providers(name, e.repo, nil); err != nil {
		return "", problem.Wrap(problem.Usage, err, "name another with --provider")
	}
	return name, nil
}

// Do runs one decision as one event.
func (e *Engine) Do(ctx context.Context, verb string, by By, fn func(*decide.Draft) error) (*decide.Draft, error) {
	return e.DoFor(ctx, verb, "", by, fn)
}

// DoFor is Do with the harness event that caused the call.
func (e *Engine) DoFor(ctx context.Context, verb, cause string, by By, fn func(*decide.Draft) error) (*decide.Draft, error) {
	return e.transact(ctx, call{verb: verb, cause: cause, by: by, want: want{commits: verb == "approve", fresh: verb == "approve"}}, fn)
}

// Observe appends what a hook saw, without syncing it: it is no evidence.
func (e *Engine) Observe(ctx context.Context, cause string, by By, t state.Tool) error {
	_, err := e.transact(ctx, call{verb: "tool", cause: cause, by: by, async: true}, func(d *decide.Draft) error { return d.Tool(t) })
	return err
}

// Bind binds a harness session to the delivery, without reading the world and
// without syncing: it is no evidence.
func (e *Engine) Bind(ctx context.Context, cause string, by By, session string) error {
	_, err := e.transact(ctx, call{verb: "lease", cause: cause, by: by, async: true}, func(d *decide.Draft) error { return d.Lease(session) })
	return err
}

// View is the delivery as it stands, with what the world says about it.
type View struct {
	gate.View
	Tail ledger.Tail
}

// Look reads the delivery and the world; it takes no lock and writes nothing.
func (e *Engine) Look(ctx context.Context) (View, error) {
	s, t, err := e.current()
	if err != nil {
		return View{}, err
	}
	g, err := e.graphOf(s)
	if err != nil {
		return View{}, err
	}
	f, err := e.facts(ctx, s, want{commits: true})
	if err != nil {
		return View{}, err
	}
	return View{View: gate.View{State: s, Graph: g, Facts: f}, Tail: t}, nil
}

// Peek reads the delivery alone, without the world.
func (e *Engine) Peek() (*state.State, error) {
	s, _, err := e.current()
	return s, err
}

// Prompted notes what next printed, without syncing it.
func (e *Engine) Prompted(ctx context.Context, by By, digest string, size int, agent string) error {
	_, err := e.transact(ctx, call{verb: "next", by: by, async: true}, func(d *decide.Draft) error { return d.Prompted(digest, size, agent) })
	return err
}
