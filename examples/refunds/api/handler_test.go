package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/refunds/payments"
	"example.com/refunds/refunds"
)

func newHandler() http.Handler {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	h := &Handler{Book: payments.NewBook(), Policy: refunds.Default(), Now: func() time.Time { return noon }}
	return h.Routes()
}

func call(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestStatuses(t *testing.T) {
	h := newHandler()
	for _, c := range []struct {
		name, method, path, body string
		want                     int
	}{
		{"capture", "POST", "/payments", `{"id":"p1","amount":"100.00 EUR"}`, 201},
		{"capture again", "POST", "/payments", `{"id":"p1","amount":"1.00 EUR"}`, 409},
		{"capture nothing", "POST", "/payments", `{"id":"p2","amount":"0.00 EUR"}`, 400},
		{"amount that is none", "POST", "/payments", `{"id":"p2","amount":"ten"}`, 400},
		{"unknown field", "POST", "/payments", `{"id":"p2","amount":"1.00 EUR","vip":true}`, 400},
		{"show", "GET", "/payments/p1", "", 200},
		{"show nothing", "GET", "/payments/p9", "", 404},
		{"refund of more than was paid", "POST", "/payments/p1/refunds", `{"amount":"100.01 EUR","reason":"damaged"}`, 403},
		{"refund without a reason", "POST", "/payments/p1/refunds", `{"amount":"1.00 EUR"}`, 403},
		{"refund of nothing we know", "POST", "/payments/p9/refunds", `{"amount":"1.00 EUR","reason":"damaged"}`, 404},
		{"refund", "POST", "/payments/p1/refunds", `{"amount":"40.00 EUR","reason":"damaged"}`, 201},
	} {
		if w := call(h, c.method, c.path, c.body); w.Code != c.want {
			t.Errorf("%s: status %d, want %d: %s", c.name, w.Code, c.want, w.Body)
		}
	}
}

func TestRefusalNamesItsRule(t *testing.T) {
	h := newHandler()
	call(h, "POST", "/payments", `{"id":"p1","amount":"100.00 EUR"}`)
	w := call(h, "POST", "/payments/p1/refunds", `{"amount":"1.00 USD","reason":"damaged"}`)
	if !strings.Contains(w.Body.String(), `"rule":"currency"`) {
		t.Errorf("body %s, want the rule currency", w.Body)
	}
}
