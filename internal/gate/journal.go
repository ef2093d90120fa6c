package gate

import "github.com/asterweave/asterweave/internal/state"

// Due returns the announced writes of a kind that were confirmed and not read back,
// in their order: each may or may not have been made.
func Due(s *state.State, kind string) []state.Intent {
	var out []state.Intent
	for _, in := range s.Intents {
		if in.Kind == kind && in.Due() {
			out = append(out, in)
		}
	}
	return out
}
