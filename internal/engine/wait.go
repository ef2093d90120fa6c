package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// How often a provider is asked while it is at work.
const (
	firstPause = 15 * time.Second
	mostPause  = 2 * time.Minute
)

// Pause returns how long to wait before the provider is asked again: 15 to 30 seconds
// at first, more each time, and never less than it asked for.
func Pause(asked int, a provider.Answer) time.Duration {
	d := firstPause
	for range asked {
		d = min(d*3/2, mostPause)
	}
	d += rand.N(d) // so that many deliveries do not ask at once
	return max(d, a.RetryAfter)
}

// await asks until the provider gives a final answer, or the wait ends. ended says
// that it ended: the answer is unknown then and says what is waited for.
func (e *Engine) await(ctx context.Context, req ReadRequest, v View, p provider.Provider) (a provider.Answer, ended bool) {
	asking := ctx
	if req.Wait > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, req.Wait)
		defer cancel()
	}
	until := e.o.Now().Add(req.Wait)
	for asked := 0; ; asked++ {
		next, err := e.ask(asking, v, p, req.Kind)
		if err != nil {
			next = unread(v, err.Error())
			next.Because = waitedFor(a, next.Because)
		}
		late := asking.Err() != nil
		if late && next.Result != evidence.Pass {
			return unread(v, fmt.Sprintf("the wait of %s ended without an answer%s", req.Wait, still(a))), true
		}
		a = next
		if req.Wait == 0 || !a.Pending && a.RetryAfter == 0 || a.Result != evidence.Unknown {
			return a, false
		}
		d := Pause(asked, a)
		if left := until.Sub(e.o.Now()); d >= left {
			a.Because = fmt.Sprintf("the wait of %s ended without an answer%s", req.Wait, still(a))
			return a, true
		}
		if req.Progress != nil {
			fmt.Fprintf(req.Progress, "%s: %s; asking again in %s\n", req.Kind, document.OneLine(a.Because), d.Round(time.Second))
		}
		if e.sleep(asking, d) != nil {
			return unread(v, fmt.Sprintf("the wait of %s ended without an answer%s", req.Wait, still(a))), true
		}
	}
}

func unread(v View, because string) provider.Answer {
	a := provider.Answer{Result: evidence.Unknown, Summary: "the provider could not be read", Because: because, Head: v.Facts.Head}
	if s := v.State.Submitted; s != nil {
		a.Head = s.Head
	}
	return a
}

// waitedFor keeps what the provider said last, when asking again fails.
func waitedFor(before provider.Answer, because string) string { return because + still(before) }

func still(a provider.Answer) string {
	if a.Because == "" {
		return ""
	}
	return "; last: " + a.Because
}

func (e *Engine) sleep(ctx context.Context, d time.Duration) error {
	if e.o.Sleep != nil {
		return e.o.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
