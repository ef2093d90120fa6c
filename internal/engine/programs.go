package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// readPrograms finds what surrounds runs, and what the gates of a plan and of the
// configuration would run, so that the plan is approved with it.
func (e *Engine) readPrograms(f *gate.Facts, plan []document.Gate) error {
	var err error
	if f.Surroundings, err = e.Surroundings(); err != nil {
		return problem.Wrap(problem.Failed, err, "make the Git folder of this worktree writable")
	}
	for _, g := range slices.Concat(plan, f.Config.Gates) {
		argv, shell := gateCommand(g)
		maps.Copy(f.Programs, e.findPrograms(&g, argv, shell).Found)
	}
	return nil
}

// findPrograms finds what a command would run. A gate with a PATH of its own means
// programs of its own by the same names.
func (e *Engine) findPrograms(g *document.Gate, argv []string, shell string) command.Programs {
	env := e.o.Environ
	if g != nil {
		env = withEnv(env, g.Env)
	}
	p := command.FindPrograms(argv, shell, e.o.Root, env)
	if g == nil || g.Env["PATH"] == "" {
		return p
	}
	own := map[string]state.Program{}
	for name, program := range p.Found {
		own[name+" in gate "+g.ID] = program
	}
	p.Found = own
	return p
}

// readGit finds which git answers, and does not believe another one than was pinned.
func (e *Engine) readGit(s *state.State, f *gate.Facts) error {
	p, err := e.git()
	if err != nil {
		return gitError(err)
	}
	f.Programs[state.Git] = p
	if pinned, ok := s.Programs[state.Git]; ok && pinned != p {
		f.TreeUnknown = append(f.TreeUnknown, fmt.Sprintf("the git at %s is not the one of the start; a run of any command, as a note too, asks a human whether it is to be believed", p.Path))
	}
	return nil
}

// git returns the program that reads the repository, as it is now.
func (e *Engine) git() (state.Program, error) {
	p, err := e.repo.Program()
	return state.Program(p), err
}
