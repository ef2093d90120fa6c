package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/internal/testrun"
)

// Read reads the provider back and records what it saw. What could not be read is
// recorded as unknown, with what was missing. With a wait, it reads for no longer
// than that; when the wait ends without an answer the delivery pauses, and anyone
// may resume it.
func (e *Engine) Read(ctx context.Context, by By, kind evidence.Kind, wait time.Duration) (evidence.Record, error) {
	v, err := e.Look(ctx)
	if err != nil {
		return evidence.Record{}, err
	}
	if err := (&decide.Draft{View: v.View}).Readable(kind); err != nil {
		return evidence.Record{}, err
	}
	asking := ctx
	if wait > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	a, err := e.ask(asking, v, kind)
	if ctx.Err() != nil {
		return evidence.Record{}, problem.Wrap(problem.Failed, ctx.Err(), "nothing is recorded; read again")
	}
	ended := asking.Err() != nil
	if err != nil || ended && a.Result != evidence.Pass {
		if ended {
			err = fmt.Errorf("the wait of %s ended without an answer", wait)
		}
		a = provider.Answer{Result: evidence.Unknown, Summary: "the provider could not be read", Because: err.Error(), Head: v.Facts.Head}
	}
	in := decide.Read{
		Kind: kind, Result: a.Result, Summary: a.Summary, Because: a.Because, Head: a.Head, Tree: a.Tree, Remote: v.Facts.URL, URL: a.URL, Proof: a.Proof, Signature: a.Signature,
	}
	if len(a.Output) > 0 {
		if in.Path, err = e.putArtifact(v.Facts, a.Output); err != nil {
			return evidence.Record{}, ledgerError(err)
		}
	}
	var r evidence.Record
	_, err = e.transact(ctx, call{verb: "read", by: by, want: want{commits: true, fresh: true}}, func(d *decide.Draft) error {
		if err := sameWorld(d, v, kind); err != nil {
			return err
		}
		if r, err = d.StoreRead(in); err != nil || !ended || r.Result != evidence.Unknown {
			return err
		}
		return d.Pause(fmt.Sprintf("waiting for %s: %s", kind, r.Because), true)
	})
	return r, err
}

func (e *Engine) ask(ctx context.Context, v View, kind evidence.Kind) (provider.Answer, error) {
	p, err := e.o.Providers(v.State.Delivery.Provider, e.repo, e.cleanGate(v.Facts))
	if err != nil {
		return provider.Answer{}, problem.Wrap(problem.Provider, err, "the delivery's provider is not available in this build")
	}
	t := provider.Target{
		Remote: v.Facts.Remote, URL: v.Facts.URL, Branch: v.State.Branch, Base: v.State.Delivery.Base, Head: v.Facts.Head,
		Source: v.State.Delivery.Source, Gates: v.Gates(),
	}
	if kind != evidence.PullRequest && v.State.Submitted != nil {
		t.Head = v.State.Submitted.Head
	}
	switch kind {
	case evidence.PullRequest:
		return p.PullRequest(ctx, t)
	case evidence.Pipeline:
		if why := e.otherEnvironment(v); why != "" {
			return provider.Answer{Result: evidence.Unknown, Summary: "the pipeline was not run", Because: why, Head: t.Head}, nil
		}
		return p.Checks(ctx, t)
	case evidence.ReviewComments:
		return p.Comments(ctx, t)
	default:
		return p.WorkItem(ctx, t)
	}
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

// cleanGate runs gates for a pipeline: in another folder, in an environment built
// from a list of what is allowed.
func (e *Engine) cleanGate(f *gate.Facts) provider.RunGate {
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

// Intend announces an external write.
func (e *Engine) Intend(ctx context.Context, by By, in state.Intent, body []byte) (state.Intent, *state.Ask, error) {
	v, err := e.Look(ctx)
	if err != nil {
		return in, nil, err
	}
	if in.Body, err = e.putArtifact(v.Facts, body); err != nil {
		return in, nil, ledgerError(err)
	}
	var ask *state.Ask
	_, err = e.transact(ctx, call{verb: "intend", by: by, want: want{commits: true, fresh: true}}, func(d *decide.Draft) error {
		in, ask, err = d.Intend(in)
		return err
	})
	return in, ask, err
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
