package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/problem"
)

// heard notes that a human spoke. What they said is nobody's business here: words that
// move a delivery are typed as commands. The client gives its own notifications the
// same event, and these are nobody.
func (c *call) heard(ctx context.Context) (reply, error) {
	if strings.Contains(c.p.Prompt, "<task-notification>") || strings.TrimSpace(c.p.Prompt) == "" || c.unheard() != nil {
		return reply{}, nil
	}
	d, err := c.delivery()
	if err != nil || d == nil {
		return reply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, countWait)
	defer cancel()
	err = d.engine.Heard(ctx, "hook "+c.kebab, c.by())
	if err != nil && problem.CodeOf(err) != problem.LockTimeout && !errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(c.stderr, "asterweave: it was not noted that a human spoke: %s\n", err)
	}
	return reply{}, nil
}
