package money

import (
	"errors"
	"math"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Amount
	}{
		{"12.34 EUR", New(1234, "EUR")},
		{"0.05 USD", New(5, "USD")},
		{"100.00 EUR", New(10000, "EUR")},
	} {
		got, err := Parse(c.text)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
		if got.String() != c.text {
			t.Errorf("Parse(%q).String() = %q", c.text, got.String())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "12", "12.3 EUR", "-1.00 EUR", "1.00 eur", "1.00EUR", "1,00 EUR", "9999999999999999.00 EUR"} {
		if got, err := Parse(text); !errors.Is(err, ErrFormat) {
			t.Errorf("Parse(%q) = %v, %v, want ErrFormat", text, got, err)
		}
	}
}

func TestAddAndSub(t *testing.T) {
	sum, err := New(150, "EUR").Add(New(275, "EUR"))
	if err != nil || sum != New(425, "EUR") {
		t.Errorf("1.50 + 2.75 = %v, %v", sum, err)
	}
	diff, err := New(150, "EUR").Sub(New(275, "EUR"))
	if err != nil || diff.String() != "-1.25 EUR" {
		t.Errorf("1.50 - 2.75 = %v, %v", diff, err)
	}
}

func TestAmountsThatDoNotMix(t *testing.T) {
	if _, err := New(1, "EUR").Add(New(1, "USD")); !errors.Is(err, ErrCurrency) {
		t.Errorf("EUR + USD: %v, want ErrCurrency", err)
	}
	if _, err := New(1, "EUR").Exceeds(New(1, "USD")); !errors.Is(err, ErrCurrency) {
		t.Errorf("EUR > USD: %v, want ErrCurrency", err)
	}
	if _, err := New(math.MaxInt64, "EUR").Add(New(1, "EUR")); !errors.Is(err, ErrOverflow) {
		t.Errorf("largest + 0.01: %v, want ErrOverflow", err)
	}
}
