package sentry

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/guard"
	"github.com/asterweave/asterweave/internal/state"
)

func TestAnnouncedWrites(t *testing.T) {
	st := func(node string, intents ...state.Intent) *state.State {
		return &state.State{
			Node: node, Nodes: map[string]state.Node{node: {Status: state.NodeRunning}}, Intents: intents,
			Delivery:  state.Delivery{Status: state.Active, Source: "other/x#7"},
			Submitted: &state.Submitted{URL: "https://github.com/o/r/pull/12"},
		}
	}
	update := state.Intent{ID: "I1", Kind: guard.WriteWorkItem, Target: "closed", Confirmed: true}
	reply := state.Intent{ID: "I2", Kind: guard.WriteReply, Target: "77", Confirmed: true}
	want := func(what string, s *state.State, writes ...guard.Write) {
		t.Helper()
		if diff := cmp.Diff(writes, announced(nil, s)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	want("an update", st(graph.WorkItem, update, reply), guard.Write{Kind: guard.WriteWorkItem, State: "closed", Repo: "other/x", Item: "7", Pull: "12"})
	want("a reply, which goes to the pull request's repository", st(graph.Comments, update, reply), guard.Write{Kind: guard.WriteReply, Target: "77", Repo: "o/r", Item: "7", Pull: "12"})
	azure := st(graph.Comments, reply)
	azure.Submitted.URL = "https://dev.azure.com/o/p/_git/r/pullrequest/12"
	want("a reply at Azure DevOps", azure, guard.Write{Kind: guard.WriteReply, Target: "77", Item: "7", Pull: "12"})
	for _, change := range []func(*state.Intent){
		func(i *state.Intent) { i.Confirmed = false }, func(i *state.Intent) { i.Settled = true }, func(i *state.Intent) { i.Dropped = true },
	} {
		other := update
		change(&other)
		want("what is not due", st(graph.WorkItem, other))
	}
	for _, status := range []string{state.Paused, state.Done, state.Aborted} {
		s := st(graph.WorkItem, update, state.Intent{ID: "I3", Kind: "pr", Head: "c0ffee", Confirmed: true})
		s.Delivery.Status = status
		want("while the delivery is "+status, s)
		if c := confirmed(nil, s); c != nil {
			t.Errorf("a push while the delivery is %s: %+v", status, c)
		}
	}
}

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
