package verify

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// waiting is a job with a clock that sleeping moves, and the answers that it gets, the
// last of them for ever.
func waiting(wait time.Duration, answers ...provider.Answer) (j *job, ask func(context.Context) (provider.Answer, error), slept *[]time.Duration, said *[]string) {
	now := time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC)
	slept, said = new([]time.Duration), new([]string)
	j = &job{o: Options{
		Wait: wait, Now: func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error {
			*slept, now = append(*slept, d), now.Add(d)
			return nil
		},
		Progress: func(text string) { *said = append(*said, text) },
	}}
	return j, func(context.Context) (provider.Answer, error) {
		a := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		return a, nil
	}, slept, said
}

func pending(because string) provider.Answer {
	return provider.Answer{Result: evidence.Unknown, Pending: true, Because: because}
}

func TestWaitsForChecksUnderWay(t *testing.T) {
	busy := provider.Answer{Result: evidence.Unknown, Because: "too many requests", RetryAfter: 3 * time.Minute}
	j, ask, slept, said := waiting(20*time.Minute, pending("a"), busy, pending("b"), provider.Answer{Result: evidence.Pass})
	a, err := j.await(t.Context(), ask)
	if err != nil || a.Result != evidence.Pass || len(*slept) != 3 || len(*said) != 3 {
		t.Fatalf("%+v, %v; slept %v, said %q", a, err, *slept, *said)
	}
	if (*slept)[0] < 15*time.Second || (*slept)[1] < 3*time.Minute || !strings.HasPrefix((*said)[0], "checks: a; asking again in ") {
		t.Errorf("slept %v, said %q", *slept, *said)
	}
}

func TestWaitEnds(t *testing.T) {
	j, ask, slept, _ := waiting(10*time.Minute, pending("unit is under way"))
	a, err := j.await(t.Context(), ask)
	var whole time.Duration
	for _, d := range *slept {
		whole += d
	}
	if err != nil || a.Result != evidence.Unknown || !strings.Contains(a.Because, "10m0s ended") || !strings.Contains(a.Because, "unit is under way") || whole > 10*time.Minute || whole < 3*time.Minute {
		t.Errorf("%+v, %v after %s", a, err, whole)
	}
}

func TestDoesNotWaitForWhatIsFinal(t *testing.T) {
	for _, final := range []provider.Answer{{Result: evidence.Pass}, {Result: evidence.Fail}, {Result: evidence.Unknown, Because: "a person has to look"}} {
		j, ask, slept, _ := waiting(10*time.Minute, final, pending("never asked"))
		if a, err := j.await(t.Context(), ask); err != nil || a.Result != final.Result || len(*slept) > 0 {
			t.Errorf("%+v, %v", a, err)
		}
	}
	j, ask, slept, _ := waiting(0, pending("x"))
	if a, err := j.await(t.Context(), ask); err != nil || a.Because != "x" || len(*slept) > 0 {
		t.Errorf("without a wait: %+v, %v", a, err)
	}
	j, ask, _, _ = waiting(time.Hour, pending("x"))
	ctx, cancel := context.WithCancel(t.Context())
	j.o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	if _, err := j.await(ctx, ask); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
