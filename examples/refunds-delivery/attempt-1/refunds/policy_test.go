package refunds

import (
	"errors"
	"testing"
	"time"

	"example.com/refunds/money"
	"example.com/refunds/payments"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// payment is 100.00 EUR, captured at noon, with the given refunds in cents.
func payment(refunded ...int64) payments.Payment {
	p := payments.Payment{ID: "p1", Captured: money.New(10000, "EUR"), CapturedAt: noon}
	for _, cents := range refunded {
		p.Refunds = append(p.Refunds, refund(cents))
	}
	return p
}

func refund(cents int64) payments.Refund {
	return payments.Refund{Amount: money.New(cents, "EUR"), Reason: "damaged", At: noon.Add(time.Hour)}
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		name string
		p    payments.Payment
		r    payments.Refund
	}{
		{"a part", payment(), refund(4000)},
		{"the whole", payment(), refund(10000)},
		{"a second part", payment(4000), refund(4000)},
		{"the last part", payment(4000, 4000), refund(2000)},
	} {
		if err := Default().Check(c.p, c.r); err != nil {
			t.Errorf("%s: %v, want it allowed", c.name, err)
		}
	}
}

func TestRefused(t *testing.T) {
	late := refund(100)
	late.At = noon.Add(91 * 24 * time.Hour)
	dollars := refund(100)
	dollars.Amount.Currency = "USD"
	silent := refund(100)
	silent.Reason = "  "
	for _, c := range []struct {
		name string
		r    payments.Refund
		rule string
	}{
		{"more than was paid", refund(10001), "amount"},
		{"nothing", refund(0), "amount"},
		{"less than nothing", refund(-100), "amount"},
		{"after the window", late, "window"},
		{"another currency", dollars, "currency"},
		{"no reason", silent, "reason"},
	} {
		var refusal *Refusal
		if err := Default().Check(payment(), c.r); !errors.As(err, &refusal) {
			t.Errorf("%s: %v, want a refusal", c.name, err)
		} else if refusal.Rule != c.rule {
			t.Errorf("%s: refused by rule %q, want %q", c.name, refusal.Rule, c.rule)
		}
	}
}

func TestRefundOverRemaining(t *testing.T) {
	for _, c := range []struct {
		name string
		p    payments.Payment
		r    payments.Refund
	}{
		{"second part", payment(6000), refund(4001)},
		{"third part", payment(4000, 4000), refund(4000)},
		{"nothing left", payment(5000, 3000, 2000), refund(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var refusal *Refusal
			err := Default().Check(c.p, c.r)
			if !errors.As(err, &refusal) || refusal.Rule != "amount" {
				t.Errorf("expected a refusal by rule amount for %s after %d refunds, got %v", c.r.Amount, len(c.p.Refunds), err)
			}
		})
	}
}
