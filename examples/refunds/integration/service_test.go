// Package integration tests the whole service over HTTP on loopback.
package integration

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/refunds/api"
	"example.com/refunds/payments"
	"example.com/refunds/refunds"
)

// service starts the service and returns its address.
func service(t *testing.T) string {
	t.Helper()
	h := &api.Handler{Book: payments.NewBook(), Policy: refunds.Default(), Now: time.Now}
	srv := httptest.NewServer(h.Routes())
	t.Cleanup(srv.Close)
	return srv.URL
}

// post sends a JSON body and returns the status of the answer.
func post(t *testing.T, url, body string) int {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// get returns the payment that is served under url.
func get(t *testing.T, url string) payments.Payment {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var p payments.Payment
	if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPaymentAndRefund(t *testing.T) {
	url := service(t)
	if got := post(t, url+"/payments", `{"id":"p1","amount":"100.00 EUR"}`); got != http.StatusCreated {
		t.Fatalf("capture: status %d, want 201", got)
	}
	if got := post(t, url+"/payments/p1/refunds", `{"amount":"40.00 EUR","reason":"damaged"}`); got != http.StatusCreated {
		t.Fatalf("refund: status %d, want 201", got)
	}
	p := get(t, url+"/payments/p1")
	if len(p.Refunds) != 1 || p.Refunds[0].Amount.String() != "40.00 EUR" {
		t.Errorf("refunds %+v, want one of 40.00 EUR", p.Refunds)
	}
}

func TestRefundOfMoreThanWasPaid(t *testing.T) {
	url := service(t)
	post(t, url+"/payments", `{"id":"p1","amount":"100.00 EUR"}`)
	if got := post(t, url+"/payments/p1/refunds", `{"amount":"100.01 EUR","reason":"damaged"}`); got != http.StatusForbidden {
		t.Errorf("status %d, want 403", got)
	}
	if p := get(t, url+"/payments/p1"); len(p.Refunds) != 0 {
		t.Errorf("a refused refund was kept: %+v", p.Refunds)
	}
}
