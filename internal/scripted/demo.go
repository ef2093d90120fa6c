package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Exit statuses of the demo.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 64
)

// Demo is a delivery of a sample's fix, from goal to done, in a temporary folder.
type Demo struct {
	Source   string // folder of the sample; SOURCE-delivery beside it holds goal.txt, script.json and the attempts
	Programs string // folder with asterweave-state and asterweave-hook
	Environ  []string
	Out      io.Writer
	Terminal bool // Out is one: progress is one line that is rewritten

	// Forge opens what holds the remote of a repository named name below folder; nil
	// delivers to a bare repository, and plays script.json in the place of github.json.
	Forge func(ctx context.Context, folder, name, home string) (Forge, error)
}

// Delivered is what came of a demo. It is filled in as far as the demo came.
type Delivered struct {
	Folder   string // temporary folder that holds everything below
	Root     string // work tree of the delivery
	Remote   string // bare repository
	Report   string // report.html; report.md lies beside it
	Status   string // of the delivery: done, when all went well
	Node     string // current one, "" when done
	Calls    int    // of asterweave-state, by the model
	Answers  int    // by a person
	Requests int    // that the forge's API got
	Refused  int    // of those, the ones that were not reads
	Duration time.Duration

	env []string // that children got, but for the agents' marker
}

// Main runs the demo for a command line and returns the exit status: 0 only when
// the delivery is done. A forge is opened where one is asked for.
func Main(args []string, out, errs io.Writer, open func(ctx context.Context, folder, name, home string) (Forge, error)) int {
	flags := flag.NewFlagSet("asterweave-demo", flag.ContinueOnError)
	flags.SetOutput(errs)
	source := flags.String("source", "", "folder of the sample (default examples/refunds, here or beside the program's folder)")
	programs := flags.String("bin", "", "folder with asterweave-state and asterweave-hook (default the program's own)")
	keep := flags.Bool("keep", true, "keep the temporary folder and say where it is")
	remove := flags.Bool("rm", false, "remove the temporary folder, unless the delivery fails")
	github := flags.Bool("github", false, "deliver to a stand-in for GitHub on loopback")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	d := Demo{Source: *source, Programs: *programs, Environ: os.Environ(), Out: out, Terminal: isTerminal(out)}
	if *github {
		d.Forge = open
	}
	err := d.locate(flags.Args())
	if err != nil {
		fmt.Fprintf(errs, "asterweave: error: %v\nasterweave: hint: run it as make demo, or name the folders\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	got, err := d.Run(ctx)
	if err == nil && (*remove || !*keep) {
		if err = os.RemoveAll(got.Folder); err == nil {
			fmt.Fprintln(out, "the folder is removed again")
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "asterweave: error: %v\n", err)
		if got.Folder != "" {
			fmt.Fprintf(errs, "asterweave: hint: look into %s\n", got.Folder)
		}
		return exitError
	}
	return exitOK
}

// locate completes the folders: the sample in the working folder or beside the
// program's, the programs beside this one.
func (d *Demo) locate(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unknown argument %q", rest[0])
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	if d.Programs == "" {
		d.Programs = filepath.Dir(own)
	}
	candidates := []string{d.Source}
	if d.Source == "" {
		sample := filepath.Join("examples", "refunds")
		candidates = []string{sample, filepath.Join(filepath.Dir(own), "..", sample)}
	}
	for _, c := range candidates {
		if _, err := os.Stat(filepath.Join(c+"-delivery", "script.json")); err == nil {
			d.Source = c
			return nil
		}
	}
	return fmt.Errorf("there is no sample at %s", strings.Join(candidates, " and "))
}

// Run delivers the fix. The error says why the delivery is not done; the folder
// stays where it is either way.
func (d *Demo) Run(ctx context.Context) (got Delivered, err error) {
	began := time.Now()
	s, err := d.sample(ctx)
	if s.forge != nil {
		defer func() { err = errors.Join(err, s.forge.Close()) }()
	}
	got = Delivered{Folder: s.folder, Root: s.root, Remote: s.remote, env: environment(d.Environ, s.set)}
	if err != nil {
		return got, err
	}
	of := s.remote
	if s.forge != nil {
		of = s.forge.URL()
	}
	fmt.Fprintf(d.Out, "goal: %s\nrepository: %s, a clone of %s\n\n", s.goal, s.root, of)
	show := &display{out: d.Out, rewrite: d.Terminal, began: began}
	p, err := New(Options{
		State: s.state, Hook: s.hook, Root: s.root, Files: s.files, Scratch: s.scratch, Environ: d.Environ, Set: s.set,
		Values: map[string]string{"goal": s.goal}, Forge: s.forge, Report: show.update,
	})
	if err != nil {
		return got, err
	}
	stop := show.tick()
	err = p.Play(ctx, s.script)
	stop()
	got.Calls, got.Answers, got.Duration = p.Calls(), p.Answers(), time.Since(began)
	if s.forge != nil {
		got.Requests, got.Refused = s.forge.Requests(), s.forge.Refused()
	}
	if ctx.Err() != nil {
		return got, fmt.Errorf("interrupted: %w", err)
	}
	if err != nil {
		return d.judge(ctx, p, got, err)
	}
	if err := d.look(ctx, p, &got); err != nil {
		return got, err
	}
	return d.judge(ctx, p, got, nil)
}

// judge asks the binary how the delivery ended; nothing else makes a demo a success.
func (d *Demo) judge(ctx context.Context, p *Player, got Delivered, err error) (Delivered, error) {
	s, statusErr := p.status(ctx)
	if statusErr != nil {
		return got, errors.Join(err, statusErr)
	}
	got.Status, got.Node = s.Delivery.Status, s.Delivery.Node
	if err == nil && got.Status != "done" {
		err = fmt.Errorf("the script has ended and the delivery is %s at %s: %s", got.Status, got.Node, s.Delivery.Reason)
	}
	return got, err
}

// look prints the trace and keeps the reports.
func (d *Demo) look(ctx context.Context, p *Player, got *Delivered) error {
	trace, err := p.printed(ctx, "trace")
	if err != nil {
		return err
	}
	for name, format := range map[string]string{"report.html": "html", "report.md": "md"} {
		text, err := p.printed(ctx, "report", "--format", format)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(got.Folder, name), text, 0o600); err != nil {
			return err
		}
	}
	got.Report = filepath.Join(got.Folder, "report.html")
	fmt.Fprintf(d.Out, "\n%s\n", strings.TrimRight(string(trace), "\n"))
	fmt.Fprintf(d.Out, "\n%d calls of asterweave-state by the model, %d answers by a human, %.1f s\n", got.Calls, got.Answers, got.Duration.Seconds())
	if d.Forge != nil {
		fmt.Fprintf(d.Out, "%d requests to the API of the stand-in for GitHub, %d writes refused\n", got.Requests, got.Refused)
	}
	fmt.Fprintf(d.Out, "report: %s (and report.md)\nkept in %s\n", got.Report, got.Folder)
	return nil
}

// printed returns what a looking verb prints. The demo looks, not the model.
func (p *Player) printed(ctx context.Context, args ...string) ([]byte, error) {
	out, err := p.run(ctx, p.asAgent(child{program: p.o.State, args: args}))
	if err == nil && out.exit != 0 {
		err = out.failure("it failed")
	}
	return out.stdout, err
}

// goSettings asks the go command where it keeps what it needs, so that children
// can have a home of their own and still build without a network.
func goSettings(ctx context.Context, environ []string) ([]string, error) {
	program, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("the sample's tests need Go: %w", err)
	}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"}
	cmd := exec.CommandContext(ctx, program, append([]string{"env", "-json"}, names...)...)
	cmd.Env = environment(environ, nil)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var values map[string]string
	if err := json.Unmarshal(out, &values); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var set []string
	for _, name := range names {
		if values[name] != "" {
			set = append(set, name+"="+values[name])
		}
	}
	return set, nil
}
