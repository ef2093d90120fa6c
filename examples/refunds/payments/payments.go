// Package payments keeps payments and the refunds that were made on them.
package payments

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/refunds/money"
)

// Errors of a book.
var (
	ErrNotFound = errors.New("no such payment")
	ErrExists   = errors.New("payment exists already")
	ErrInvalid  = errors.New("payment is invalid")
)

// Payment is money that was captured from a customer.
type Payment struct {
	ID         string       `json:"id"`
	Captured   money.Amount `json:"amount"`
	CapturedAt time.Time    `json:"capturedAt"`
	Refunds    []Refund     `json:"refunds"` // in the order in which they were made
}

// Refund is money that went back to the customer.
type Refund struct {
	Amount money.Amount `json:"amount"`
	Reason string       `json:"reason"`
	At     time.Time    `json:"at"`
}

// Book holds payments in memory. It is safe for concurrent use.
type Book struct {
	mu       sync.Mutex
	payments map[string]Payment
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{payments: map[string]Payment{}}
}

// Capture stores a payment without refunds.
func (b *Book) Capture(id string, amount money.Amount, at time.Time) (Payment, error) {
	if id == "" || !amount.IsPositive() {
		return Payment{}, fmt.Errorf("%w: it needs an id and more than %s", ErrInvalid, amount)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, taken := b.payments[id]; taken {
		return Payment{}, fmt.Errorf("%w: %s", ErrExists, id)
	}
	p := Payment{ID: id, Captured: amount, CapturedAt: at, Refunds: []Refund{}}
	b.payments[id] = p
	return p, nil
}

// Get returns a copy of a payment.
func (b *Book) Get(id string) (Payment, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.payments[id]
	if !ok {
		return Payment{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	p.Refunds = slices.Clone(p.Refunds)
	return p, nil
}

// Refund adds a refund to a payment when allow returns nil. The decision and the
// write are one step: no other refund of the book comes between them.
func (b *Book) Refund(id string, r Refund, allow func(Payment, Refund) error) (Payment, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.payments[id]
	if !ok {
		return Payment{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	p.Refunds = slices.Clone(p.Refunds)
	if err := allow(p, r); err != nil {
		return Payment{}, err
	}
	p.Refunds = append(p.Refunds, r)
	b.payments[id] = p
	p.Refunds = slices.Clone(p.Refunds)
	return p, nil
}
