package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/state"
)

// goal starts a delivery, or goes on with the one that is open.
func (c *call) goal(ctx context.Context, d *delivery, args string) (reply, error) {
	if d != nil {
		return c.goOn(ctx, d, args)
	}
	req, err := parseGoal(args)
	if err != nil {
		return reply{}, err
	}
	roots := c.roots()
	if len(roots) == 0 {
		return reply{}, problem.New(problem.NoRepository, "there is no Git repository around "+c.p.Cwd, "start the client inside the worktree that is to be changed")
	}
	e, err := c.open(roots[0])
	if err != nil {
		return reply{}, err
	}
	req.By, req.Cause = c.human(), causeExpansion
	draft, err := e.Start(ctx, req)
	var lacking *provider.NotInBuildError
	if errors.As(err, &lacking) && c.deps.Wider != nil {
		answer, err := c.deps.Wider(ctx, c.kebab, c.raw.Bytes())
		return reply{plain: string(answer)}, err
	}
	if err != nil {
		return reply{}, err
	}
	d = &delivery{engine: e, state: draft.State, root: roots[0]}
	c.layHooks(ctx, d)
	c.lease(ctx, d)
	return c.next(ctx, d, draft, fmt.Sprintf("Delivery %s is open.", draft.State.Delivery.ID))
}

// goOn resumes a delivery that waits for no answer, and takes its lease over: the
// human drives it from this session now.
func (c *call) goOn(ctx context.Context, d *delivery, args string) (reply, error) {
	said := fmt.Sprintf("Delivery %s is open; this goes on with it.", d.state.Delivery.ID)
	same := args == "" || strings.Contains(args, d.state.Delivery.Goal)
	if word := strings.TrimSpace(args); isSource(word) && strings.HasSuffix(d.state.Delivery.Source, word) {
		same = true // the goal is the title of that work item
	}
	known := func(st state.Steer) bool { return st.Text == strings.TrimSpace(args) }
	same = same || slices.ContainsFunc(d.state.Steers, known)
	foreign := !same && !evidence.By{Channel: d.state.Delivery.GoalBy}.IsHuman()
	switch {
	case foreign:
		said += " Its goal was typed by no human, so the words behind the command are recorded as a steer, which the plan has to answer."
	case !same:
		said += " The words behind the command are no new goal: one delivery a worktree."
	}
	verb := eventLease
	resume := same && resumable(d.state)
	if resume {
		verb = verbResume
	}
	draft, err := d.engine.DoFor(ctx, verb, causeExpansion, c.human(), func(w *decide.Draft) error {
		if resume && resumable(w.State) {
			if err := w.Resume(); err != nil {
				return err
			}
		}
		if foreign {
			if err := w.Steer(args); err != nil {
				return err
			}
		}
		if c.p.Session == "" {
			return nil
		}
		return w.Lease(c.p.Session)
	})
	if err != nil {
		return reply{}, err
	}
	return c.next(ctx, d, draft, said)
}

// resumable reports whether the delivery is paused and waits for no answer.
func resumable(s *state.State) bool {
	by := s.Delivery.PausedBy
	return s.Delivery.Status == state.Paused && (by == "" || by == state.PausedByProvider)
}

// parseGoal reads the words behind /asterweave. Flags stand before the goal or
// behind it; what lies between, or follows a "--", is the goal as it was typed. A
// first word that names a work item is the source, and stays a part of the goal;
// behind a "--" it is a word like others.
func parseGoal(args string) (engine.StartRequest, error) {
	var req engine.StartRequest
	rest := strings.TrimSpace(args)
	for strings.HasPrefix(rest, "--") {
		word, after := cutWord(rest)
		if word == "--" {
			req.Goal = after
			return complete(req)
		}
		name, value, given := strings.Cut(word, "=")
		if name != flagAutoPR && !given {
			value, after = cutWord(after)
		}
		if !setFlag(&req, name, value, given) {
			return req, problem.New(problem.Usage, fmt.Sprintf("%q is no flag of /asterweave, or lacks its value", word),
				"the flags are --auto-pr, --source REF, --provider NAME and --base BRANCH; a goal that begins with dashes follows a --")
		}
		rest = after
	}
	req.Goal = trailing(&req, rest)
	return sourced(req)
}

const flagAutoPR = "--auto-pr"

// setFlag reports whether name is a flag with a fitting value.
func setFlag(req *engine.StartRequest, name, value string, given bool) bool {
	switch name {
	case flagAutoPR:
		req.AutoPR = true
		return !given
	case "--source":
		req.Source = value
	case "--provider":
		req.Provider = value
	case "--base":
		req.Base = value
	default:
		return false
	}
	return value != ""
}

// trailing takes the flags off the end of the words.
func trailing(req *engine.StartRequest, words string) string {
	for {
		head, word := cutLastWord(words)
		name, value, given := strings.Cut(word, "=")
		switch {
		case name == flagAutoPR && !given, given && strings.HasPrefix(name, "--"):
			if !setFlag(req, name, value, given) {
				return words
			}
		default:
			if head, name = cutLastWord(head); name == flagAutoPR || !setFlag(req, name, word, false) {
				return words
			}
		}
		words = head
	}
}

// sourced fills in the source that the goal's first word names. Where that is all of
// the goal, the title of the work item is the goal.
func sourced(req engine.StartRequest) (engine.StartRequest, error) {
	if first, _ := cutWord(req.Goal); req.Source == "" && isSource(first) {
		req.Source = first
	}
	if req.Goal == req.Source {
		req.Goal = ""
	}
	return complete(req)
}

// complete refuses a request that says nothing.
func complete(req engine.StartRequest) (engine.StartRequest, error) {
	if req.Goal == "" && req.Source == "" {
		return req, problem.New(problem.Usage, "no goal was given, and no delivery is open", "say behind /asterweave what is to be true at the end")
	}
	return req, nil
}

// isSource reports whether a word names a work item: #12, owner/repo#12, or a URL.
func isSource(word string) bool {
	if number, ok := strings.CutPrefix(word, "#"); ok {
		return number != "" && strings.Trim(number, "0123456789") == ""
	}
	if rest, ok := strings.CutPrefix(word, "https://"); ok {
		return rest != ""
	}
	if rest, ok := strings.CutPrefix(word, "http://"); ok {
		return rest != ""
	}
	path, number, ok := strings.Cut(word, "#")
	owner, repo, slash := strings.Cut(path, "/")
	return ok && slash && isName(owner) && isName(repo) && number != "" && strings.Trim(number, "0123456789") == ""
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.%") == ""
}

const blanks = " \t\r\n"

// cutWord returns the first word and what follows it.
func cutWord(s string) (word, rest string) {
	i := strings.IndexAny(s, blanks)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], blanks)
}

// cutLastWord returns what precedes the last word, and that.
func cutLastWord(s string) (rest, word string) {
	i := strings.LastIndexAny(s, blanks)
	if i < 0 {
		return "", s
	}
	return strings.TrimRight(s[:i], blanks), s[i+1:]
}
