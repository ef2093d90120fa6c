//go:build unix

package cli_test

import (
	"strings"
	"testing"
)

// TestRetro looks back on one delivery that ended and one that is open, and changes nothing.
func TestRetro(t *testing.T) {
	r := at(t, "done")
	r.ok(r.aw("start", "--goal", "SUM-3: another"))
	before := r.ledger()
	a := r.ok(r.aw("retro"))
	if r.ledger() != before {
		t.Error("retro wrote")
	}
	if n := dig(a.json, "retro", "total", "deliveries"); n != 2.0 {
		t.Errorf("%v deliveries", n)
	}
	out, ok := dig(a.json, "retro", "deliveries").([]any)
	if !ok || len(out) != 2 || dig(out[0], "outcome") != "done" || dig(out[0], "archived") != true || dig(out[1], "outcome") != "active" {
		t.Fatalf("%s", a)
	}
	if text := r.ok(r.look("retro")).stdout; !strings.Contains(text, "all 2: 1 active, 1 done;") {
		t.Errorf("%s", text)
	}
}

func TestRetroWithoutDelivery(t *testing.T) {
	r := at0(t)
	if a := r.ok(r.look("retro")); a.stdout != "no delivery has left a ledger here\n" {
		t.Errorf("%s", a)
	}
}
