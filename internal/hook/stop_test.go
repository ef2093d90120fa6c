package hook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/state"
)

func TestStop(t *testing.T) {
	w := at(t, "review")
	stop := func(more fields) answer { w.t.Helper(); return w.hook("stop", w.with("Stop", more)) }
	if a := stop(nil); !a.silent() {
		t.Errorf("a session without a lease is kept: %+v", a)
	}
	w.hook("session-start", w.with("SessionStart", fields{"source": "startup"}))
	if a := stop(nil); !a.refused() || !strings.Contains(a.Reason, "asterweave-state next") || !strings.Contains(a.Reason, "review") {
		t.Errorf("answer %+v", a)
	}
	if a := stop(fields{"session_id": "s2"}); !a.silent() {
		t.Errorf("another session is kept: %+v", a)
	}
	if a := stop(fields{"background_tasks": []any{fields{"id": "b1", "status": "running"}}}); !a.silent() {
		t.Errorf("a turn with work in the background is kept: %+v", a)
	}
	w.environ = append(w.environ, "ASTERWEAVE_AGENT=1")
	if a := stop(nil); !a.silent() {
		t.Errorf("a client of the agent's own is kept: %+v", a)
	}
	w.environ = cleanEnviron()
	held := 1
	for ; held < 10 && stop(fields{"stop_hook_active": true}).refused(); held++ {
	}
	if s := w.state(); held != 3 || s.Delivery.Status != state.Paused {
		t.Errorf("kept %d times, the delivery is %s", held, s.Delivery.Status)
	}
	if a := stop(nil); !a.silent() {
		t.Errorf("a paused delivery keeps the turn: %+v", a)
	}
}

func TestStopAtAnAsk(t *testing.T) {
	w := at(t, "approve")
	w.hook("session-start", w.with("SessionStart", fields{"source": "startup"}))
	if a := w.hook("stop", w.with("Stop", nil)); !a.silent() {
		t.Errorf("the turn is kept although an approval is due: %+v", a)
	}
}

// A hook that cannot get the lock does not keep anybody, and does not hang.
func TestStopWhileLocked(t *testing.T) {
	w := at(t, "review")
	w.hook("session-start", w.with("SessionStart", fields{"source": "startup"}))
	unlock := w.hold()
	defer unlock()
	began := time.Now()
	w.hook("stop", w.with("Stop", nil))
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it waited %s", took)
	}
}
