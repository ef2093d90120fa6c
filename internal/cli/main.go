// Package cli is the command line and the wiring: it names the concrete adapters
// and the real clock, turns verbs into calls of the engine, and is the one place
// that prints errors and picks exit statuses.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/problem"
)

// Version of the program; agrees with the newest entry of CHANGELOG.md.
const Version = "0.1.0"

// Exit statuses; docs/exit-codes.md explains them. 2 belongs to hook alone.
const (
	exitOK       = 0
	exitError    = 1
	exitShut     = 3
	exitProvider = 4
	exitLedger   = 5
	exitUsage    = 64
	exitLock     = 75
)

// statusError carries an exit status whose reason has been printed already.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Main runs the program and returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The parser may fail before it comes to the flag; its error has the form, too.
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, environ: os.Environ(), json: wantsJSON(args)}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var status statusError
	if errors.As(err, &status) {
		return int(status)
	}
	a.print(asProblem(err))
	return exitStatus(problem.CodeOf(asProblem(err)))
}

func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// asProblem gives errors of the command line parser their code.
func asProblem(err error) error {
	var p *problem.Error
	if errors.As(err, &p) {
		return err
	}
	for _, prefix := range []string{"unknown ", "accepts ", "requires ", "required flag", "flag needed", "invalid argument", "bad flag", "flag needs", "if any flags", "at least one of"} {
		if strings.HasPrefix(err.Error(), prefix) {
			return problem.Wrap(problem.Usage, err, "the verb's --help says what it takes")
		}
	}
	return err
}

func exitStatus(c problem.Code) int {
	switch c {
	case problem.Usage:
		return exitUsage
	case problem.GateShut, problem.HumanOnly:
		return exitShut
	case problem.Provider:
		return exitProvider
	case problem.Ledger:
		return exitLedger
	case problem.LockTimeout:
		return exitLock
	}
	return exitError
}

// print tells what is wrong and the next safe step, once.
func (a *app) print(err error) {
	var p *problem.Error
	hint := ""
	if errors.As(err, &p) {
		hint = p.Hint
	}
	if a.json {
		a.answer(map[string]any{"ok": false, "error": map[string]string{"code": string(problem.CodeOf(err)), "message": err.Error(), "hint": hint}})
		return
	}
	fmt.Fprintf(a.stderr, "asterweave: error: %s\n", plain(err.Error()))
	if hint != "" {
		fmt.Fprintf(a.stderr, "asterweave: hint: %s\n", plain(hint))
	}
}

// plain is a text without what a terminal takes for more than text: what providers,
// files and models say stands in errors and reasons, too.
func plain(text string) string { return strings.Join(document.Lines(text), "\n") }

// answer prints one JSON object on stdout, where JSON is asked for; say prints where
// it is not.
func (a *app) answer(v any) {
	if !a.json {
		return
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a reader that is gone is told nothing
}

// say prints a line for people.
func (a *app) say(format string, args ...any) {
	if !a.json {
		fmt.Fprintln(a.stdout, plain(fmt.Sprintf(format, args...)))
	}
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "asterweave-state [--root DIR] [--json] VERB",
		Short: "evidence, gates and state of a delivery",
		Long: `asterweave-state takes a goal through a delivery graph in which only recorded
evidence moves anything. Start with start, then follow next.

Exit statuses: 0 ok, 1 error, 3 gate shut, 4 provider or authentication,
5 ledger invalid, 64 usage, 75 lock timeout. run exits with the status of what
it ran.`,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.PersistentFlags().StringVar(&a.root, "root", "", "root of the worktree (default: the one around the current folder)")
	root.PersistentFlags().BoolVar(&a.json, "json", a.json, "print one JSON object on stdout")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return problem.Wrap(problem.Usage, err, "the verb's --help says what it takes")
	})
	root.AddCommand(
		a.startCommand(), a.nextCommand(), a.enterCommand(), a.completeCommand(), a.submitCommand(),
		a.runCommand(), a.refreshCommand(), a.recordCommand(),
		a.specCommand(), a.planCommand(), a.manifestCommand(), a.triageCommand(),
		a.askCommand(), a.approveCommand(), a.rejectCommand(), a.inboxCommand(), a.replyCommand(), a.steerCommand(),
		a.intendCommand(), a.readCommand(),
		a.pauseCommand(), a.resumeCommand(), a.abortCommand(),
		a.statusCommand(), a.logCommand(), a.traceCommand(), a.reportCommand(), a.retroCommand(),
		a.guardCommand(), a.exportCommand(), a.verifyCommand(), a.doctorCommand(), a.hookCommand(), a.versionCommand(),
	)
	return root
}
