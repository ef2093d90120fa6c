// Package refunds decides which refunds are allowed.
package refunds

import (
	"fmt"
	"strings"
	"time"

	"example.com/refunds/money"
	"example.com/refunds/payments"
)

// Refusal says which rule refused a refund, and why.
type Refusal struct {
	Rule string // amount, currency, reason, window
	Why  string
}

// Error returns the rule and the reason.
func (r *Refusal) Error() string { return r.Rule + ": " + r.Why }

func refuse(rule, format string, args ...any) error {
	return &Refusal{Rule: rule, Why: fmt.Sprintf(format, args...)}
}

// Policy holds the rules that a refund has to keep.
type Policy struct {
	Window time.Duration // how long after its capture a payment can be refunded
}

// Default is the policy that the service runs with.
func Default() Policy { return Policy{Window: 90 * 24 * time.Hour} }

// Check returns nil when r may be made on p, else a *Refusal.
func (pol Policy) Check(p payments.Payment, r payments.Refund) error {
	if strings.TrimSpace(r.Reason) == "" {
		return refuse("reason", "a refund needs a reason")
	}
	if !r.Amount.IsPositive() {
		return refuse("amount", "%s is not more than nothing", r.Amount)
	}
	if r.At.Sub(p.CapturedAt) > pol.Window {
		return refuse("window", "the payment is older than %d days", int(pol.Window.Hours()/24))
	}
	left, err := remaining(p)
	if err != nil {
		return err
	}
	over, err := r.Amount.Exceeds(left)
	if err != nil {
		return refuse("currency", "the payment is in %s", p.Captured.Currency)
	}
	if over {
		return refuse("amount", "%s is more than the remaining %s", r.Amount, left)
	}
	return nil
}

// remaining returns what was paid less what went back already. A refund in another
// currency is an error and never counted as nothing.
func remaining(p payments.Payment) (money.Amount, error) {
	left := p.Captured
	for _, r := range p.Refunds {
		var err error
		if left, err = left.Sub(r.Amount); err != nil {
			return money.Amount{}, err
		}
	}
	return left, nil
}
