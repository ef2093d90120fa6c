package decide

import (
	"time"

	"github.com/asterweave/asterweave/internal/state"
)

// leaseTime is how long a session that is not heard of keeps the delivery.
const leaseTime = 2 * time.Hour

// Lease binds a harness session to the delivery. It limits who may drive, never a
// human's word or a verdict.
func (d *Draft) Lease(session string) error {
	if err := d.open(); err != nil {
		return err
	}
	return d.emit(state.Change{Leased: &state.Lease{Session: session, Until: d.Now.Add(leaseTime)}})
}

// Tool counts a tool call that a hook saw. It is no evidence.
func (d *Draft) Tool(t state.Tool) error {
	if err := d.open(); err != nil {
		return err
	}
	return d.emit(state.Change{Tool: &t})
}

// Heard notes that a human spoke in the conversation. It moves nothing: a turn that
// ends without progress is only counted anew.
func (d *Draft) Heard() error {
	if err := d.open(); err != nil {
		return err
	}
	return d.emit(state.Change{Heard: &state.Heard{}})
}

// Used counts what a transcript says about models. A reading that does not begin
// where the last one ended says what is counted already, and changes nothing.
func (d *Draft) Used(u state.Used) error {
	if err := d.open(); err != nil {
		return err
	}
	if d.State.Transcripts[u.Transcript].Bytes != u.From {
		return nil
	}
	return d.emit(state.Change{Used: &u})
}

// SentBack notes that an agent's malformed verdict went back to it.
func (d *Draft) SentBack(agentID, because string) error {
	if err := d.active(); err != nil {
		return err
	}
	return d.emit(state.Change{SentBack: &state.SentBack{AgentID: agentID, Because: because}})
}

// Prompted notes what next printed.
func (d *Draft) Prompted(digest string, size int, agent string) error {
	if err := d.open(); err != nil {
		return err
	}
	return d.emit(state.Change{Prompted: &state.Prompted{Digest: digest, Size: size, Agent: agent}})
}
