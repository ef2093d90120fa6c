package engine

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/testrun"
)

// ReadRequest says what is read back, and for how long.
type ReadRequest struct {
	Kind     evidence.Kind
	Wait     time.Duration // 0 reads once
	Progress io.Writer     // lines for people while it waits; nil for none
	By       By
}

// Read reads the provider back and records what it saw. What could not be read is
// recorded as unknown, with what was missing. With a wait, it reads again while the
// provider is still at work and for no longer than that; when the wait ends without
// an answer the delivery pauses, and anyone may resume it.
func (e *Engine) Read(ctx context.Context, req ReadRequest) (evidence.Record, error) {
	v, err := e.Look(ctx)
	if err != nil {
		return evidence.Record{}, err
	}
	if err := (&decide.Draft{View: v.View}).Readable(req.Kind); err != nil {
		return evidence.Record{}, err
	}
	p, err := e.o.Providers(v.State.Delivery.Provider, e.repo, e.CleanGate(v.Facts))
	if err != nil {
		return evidence.Record{}, problem.Wrap(problem.Provider, err, "the delivery's provider is not available in this build")
	}
	a, ended := e.await(ctx, req, v, p)
	if ctx.Err() != nil {
		return evidence.Record{}, problem.Wrap(problem.Failed, ctx.Err(), "nothing is recorded; read again")
	}
	in, err := e.answer(v, req.Kind, a)
	if err != nil {
		return evidence.Record{}, err
	}
	var r evidence.Record
	_, err = e.transact(ctx, call{verb: "read", by: req.By, want: want{commits: true, fresh: true}}, func(d *decide.Draft) error {
		if err := sameWorld(d, v, req.Kind); err != nil {
			return err
		}
		if r, err = d.StoreRead(in); err != nil || !ended || r.Result != evidence.Unknown {
			return err
		}
		return d.Pause(fmt.Sprintf("waiting for %s: %s", req.Kind, r.Because), true)
	})
	return r, err
}

// answer turns what a provider said into what is decided on.
func (e *Engine) answer(v View, kind evidence.Kind, a provider.Answer) (decide.Read, error) {
	in := decide.Read{
		Kind: kind, Result: a.Result, Summary: a.Summary, Because: a.Because, Head: a.Head, Tree: a.Tree, Remote: v.Facts.URL, URL: a.URL,
		Proof: a.Proof, Signature: a.Signature, Repository: a.Repository, State: a.State, States: a.States,
	}
	known := v.State.Comments != nil && (a.Result == evidence.Pass || a.Result == evidence.Info) // and gone by now
	if kind == evidence.ReviewComments && (len(a.Comments) > 0 || known) {
		if err := e.comments(v, a.Comments, &in); err != nil {
			return in, err
		}
	}
	if kind == evidence.WorkItemUpdate {
		if err := e.itemComments(v, a.Comments, &in); err != nil {
			return in, err
		}
	}
	if kind == evidence.WorkItemUpdate && in.State == "" && a.Result == evidence.Pass {
		in.State = e.target(v).State // it was asked for
	}
	if len(a.Output) > 0 {
		var err error
		if in.Path, err = e.putArtifact(v.Facts, a.Output); err != nil {
			return in, ledgerError(err)
		}
	}
	return in, nil
}

// ask asks the provider once.
func (e *Engine) ask(ctx context.Context, v View, p provider.Provider, kind evidence.Kind) (provider.Answer, error) {
	t := e.target(v)
	switch kind {
	case evidence.PullRequest:
		t.Head = v.Facts.Head
		return p.PullRequest(ctx, t)
	case evidence.Pipeline:
		return e.checks(ctx, v, p, t)
	case evidence.ReviewComments:
		return p.Comments(ctx, t)
	default:
		return p.WorkItem(ctx, t)
	}
}

// target is what is read back: the pull request and its head once they are known.
func (e *Engine) target(v View) provider.Target {
	t := provider.Target{
		Remote: v.Facts.Remote, URL: v.Facts.URL, Branch: v.State.Branch, Base: v.State.Delivery.Base, Head: v.Facts.Head,
		Source: v.State.Delivery.Source, Gates: v.Gates(), Required: v.Facts.Config.RequiredChecks,
	}
	if s := v.State.Submitted; s != nil {
		t.Head, t.PullRequest, t.Repository = s.Head, s.URL, s.Repository
	}
	if v.Facts.Plan != nil && v.Facts.Plan.WorkItem != nil {
		t.State = v.Facts.Plan.WorkItem.State
	}
	return t
}

// tooEarly is how long after the pull request was read back nobody can say that no
// check will be reported: services begin them in their own time.
const tooEarly = 2 * time.Minute

// checks reads the pipeline. Where nothing is required and nothing reported, the gates
// run in a clean clone of the submitted head, which is no answer of the provider's and
// so an info.
func (e *Engine) checks(ctx context.Context, v View, p provider.Provider, t provider.Target) (provider.Answer, error) {
	if p.Name() == provider.Local {
		return e.gatesInClone(ctx, v, p, t)
	}
	a, err := p.Checks(ctx, t)
	if err != nil || !a.Unreported || a.Result != evidence.Unknown {
		return a, err
	}
	if r := v.State.Slots[string(evidence.PullRequest)].Counts; r != nil && e.o.Now().Sub(r.At) < tooEarly {
		a.Pending, a.Because = true, "no check is required and none is reported yet; within "+tooEarly.String()+" of the pull request that says nothing"
		return a, nil
	}
	local, err := e.o.Providers(provider.Local, e.repo, e.CleanGate(v.Facts))
	if err != nil {
		return a, nil //nolint:nilerr // the provider's own answer stands
	}
	b, err := e.gatesInClone(ctx, v, local, t)
	if err != nil {
		return a, err
	}
	b.Proof, b.Repository = a.Proof, a.Repository
	b.Output = slices.Concat(a.Output, b.Output)
	if b.Result == evidence.Pass {
		b.Result, b.Because = evidence.Info, "no check is required or reported at "+p.Name()+"; the gates pass in a clean clone instead"
	}
	return b, nil
}

// gatesInClone runs the gates for a pipeline, unless they would show nothing here.
func (e *Engine) gatesInClone(ctx context.Context, v View, p provider.Provider, t provider.Target) (provider.Answer, error) {
	if why := e.otherEnvironment(v); why != "" {
		return provider.Answer{Result: evidence.Unknown, Summary: "the pipeline was not run", Because: why, Head: t.Head}, nil
	}
	return p.Checks(ctx, t)
}

// otherEnvironment says why gates that run here and now would show nothing, or is "".
func (e *Engine) otherEnvironment(v View) string {
	if err := e.readPrograms(v.Facts, v.Facts.Plan.Gates); err != nil {
		return err.Error()
	}
	if why := v.Environment(v.Facts.Surroundings); why != "" {
		return why
	}
	if other := v.OtherPrograms(v.Facts.Programs); len(other) > 0 {
		return "a program is not the one that it was: " + gate.DescribePrograms(other)
	}
	return ""
}

// CleanGate runs gates for a pipeline: in another folder, in an environment built
// from a list of what is allowed.
func (e *Engine) CleanGate(f *gate.Facts) provider.RunGate {
	return func(ctx context.Context, dir string, g document.Gate) provider.GateResult {
		argv, shell := gateCommand(g)
		if h := command.Hostile(e.o.Environ); len(h) > 0 {
			return provider.GateResult{Result: evidence.Unknown, Summary: "the environment keeps runners from running what they should: " + strings.Join(h, ", ")}
		}
		before := reportStamp(dir, &g)
		counter := testrun.NewCounter(argv)
		out := command.Run(ctx, command.Spec{
			Argv: argv, Shell: shell, Dir: dir, Env: withEnv(CleanEnv(e.o.Environ), g.Env), Timeout: g.Duration(), Stream: counter, Cap: maxOutput,
		})
		in := decide.Run{Kind: evidence.Kind(g.Kind), Gate: &g}
		if err := e.interpret(&in, f, out, counter, dir, before); err != nil {
			return provider.GateResult{Result: evidence.Unknown, Summary: err.Error()}
		}
		r := provider.GateResult{Output: out.Output, Signature: "pipeline/" + in.Signature}
		if out.StartErr == "" {
			r.Exit = &in.Exit
		}
		if in.Tests.Runner != "" {
			r.Tests = &in.Tests
		}
		switch {
		case out.StartErr != "":
			r.Result, r.Summary = evidence.Fail, "it could not start: "+out.StartErr
		case out.Canceled:
			r.Result, r.Summary = evidence.Unknown, "it was interrupted"
		case out.TimedOut:
			r.Result, r.Summary = evidence.Fail, "it ran into its time limit"
		case in.Kind.IsTest():
			var removed []string
			if f.Plan != nil {
				removed = f.Plan.RemovedTests
			}
			r.Result, r.Summary = testrun.Judge(in.Tests, in.Exit, g.Counts == "exit", nil, removed)
		case in.Exit != 0:
			r.Result, r.Summary = evidence.Fail, "it failed"
		default:
			r.Result = evidence.Pass
		}
		if r.Summary == "" {
			r.Summary = string(r.Result)
		}
		return r
	}
}

// CleanEnv returns the variables that a command needs to run at all: none that is
// known to carry a secret, and none that steers a runner but PATH and the places of
// caches. What the user's own files say is looked at apart.
func CleanEnv(environ []string) []string {
	allowed := map[string]bool{
		"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "LANG": true, "LC_ALL": true, "TZ": true, "TMPDIR": true, "TERM": true,
		"SHELL": true, "GOPATH": true, "GOMODCACHE": true, "GOCACHE": true, "GOPROXY": true, "GOTOOLCHAIN": true, "GOSUMDB": true, "JAVA_HOME": true,
		"CARGO_HOME": true, "RUSTUP_HOME": true, "PYENV_ROOT": true, "NVM_DIR": true, "SYSTEMROOT": true, "USERPROFILE": true,
		"LOCALAPPDATA": true, "APPDATA": true, "PATHEXT": true, "COMSPEC": true, "TEMP": true, "TMP": true,
	}
	var out []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if credential := name == "GOPROXY" && strings.Contains(value, "@"); allowed[name] && !credential {
			out = append(out, kv)
		}
	}
	return out
}

// Review stores a reviewer's verdict. artifact is the block as it was given.
func (e *Engine) Review(ctx context.Context, cause string, by By, rev document.Review, who decide.Reviewer, block []byte) (evidence.Record, error) {
	var r evidence.Record
	_, err := e.transact(ctx, call{verb: "review", cause: cause, by: by, want: want{review: true}}, func(d *decide.Draft) error {
		path, err := e.putArtifact(d.Facts, block)
		if err != nil {
			return ledgerError(err)
		}
		r, err = d.Review(rev, who, path)
		return err
	})
	return r, err
}
