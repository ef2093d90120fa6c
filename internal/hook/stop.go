package hook

import (
	"context"
	"fmt"

	"github.com/asterweave/asterweave/internal/prompt"
)

// stop keeps the turn from ending while the delivery goes on and waits for nobody. Only
// the session that drives the delivery is kept; one with work in the background is not,
// since the client begins another turn when that ends.
func (c *call) stop(ctx context.Context) (reply, error) {
	d, err := c.delivery()
	if err != nil || d == nil || c.deps.agentShell() {
		return reply{}, err
	}
	c.usage(ctx, d)
	if l := d.state.Lease; l == nil || l.Session != c.p.Session {
		return reply{}, nil
	}
	for _, task := range c.p.Background {
		if task.Status == "running" {
			return reply{}, nil
		}
	}
	goOn, s, err := d.engine.Hold(ctx, "hook "+Stop, c.by())
	if err != nil || !goOn {
		return reply{}, err
	}
	return block(fmt.Sprintf("Asterweave: delivery %s is not done: it is at %s and waits for nobody. Run `%s next` now and follow what it says; when a human is needed, it says how to ask.",
		s.Delivery.ID, s.Node, prompt.Program)), nil
}
