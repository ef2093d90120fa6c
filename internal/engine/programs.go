package engine

import (
	"maps"
	"slices"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/gate"
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
