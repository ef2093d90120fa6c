package provider

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
)

// How often a provider is asked while it is at work.
const (
	firstPause = 15 * time.Second
	mostPause  = 2 * time.Minute
)

// Patience asks again while a provider is at work, and for no longer than it was told.
type Patience struct {
	For      time.Duration // 0 asks once
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error // nil is the function Sleep
	Progress func(text string)                          // told before each pause; nil for nobody
}

// Ask asks until the answer is final or the patience ends. ended says that it ended: the
// answer is unknown then, and says what is waited for. What could not be asked is an
// answer that lost makes of the reason.
func (p Patience) Ask(ctx context.Context, ask func(context.Context) (Answer, error), lost func(because string) Answer) (a Answer, ended bool) {
	if p.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.For)
		defer cancel()
	}
	until := p.Now().Add(p.For)
	for asked := 0; ; asked++ {
		next, err := ask(ctx)
		if err != nil {
			next = lost(err.Error() + still(a))
		}
		if ctx.Err() != nil && next.Result != evidence.Pass {
			return lost(p.over(a)), true
		}
		a = next
		if p.For == 0 || !a.Pending && a.RetryAfter == 0 || a.Result != evidence.Unknown {
			return a, false
		}
		d := pause(asked, a)
		if d >= until.Sub(p.Now()) {
			a.Because = p.over(a)
			return a, true
		}
		if p.Progress != nil {
			p.Progress(fmt.Sprintf("%s; asking again in %s", a.Because, d.Round(time.Second)))
		}
		sleep := p.Sleep
		if sleep == nil {
			sleep = Sleep
		}
		if sleep(ctx, d) != nil {
			return lost(p.over(a)), true
		}
	}
}

func (p Patience) over(last Answer) string {
	return fmt.Sprintf("the wait of %s ended without an answer%s", p.For, still(last))
}

// still keeps what the provider said last.
func still(a Answer) string {
	if a.Because == "" {
		return ""
	}
	return "; last: " + a.Because
}

// pause returns how long to wait before the provider is asked again: 15 to 30 seconds
// at first, more each time, and never less than it asked for.
func pause(asked int, a Answer) time.Duration {
	d := firstPause
	for range asked {
		d = min(d*3/2, mostPause)
	}
	d += rand.N(d) // so that many deliveries do not ask at once
	return max(d, a.RetryAfter)
}

// Sleep waits for real, and no longer than the context lives.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
