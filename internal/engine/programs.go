package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// readPrograms finds what the gates of a plan and of the configuration would run, so
// that the plan is approved with it.
func (e *Engine) readPrograms(f *gate.Facts, plan []document.Gate) {
	f.Steering, _ = command.Steering(e.o.Environ)
	for _, g := range slices.Concat(plan, f.Config.Gates) {
		argv, shell := gateCommand(g)
		maps.Copy(f.Programs, command.Programs(argv, shell, e.o.Root, e.o.Environ))
	}
}

// readGit finds which git answers, and does not believe another one than was pinned.
func (e *Engine) readGit(s *state.State, f *gate.Facts) error {
	p, err := e.git()
	if err != nil {
		return gitError(err)
	}
	f.Programs[state.Git] = p
	if pinned, ok := s.Programs[state.Git]; ok && pinned != p {
		f.TreeUnknown = append(f.TreeUnknown, fmt.Sprintf("the git at %s is not the one of the start; run has a human asked whether it is to be believed", p.Path))
	}
	return nil
}

// git returns the program that reads the repository, as it is now.
func (e *Engine) git() (state.Program, error) {
	p, err := e.repo.Program()
	return state.Program(p), err
}
