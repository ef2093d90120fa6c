// Package api serves the book of payments over HTTP.
package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"example.com/refunds/money"
	"example.com/refunds/payments"
	"example.com/refunds/refunds"
)

const maxBody = 64 << 10

// Handler serves a book under a policy. Now is the clock.
type Handler struct {
	Book   *payments.Book
	Policy refunds.Policy
	Now    func() time.Time
}

// Routes returns the handler of all paths.
func (h *Handler) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /payments", h.capture)
	mux.HandleFunc("GET /payments/{id}", h.show)
	mux.HandleFunc("POST /payments/{id}/refunds", h.refund)
	return mux
}

func (h *Handler) capture(w http.ResponseWriter, r *http.Request) {
	var body struct {
		ID     string       `json:"id"`
		Amount money.Amount `json:"amount"`
	}
	if !read(w, r, &body) {
		return
	}
	p, err := h.Book.Capture(body.ID, body.Amount, h.Now())
	answer(w, http.StatusCreated, p, err)
}

func (h *Handler) show(w http.ResponseWriter, r *http.Request) {
	p, err := h.Book.Get(r.PathValue("id"))
	answer(w, http.StatusOK, p, err)
}

func (h *Handler) refund(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Amount money.Amount `json:"amount"`
		Reason string       `json:"reason"`
	}
	if !read(w, r, &body) {
		return
	}
	refund := payments.Refund{Amount: body.Amount, Reason: body.Reason, At: h.Now()}
	p, err := h.Book.Refund(r.PathValue("id"), refund, h.Policy.Check)
	answer(w, http.StatusCreated, p, err)
}

// read decodes the body of a request, or answers 400 and returns false.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		write(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return false
	}
	return true
}

// answer writes v with the status ok, or the error with the status of its kind.
func answer(w http.ResponseWriter, ok int, v any, err error) {
	var refusal *refunds.Refusal
	switch {
	case err == nil:
		write(w, ok, v)
	case errors.As(err, &refusal):
		write(w, http.StatusForbidden, map[string]string{"error": refusal.Why, "rule": refusal.Rule})
	case errors.Is(err, payments.ErrNotFound):
		write(w, http.StatusNotFound, map[string]string{"error": err.Error()})
	case errors.Is(err, payments.ErrExists):
		write(w, http.StatusConflict, map[string]string{"error": err.Error()})
	case errors.Is(err, payments.ErrInvalid):
		write(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
	default:
		write(w, http.StatusInternalServerError, map[string]string{"error": "internal error"})
	}
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The status is out already: a client that went away is nobody to tell.
	_ = json.NewEncoder(w).Encode(v)
}
