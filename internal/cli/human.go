package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/state"
)

func (a *app) askCommand() *cobra.Command {
	var kind, question, tried string
	var blocks []string
	c := a.engineVerb("ask --kind K --question T", "open a question that only a human can answer", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		var ask state.Ask
		_, err := e.Do(c.Context(), "ask", a.by(), func(d *decide.Draft) (err error) {
			ask, err = d.Ask(kind, question, tried, blocks)
			return err
		})
		if err != nil {
			return err
		}
		a.answer(map[string]any{"ok": true, "ask": ask})
		a.say("%s is open; a human answers it", ask.ID)
		return nil
	})
	c.Flags().StringVar(&kind, "kind", "", "decision or credential")
	c.Flags().StringVar(&question, "question", "", "what only a human can say")
	c.Flags().StringVar(&tried, "tried", "", "what was tried")
	c.Flags().StringArrayVar(&blocks, "blocks", nil, "node that it blocks (default: the current one); may be repeated")
	return c
}

func (a *app) approveCommand() *cobra.Command {
	return a.engineVerb("approve [DIGEST]", "approve what is open (a human's verb)", cobra.MaximumNArgs(1), func(c *cobra.Command, e *engine.Engine, args []string) error {
		if a.agentShell() {
			return problem.New(problem.HumanOnly, "approve is a human's verb and this is an agent's shell", "a human types it in the client, or in a terminal of their own")
		}
		v, err := e.Look(c.Context())
		if err != nil {
			return err
		}
		ask, ok := openDigest(v.State)
		if !ok {
			return problem.New(problem.Conflict, "nothing waits for an approval", "inbox shows what is open")
		}
		var shown strings.Builder
		if err := report.Question(&shown, reportInput(e, v), ask, a.screen()); err != nil {
			return err
		}
		digest, err := typed(shown.String(), fmt.Sprintf("type the first %d digits of the digest to approve %s:", decide.ShortDigest, ask.ID))
		if err != nil {
			return err
		}
		if len(args) == 1 && !strings.HasPrefix(args[0], digest) {
			return problem.New(problem.Usage, "what was typed is not the digest that was given", "inbox shows the digest of what is to be approved")
		}
		d, err := e.Do(c.Context(), "approve", evidence.By{Channel: evidence.ChannelTerminal, Identity: a.getenv("USER")}, func(d *decide.Draft) error { return d.Approve(digest) })
		if err != nil {
			return err
		}
		return a.next(d)
	})
}

func openDigest(s *state.State) (state.Ask, bool) {
	for _, kind := range []string{state.AskConfirmation, state.AskApproval} {
		if ask, ok := s.AskAbout(kind); ok {
			return ask, true
		}
	}
	return state.Ask{}, false
}

func (a *app) rejectCommand() *cobra.Command {
	var reason string
	c := verb("reject --reason T", "reject what is open (a human's verb)", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		return a.decideNext(c, "reject", a.human(), func(d *decide.Draft) error { return d.Reject(reason) })
	})
	c.Flags().StringVar(&reason, "reason", "", "what has to be otherwise")
	return c
}

func (a *app) inboxCommand() *cobra.Command {
	return a.viewVerb("inbox", "show what waits for a human", func(_ *cobra.Command, e *engine.Engine, v engine.View) error {
		if a.json {
			a.answer(map[string]any{"ok": true, "asks": engine.StatusOf(v).Asks})
			return nil
		}
		return report.Inbox(a.stdout, reportInput(e, v), a.screen())
	})
}

func (a *app) replyCommand() *cobra.Command {
	return verb("reply ASK TEXT", "answer an ask (a human's verb)", cobra.MinimumNArgs(2), func(c *cobra.Command, args []string) error {
		return a.decideNext(c, "reply", a.human(), func(d *decide.Draft) error { return d.Reply(args[0], strings.Join(args[1:], " ")) })
	})
}

func (a *app) steerCommand() *cobra.Command {
	return verb("steer TEXT", "give a constraint that the plan has to answer (a human's verb)", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		return a.decideNext(c, "steer", a.human(), func(d *decide.Draft) error { return d.Steer(strings.Join(args, " ")) })
	})
}

func (a *app) intendCommand() *cobra.Command {
	pr := a.intendVerb("pr --title T --body FILE", "announce the push and the pull request", decide.IntentPR)
	reply := a.intendVerb("reply --thread ID --body FILE", "announce a reply to a thread", decide.IntentReply)
	item := a.intendVerb("work-item --state S", "announce an update of the work item", decide.IntentWorkItem)
	return group("intend", "announce an external write; opens its confirmation", pr, reply, item)
}

func (a *app) intendVerb(use, short, kind string) *cobra.Command {
	in := state.Intent{Kind: kind}
	var file string
	c := a.engineVerb(use, short, cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		var body []byte
		if file != "" {
			var err error
			if body, err = a.readFile(file); err != nil {
				return err
			}
		} else if kind != decide.IntentWorkItem {
			return problem.New(problem.Usage, "a text is due", "name a file with --body, or - for standard input")
		}
		done, ask, err := e.Intend(c.Context(), a.by(), in, body)
		if err != nil {
			return err
		}
		a.layHooks(c.Context(), e) // before anything can be pushed
		a.answer(map[string]any{"ok": true, "intent": done, "ask": ask})
		if ask == nil {
			a.say("%s is announced and confirmed (%s), digest %s", done.ID, done.Channel, done.Digest)
			return nil
		}
		a.say("%s is announced; %s waits for a human, digest %s", done.ID, ask.ID, done.Digest)
		return nil
	})
	switch kind {
	case decide.IntentPR:
		c.Flags().StringVar(&in.Title, "title", "", "title of the pull request")
		c.Flags().BoolVar(&in.Draft, "draft", false, "open it as a draft")
		c.Flags().StringVar(&file, "body", "", "file with the text")
	case decide.IntentReply:
		c.Flags().StringVar(&in.Target, "thread", "", "id of the thread")
		c.Flags().StringVar(&file, "body", "", "file with the text")
	default:
		c.Flags().StringVar(&in.Target, "state", "", "the state that it is to have")
		c.Flags().StringVar(&file, "comment", "", "file with a comment")
	}
	return c
}
