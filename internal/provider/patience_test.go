package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// waiting is a patience with a clock that sleeping moves.
type waiting struct {
	provider.Patience
	now   time.Time
	slept []time.Duration
	said  []string
}

func newWaiting(wait time.Duration) *waiting {
	w := &waiting{now: time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC)}
	w.Patience = provider.Patience{
		For: wait, Now: func() time.Time { return w.now },
		Sleep: func(_ context.Context, d time.Duration) error {
			w.slept, w.now = append(w.slept, d), w.now.Add(d)
			return nil
		},
		Progress: func(text string) { w.said = append(w.said, text) },
	}
	return w
}

// ask gets these answers, the last of them for ever.
func (w *waiting) ask(ctx context.Context, answers ...provider.Answer) (provider.Answer, bool) {
	return w.Ask(ctx, func(context.Context) (provider.Answer, error) {
		a := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		if a.Summary == "an error" {
			return provider.Answer{}, errors.New(a.Because)
		}
		return a, nil
	}, lost)
}

func lost(because string) provider.Answer {
	return provider.Answer{Result: evidence.Unknown, Summary: "lost", Because: because}
}

func pending(because string) provider.Answer {
	return provider.Answer{Result: evidence.Unknown, Pending: true, Because: because}
}

func TestPatienceAsksAgain(t *testing.T) {
	w := newWaiting(20 * time.Minute)
	busy := provider.Answer{Result: evidence.Unknown, Because: "too many requests", RetryAfter: 3 * time.Minute}
	a, ended := w.ask(t.Context(), pending("a"), busy, pending("b"), provider.Answer{Result: evidence.Pass})
	if ended || a.Result != evidence.Pass || len(w.slept) != 3 || len(w.said) != 3 {
		t.Fatalf("%+v, ended %v; slept %v, said %q", a, ended, w.slept, w.said)
	}
	if w.slept[0] < 15*time.Second || w.slept[1] < 3*time.Minute || !strings.HasPrefix(w.said[0], "a; asking again in ") {
		t.Errorf("slept %v, said %q", w.slept, w.said)
	}
}

func TestPatienceEnds(t *testing.T) {
	w := newWaiting(10 * time.Minute)
	a, ended := w.ask(t.Context(), pending("unit is under way"))
	whole := w.now.Sub(newWaiting(0).now)
	if !ended || a.Result != evidence.Unknown || a.Because != "the wait of 10m0s ended without an answer; last: unit is under way" || whole > 10*time.Minute || whole < 3*time.Minute {
		t.Errorf("%+v, ended %v after %s", a, ended, whole)
	}
}

func TestPatienceTakesWhatIsFinal(t *testing.T) {
	for _, final := range []provider.Answer{{Result: evidence.Pass}, {Result: evidence.Fail}, {Result: evidence.Unknown, Because: "a person has to look"}} {
		w := newWaiting(10 * time.Minute)
		if a, ended := w.ask(t.Context(), final, pending("never asked")); ended || a.Result != final.Result || len(w.slept) > 0 {
			t.Errorf("%+v, ended %v, slept %v", a, ended, w.slept)
		}
	}
	w := newWaiting(0)
	if a, ended := w.ask(t.Context(), pending("x")); ended || a.Because != "x" || len(w.slept) > 0 {
		t.Errorf("without a wait: %+v, ended %v", a, ended)
	}
}

func TestPatienceWithWhatCannotBeAsked(t *testing.T) {
	w := newWaiting(time.Hour)
	a, ended := w.ask(t.Context(), pending("unit is under way"), provider.Answer{Summary: "an error", Because: "no route"})
	if ended || a.Summary != "lost" || a.Because != "no route; last: unit is under way" {
		t.Errorf("%+v, ended %v", a, ended)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	if a, ended := w.ask(ctx, pending("x")); !ended || a.Summary != "lost" {
		t.Errorf("interrupted: %+v, ended %v", a, ended)
	}
}
