package engine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/state"
)

// readPrograms finds what the gates of a plan and of the configuration would run, so
// that the plan is approved with it.
func (e *Engine) readPrograms(f *gate.Facts, plan []document.Gate) {
	s := Surroundings(e.o.Environ, e.o.Root)
	f.Steering, f.Surroundings = s.Digest(), s
	for _, g := range slices.Concat(plan, f.Config.Gates) {
		argv, shell := gateCommand(g)
		maps.Copy(f.Programs, command.FindPrograms(argv, shell, e.o.Root, withEnv(e.o.Environ, g.Env)).Found)
	}
}

// Surroundings finds what surrounds the commands that run in a worktree, and in the
// clones of a local pipeline.
func Surroundings(environ []string, root string) command.Surroundings {
	return command.Surround(environ, root, filepath.Join(os.TempDir(), "clone"))
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
