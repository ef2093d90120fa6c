package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/state"
)

// StartRequest opens a delivery.
type StartRequest struct {
	Goal     string // "" is the title of the work item
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
	del, chosen, f, g, err := e.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	item, err := e.intake(ctx, &del, f)
	if err != nil {
		return nil, err
	}
	open := func(d *decide.Draft) error {
		if err := d.Start(del, chosen); err != nil || item == nil {
			return err
		}
		return d.StartFrom(*item)
	}
	// What can be refused is refused before the finished delivery moves away.
	dry, err := decide.New(state.New(), g, f, 1, e.o.Now(), req.By)
	if err != nil {
		return nil, err
	}
	if err := open(dry); err != nil {
		return nil, err
	}
	if s.Delivery.ID != "" {
		if err := w.Archive(s.Delivery.ID); err != nil {
			return nil, ledgerError(err)
		}
	}
	return e.commit(w, call{verb: "start", cause: req.Cause, by: req.By}, state.New(), g, f, open)
}

// prepare reads what a delivery starts from. chosen names what the request asks for
// other than the repository has it.
func (e *Engine) prepare(ctx context.Context, req StartRequest) (del state.Delivery, chosen []string, f *gate.Facts, g *graph.Graph, err error) {
	del = state.Delivery{Goal: req.Goal, Source: req.Source, AutoPR: req.AutoPR}
	if del.ID, err = newID(e.o.Now()); err != nil {
		return del, nil, nil, nil, err
	}
	if err = e.fixWorld(ctx, &del); err != nil {
		return del, nil, nil, nil, err
	}
	if g, err = graph.Parse(graph.Embedded()); err != nil {
		return del, nil, nil, nil, err
	}
	remote, err := e.repo.Remote(ctx)
	if err == nil {
		del.Base, err = e.repo.DefaultBase(ctx, remote)
	}
	if err != nil {
		return del, nil, nil, nil, gitError(err)
	}
	if f, err = e.startFacts(ctx, del); err != nil {
		return del, nil, nil, nil, err
	}
	own := cmp.Or(f.Config.Base, del.Base)
	if req.Base != "" && req.Base != own {
		chosen = append(chosen, "base")
	}
	if base := cmp.Or(req.Base, own); base != del.Base {
		if err := e.checkBase(ctx, remote, base); err != nil {
			return del, nil, nil, nil, err
		}
		del.Base = base
		if f, err = e.startFacts(ctx, del); err != nil {
			return del, nil, nil, nil, err
		}
	}
	usual := cmp.Or(f.Config.Provider, Forge(f.URL))
	if req.Provider != "" && req.Provider != usual {
		chosen = append(chosen, "provider")
	}
	del.Provider = cmp.Or(req.Provider, usual)
	if _, err := e.o.Providers(del.Provider, e.repo, nil); err != nil {
		return del, nil, nil, nil, problem.Wrap(problem.Usage, err, "name another with --provider")
	}
	return del, chosen, f, g, nil
}

// Forge returns the provider that a remote's URL stands for: one of a service's own hosts,
// else the local one. A host that merely looks like a forge's is named in the configuration.
func Forge(url string) string {
	r, err := remote.Parse(url)
	if err != nil || !r.Known {
		return provider.Local
	}
	return r.Provider
}

// fixWorld stores what the delivery is compared with to its end.
func (e *Engine) fixWorld(ctx context.Context, del *state.Delivery) error {
	var err error
	if del.Excludes, err = e.repo.ExcludesDigest(ctx); err != nil {
		return gitError(err)
	}
	ambient, err := e.repo.Ambient(ctx)
	if err != nil {
		return gitError(err)
	}
	list, err := json.Marshal(ambient)
	if err != nil {
		return fmt.Errorf("untracked files: %w", err)
	}
	if del.Ambient, err = e.log.PutArtifact(list); err != nil {
		return ledgerError(err)
	}
	if del.Graph, err = e.log.PutArtifact(graph.Embedded()); err != nil {
		return ledgerError(err)
	}
	return nil
}

// startFacts reads the world for a delivery that is not stored yet.
func (e *Engine) startFacts(ctx context.Context, del state.Delivery) (*gate.Facts, error) {
	s := state.New()
	s.Delivery = del
	f, err := e.facts(ctx, s, want{fresh: true, commits: true})
	if err != nil || f.URL == "" {
		return f, err
	}
	if f.Trunk, err = e.repo.RemoteHead(ctx, f.Remote); err != nil {
		return nil, gitError(err)
	}
	return f, nil
}

// checkBase refuses a base that is no branch, or none that is here once there are any.
func (e *Engine) checkBase(ctx context.Context, remote, base string) error {
	err := gitrepo.CheckBranch(base)
	if head, herr := e.repo.Head(ctx); err == nil && herr == nil && !head.Unborn {
		_, err = e.repo.BaseRef(ctx, remote, base)
	}
	if err != nil {
		return problem.Wrap(problem.Usage, err, "name a branch that exists as the base")
	}
	return nil
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

// Heard notes that a human spoke in the conversation, without reading the world and
// without syncing.
func (e *Engine) Heard(ctx context.Context, cause string, by By) error {
	_, err := e.transact(ctx, call{verb: "heard", cause: cause, by: by, async: true}, func(d *decide.Draft) error { return d.Heard() })
	return err
}

// Use counts what a transcript says about models, without reading the world and
// without syncing: it is no evidence.
func (e *Engine) Use(ctx context.Context, cause string, by By, u state.Used) error {
	_, err := e.transact(ctx, call{verb: "usage", cause: cause, by: by, async: true}, func(d *decide.Draft) error { return d.Used(u) })
	return err
}

// Hold decides whether a turn of the harness may end, without reading the world and
// without syncing. The state is as it is afterwards.
func (e *Engine) Hold(ctx context.Context, cause string, by By) (goOn bool, s *state.State, err error) {
	d, err := e.transact(ctx, call{verb: "hold", cause: cause, by: by, async: true}, func(d *decide.Draft) error {
		goOn, err = d.Hold()
		return err
	})
	if err != nil {
		return false, nil, err
	}
	return goOn, d.State, nil
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
