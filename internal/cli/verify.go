package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/ci"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/schema"
	"github.com/asterweave/asterweave/internal/sshsign"
	"github.com/asterweave/asterweave/internal/verify"
)

func (a *app) verifyCommand() *cobra.Command {
	var (
		ci   bool
		file string
		job  string
		o    verify.Options
	)
	c := verb("verify", "check the ledger; with --ci, a bundle on a clean checkout; never writes", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if ci {
			return a.verifyBundle(c, file, job, o)
		}
		for _, name := range []string{"bundle", "head", "base", "remote", "pull", "delivery", "job", "rerun", "wait", "allow-unknown"} {
			if c.Flags().Changed(name) {
				return problem.New(problem.Usage, "--"+name+" is for --ci", "without --ci, the ledger of this worktree is checked")
			}
		}
		e, err := a.engine()
		if err != nil {
			return err
		}
		return a.verifyLedger(c, e)
	})
	f := c.Flags()
	f.BoolVar(&ci, "ci", false, "hold a bundle against this checkout, the base branch and the provider")
	f.StringVar(&file, "bundle", "", "file with the bundle, - for standard input (default: the note of the head)")
	f.StringVar(&o.Head, "head", "", "commit that the pull request is at (default: what the event says, else the checkout's)")
	f.StringVar(&o.Base, "base", "", "branch that it goes into (default: what the event says, else the remote's default)")
	f.StringVar(&o.Remote, "remote", "", "remote that the base was fetched from (default: as Git selects it)")
	f.StringVar(&o.Pull, "pull", "", "URL of the pull request")
	f.StringVar(&o.Delivery, "delivery", "", "id of the delivery, where the note holds several")
	f.StringVar(&job, "job", "", "name of the check that this job reports, which it does not wait for (default: the job's id)")
	f.BoolVar(&o.Rerun, "rerun", false, "run the gates again, in an environment without secrets, and compare")
	f.DurationVar(&o.Wait, "wait", 0, "wait so long for required checks that are under way, such as 20m")
	f.StringArrayVar(&o.Allow, "allow-unknown", nil, "let this check be unknown; can be given for several")
	return c
}

func (a *app) verifyLedger(c *cobra.Command, e *engine.Engine) error {
	r, err := e.Verify(c.Context())
	if err != nil {
		return err
	}
	a.answer(map[string]any{"ok": !r.Damaged(), "report": r})
	for _, p := range r.Problems {
		a.say("%s", p)
	}
	for _, w := range r.Warnings {
		a.say("warning: %s", w)
	}
	if r.Torn > 0 {
		a.say("warning: torn: %d bytes behind the last event; the next write moves them aside", r.Torn)
	}
	a.say("%d events, head %s", r.Events, r.Head)
	if r.Damaged() {
		return statusError(exitLedger)
	}
	return nil
}

func (a *app) verifyBundle(c *cobra.Command, file, job string, o verify.Options) error {
	for _, name := range o.Allow {
		if !slices.Contains(verify.Names(), name) {
			return problem.New(problem.Usage, fmt.Sprintf("there is no check %q", name), "the checks are "+strings.Join(verify.Names(), ", "))
		}
	}
	e, err := a.engine()
	if err != nil {
		return err
	}
	o.Root = e.Root()
	if o.Envelope, err = a.readBundle(file); err != nil {
		return err
	}
	o.Now, o.Environ, o.Providers, o.Signers = time.Now, a.environ, a.providers, signers
	o.Schema = func(payload []byte) error { return schema.New().Validate(schema.Bundle, payload) }
	event, err := ci.Read(a.environ, os.ReadFile)
	if err != nil {
		return eventError(err)
	}
	if o.Rerun && event.Privileged {
		return problem.New(problem.GateShut, fmt.Sprintf("an event %q runs with the base branch's secrets and rights, and the gates run what the head brings", event.Name),
			"run the gates again in a job that pull_request starts")
	}
	o.System, o.Asking = event.Provider, event.Asking
	o.Head, o.Base, o.Pull = cmp.Or(o.Head, event.Head), cmp.Or(o.Base, event.Base), cmp.Or(o.Pull, event.Pull)
	o.Asking.Job = cmp.Or(job, o.Asking.Job)
	if !a.json {
		o.Progress = func(text string) { a.say("%s", ci.Text(text)) }
	}
	v, err := verify.Run(c.Context(), o)
	if err != nil {
		return err
	}
	if err := a.answerSafely(map[string]any{"ok": v.Open(), "verdict": v}); err != nil {
		return err
	}
	a.sayChecks(v)
	if err := a.tell(event, v); err != nil {
		return err
	}
	if !v.Open() {
		return statusError(exitShut)
	}
	return nil
}

// signers says who signed a bundle, and why other signatures count for nothing.
func signers(s bundle.Signed, allowed []byte, now time.Time) (who, refused []string) {
	verdicts, err := sshsign.Verify(s.Payload, s.Signatures, allowed, now)
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, v := range verdicts {
		if v.Counts() {
			who = append(who, v.Principals+" ("+v.Fingerprint+")")
			continue
		}
		refused = append(refused, v.Because)
	}
	return who, refused
}

func eventError(err error) error {
	var unsafe *ci.UnsafeError
	if errors.As(err, &unsafe) {
		return problem.Wrap(problem.GateShut, err, "verify in a job that pull_request starts")
	}
	return problem.New(problem.Failed, ci.Text(err.Error()), "name head and base with --head and --base where the event is another one")
}

// answerSafely is answer for the log of a run, where what others wrote must not become a
// command.
func (a *app) answerSafely(v any) error {
	if !a.json {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("the verdict cannot be printed: %w", err)
	}
	_, err := a.stdout.Write(ci.JSON(b.Bytes()))
	return err
}

// sayChecks prints the checks for people. In the log of a run, what others wrote must
// not become a command.
func (a *app) sayChecks(v verify.Verdict) {
	for _, one := range v.Checks {
		a.say("%-8s %-13s %s", one.State, one.Name, ci.Text(one.Reason))
		switch {
		case one.Allowed:
			a.say("%-22s let through by --allow-unknown %s", "", one.Name)
		case one.State != verify.Open && one.Next != "":
			a.say("%-22s next: %s", "", ci.Text(one.Next))
		}
	}
	for _, r := range v.Rerun {
		a.say("  %-8s gate %s (%s, named by %s): %s", r.State, ci.Text(r.Gate), ci.Text(r.Kind), r.From, ci.Text(r.Reason))
	}
}

// tell shows the verdict where the CI system's people look.
func (a *app) tell(event ci.Event, v verify.Verdict) error {
	if !a.json {
		event.Annotate(a.stdout, v)
	}
	switch event.System {
	case ci.GitHub:
		return appendSummary(a.getenv("GITHUB_STEP_SUMMARY"), ci.Summary(v))
	case ci.Azure:
		folder := a.getenv("AGENT_TEMPDIRECTORY")
		if folder == "" || a.json {
			return nil
		}
		path := filepath.Join(folder, "asterweave-"+event.Asking.Run+".md")
		if err := os.WriteFile(path, []byte(ci.Summary(v)), 0o644); err != nil {
			return problem.Wrap(problem.Failed, err, "AGENT_TEMPDIRECTORY has to be a folder that can be written")
		}
		a.say("%s", ci.UploadSummary(path))
	}
	return nil
}

func appendSummary(path, text string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = io.WriteString(f, text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return problem.Wrap(problem.Failed, err, "GITHUB_STEP_SUMMARY has to be a file that can be written")
	}
	return nil
}

// readBundle returns the bundle of a file or of standard input, nil where the note is
// to be read.
func (a *app) readBundle(file string) ([]byte, error) {
	in := a.stdin
	switch file {
	case "":
		return nil, nil
	case "-":
	default:
		f, err := os.Open(file)
		if err != nil {
			return nil, problem.Wrap(problem.Usage, err, "name a file that export wrote")
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, bundle.MaxEnvelope+1))
	if err != nil {
		return nil, problem.Wrap(problem.Failed, err, "read the bundle again")
	}
	return bytes.TrimSpace(b), nil
}
