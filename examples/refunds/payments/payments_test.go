package payments

import (
	"errors"
	"sync"
	"testing"
	"time"

	"example.com/refunds/money"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func yes(Payment, Refund) error { return nil }

func TestCapture(t *testing.T) {
	b := NewBook()
	if _, err := b.Capture("p1", money.New(10000, "EUR"), noon); err != nil {
		t.Fatal(err)
	}
	p, err := b.Get("p1")
	if err != nil || p.Captured != money.New(10000, "EUR") || len(p.Refunds) != 0 {
		t.Errorf("Get(p1) = %+v, %v", p, err)
	}
	if _, err := b.Capture("p1", money.New(1, "EUR"), noon); !errors.Is(err, ErrExists) {
		t.Errorf("second capture of p1: %v, want ErrExists", err)
	}
	if _, err := b.Capture("p2", money.New(0, "EUR"), noon); !errors.Is(err, ErrInvalid) {
		t.Errorf("capture of nothing: %v, want ErrInvalid", err)
	}
	if _, err := b.Get("p3"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get(p3): %v, want ErrNotFound", err)
	}
}

func TestRefusedRefundLeavesNoTrace(t *testing.T) {
	b := NewBook()
	if _, err := b.Capture("p1", money.New(10000, "EUR"), noon); err != nil {
		t.Fatal(err)
	}
	no := errors.New("no")
	_, err := b.Refund("p1", Refund{Amount: money.New(1, "EUR")}, func(Payment, Refund) error { return no })
	if !errors.Is(err, no) {
		t.Errorf("Refund: %v, want the refusal", err)
	}
	if p, _ := b.Get("p1"); len(p.Refunds) != 0 {
		t.Errorf("a refused refund was stored: %+v", p.Refunds)
	}
}

func TestConcurrentRefundsAreAllKept(t *testing.T) {
	b := NewBook()
	if _, err := b.Capture("p1", money.New(10000, "EUR"), noon); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := b.Refund("p1", Refund{Amount: money.New(1, "EUR"), At: noon}, yes); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if p, _ := b.Get("p1"); len(p.Refunds) != 50 {
		t.Errorf("%d refunds kept, want 50", len(p.Refunds))
	}
}
