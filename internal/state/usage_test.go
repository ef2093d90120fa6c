package state_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/state"
)

func one(node, model string, t state.Tokens) []state.Use {
	return []state.Use{{Node: node, Model: model, Tokens: t}}
}

func TestTokensCountOnce(t *testing.T) {
	s := under(t)
	a := state.Used{Transcript: "t1", AgentType: "x", From: 0, To: 100, Last: &state.Message{ID: "m1"}, Uses: one("a", "big", state.Tokens{Messages: 1, Input: 10, Output: 2, CacheRead: 5, CacheWrite: 1})}
	fold(t, s, state.Change{Used: &a})
	fold(t, s, state.Change{Used: &a}) // begins where nothing ends now
	b := a
	b.From, b.To = 100, 200
	fold(t, s, state.Change{Used: &b})
	if got := s.Tools["a/x"].Models["big"]; got != (state.Tokens{Messages: 2, Input: 20, Output: 4, CacheRead: 10, CacheWrite: 2}) {
		t.Errorf("%+v", got)
	}
	if got := s.Transcripts["t1"]; got.Bytes != 200 || got.Last.ID != "m1" {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsCountedApartIsBounded(t *testing.T) {
	s := under(t)
	for i := range 1000 {
		fold(t, s, state.Change{Tool: &state.Tool{Tool: "Read", AgentType: fmt.Sprintf("x%d", i), Read: true, Failed: i%2 == 0}})
		fold(t, s, state.Change{Used: &state.Used{Transcript: fmt.Sprint(i), To: 1, Uses: one("a", fmt.Sprintf("m%d", i), state.Tokens{Input: 1})}})
	}
	var calls, reads, failed int
	var input int64
	for _, u := range s.Tools {
		calls, reads, failed = calls+u.Calls, reads+u.Reads, failed+u.Failed
		for _, m := range u.Models {
			input += m.Input
		}
	}
	if calls != 1000 || reads != 1000 || failed != 500 {
		t.Errorf("%d calls, %d reads, %d failed", calls, reads, failed)
	}
	if len(s.Tools) > 401 || len(s.Transcripts) > 300 || input != 300 {
		t.Errorf("%d agents, %d transcripts, %d tokens", len(s.Tools), len(s.Transcripts), input)
	}
}

func TestNodeAt(t *testing.T) {
	s := under(t)
	at := func(sec int) time.Time { return time.Date(2026, 3, 2, 9, 0, sec, 0, time.UTC) }
	s.Visits = []state.Visit{{Node: "a", At: at(10)}, {Node: "b", At: at(20)}}
	for sec, want := range map[int]string{5: "", 10: "a", 19: "a", 20: "b", 50: "b"} {
		if got, ok := s.NodeAt(at(sec)); got != want || ok != (want != "") {
			t.Errorf("after %d s: %q", sec, got)
		}
	}
}

func TestVisits(t *testing.T) {
	s := under(t)
	fold(t, s, state.Change{Completed: &state.Completed{Node: "a", Outcome: "pass", To: "b"}})
	fold(t, s, state.Change{Entered: &state.Entered{Node: "b"}})
	if n := len(s.Visits); n != 2 || s.Visits[0].Node != "a" || s.Visits[1].Node != "b" {
		t.Errorf("%+v", s.Visits)
	}
}

// TestHeard: after a human spoke, turns that end without progress are counted anew;
// nothing else changes, and a paused delivery stays so.
func TestHeard(t *testing.T) {
	s := under(t)
	fold(t, s, state.Change{Held: &state.Hold{Mark: "m", Count: 3}}, state.Change{Paused: &state.PausedBy{Reason: "stalled", Idle: true}})
	fold(t, s, state.Change{Heard: &state.Heard{}})
	if s.Hold != nil || s.Delivery.Status != state.Paused || s.Idle != 1 {
		t.Errorf("%+v, %+v, idle %d", s.Hold, s.Delivery, s.Idle)
	}
}
