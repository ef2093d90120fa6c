package engine

import (
	"context"
	"fmt"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// await asks until the provider gives a final answer, or the wait ends. ended says
// that it ended: the answer is unknown then and says what is waited for.
func (e *Engine) await(ctx context.Context, req ReadRequest, v View, p provider.Provider) (a provider.Answer, ended bool) {
	patience := provider.Patience{For: req.Wait, Now: e.o.Now, Sleep: e.o.Sleep}
	if req.Progress != nil {
		patience.Progress = func(text string) { fmt.Fprintf(req.Progress, "%s: %s\n", req.Kind, document.OneLine(text)) }
	}
	return patience.Ask(ctx, func(ctx context.Context) (provider.Answer, error) { return e.ask(ctx, v, p, req.Kind) },
		func(because string) provider.Answer { return unread(v, because) })
}

func unread(v View, because string) provider.Answer {
	a := provider.Answer{Result: evidence.Unknown, Summary: "the provider could not be read", Because: because, Head: v.Facts.Head}
	if s := v.State.Submitted; s != nil {
		a.Head = s.Head
	}
	return a
}
