package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/retro"
)

func reportInput(e *engine.Engine, v engine.View) report.Input {
	return report.Input{View: v, Events: e.Events, Artifact: e.Artifact}
}

// screen says what the terminal can show.
func (a *app) screen() report.Options {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := a.getenv(name); v != "" {
			return report.Options{ASCII: !strings.Contains(strings.ToUpper(strings.ReplaceAll(v, "-", "")), "UTF8")}
		}
	}
	return report.Options{ASCII: true}
}

func (a *app) statusCommand() *cobra.Command {
	return a.viewVerb("status", "show how the delivery stands", func(_ *cobra.Command, _ *engine.Engine, v engine.View) error {
		if a.json {
			a.answer(struct {
				OK bool `json:"ok"`
				engine.Status
			}{true, engine.StatusOf(v)})
			return nil
		}
		return report.Status(a.stdout, engine.StatusOf(v), a.screen())
	})
}

func (a *app) logCommand() *cobra.Command {
	var after int64
	var follow bool
	c := a.engineVerb("log", "show the events", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		for {
			err := e.EventsAfter(after, func(ev ledger.Event) error {
				after = ev.Seq
				if a.json {
					return report.LogJSON(a.stdout, ev)
				}
				return report.Log(a.stdout, ev, a.screen())
			})
			if err != nil || !follow {
				return err
			}
			select {
			case <-c.Context().Done():
				return nil
			case <-time.After(500 * time.Millisecond):
			}
		}
	})
	c.Flags().Int64Var(&after, "after", 0, "show events after this one")
	c.Flags().BoolVar(&follow, "follow", false, "go on as events come")
	return c
}

func (a *app) retroCommand() *cobra.Command {
	return a.engineVerb("retro", "show what the ledgers tell of this and earlier deliveries", cobra.NoArgs, func(_ *cobra.Command, e *engine.Engine, _ []string) error {
		r := retro.Read(e.StateDir())
		if a.json {
			a.answer(map[string]any{"ok": true, "retro": r})
			return nil
		}
		return retro.Print(a.stdout, r)
	})
}

func (a *app) traceCommand() *cobra.Command {
	return a.viewVerb("trace", "show the way from work item to pull request", func(_ *cobra.Command, e *engine.Engine, v engine.View) error {
		if a.json {
			var b strings.Builder
			if err := report.Trace(&b, reportInput(e, v), report.Options{}); err != nil {
				return err
			}
			a.answer(map[string]any{"ok": true, "trace": b.String()})
			return nil
		}
		return report.Trace(a.stdout, reportInput(e, v), a.screen())
	})
}

func (a *app) reportCommand() *cobra.Command {
	var format string
	c := a.viewVerb("report", "print the whole delivery", func(_ *cobra.Command, e *engine.Engine, v engine.View) error {
		if a.json {
			var b strings.Builder
			if err := report.Report(&b, report.Format(format), reportInput(e, v)); err != nil {
				return err
			}
			var body any = b.String()
			if format == string(report.JSON) {
				body = json.RawMessage(b.String())
			}
			a.answer(map[string]any{"ok": true, "format": format, "report": body})
			return nil
		}
		return report.Report(a.stdout, report.Format(format), reportInput(e, v))
	})
	c.PreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(report.Formats(), report.Format(format)) {
			return problem.New(problem.Usage, fmt.Sprintf("unknown format %q", format), fmt.Sprintf("there are %v", report.Formats()))
		}
		return nil
	}
	c.Flags().StringVar(&format, "format", "md", "md, html, pr-body or json")
	return c
}
