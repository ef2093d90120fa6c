package sentry

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/state"
)

// What a read has shown of an update is not let through again.
func TestTheRestOfAWrite(t *testing.T) {
	st := state.New()
	st.Delivery.Source, st.Submitted = "o/r#7", &state.Submitted{URL: "https://forge.example.com/o/r/pull/12"}
	reply := state.Intent{Kind: guard.WriteReply, Target: "T1", Body: "digest"}
	update := state.Intent{Kind: guard.WriteWorkItem, Target: "closed", Body: "digest"}
	shown := func(parts ...string) state.Intent {
		in := update
		in.Shown = parts
		return in
	}
	silent := update
	silent.Body = ""
	for _, c := range []struct {
		in            state.Intent
		target, state string
		says          bool
	}{
		{reply, "T1", "", true},
		{update, "", "closed", true},
		{silent, "", "closed", false},
		{shown(state.PartComment), "", "closed", false},
		{shown(state.PartState), "", "", true},
	} {
		w, says := rest(st, c.in)
		want := guard.Write{Kind: c.in.Kind, Target: c.target, State: c.state, Repo: "o/r", Item: "7", Pull: "12"}
		if diff := cmp.Diff(want, w); diff != "" || says != c.says {
			t.Errorf("%+v says %t: %s", c.in, says, diff)
		}
	}
}
