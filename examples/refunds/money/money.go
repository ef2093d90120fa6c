// Package money holds amounts in minor units, so that no cent is lost to rounding.
package money

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// Errors of this package. They are wrapped with the values that caused them.
var (
	ErrFormat   = errors.New("amount is not of the form 12.34 EUR")
	ErrCurrency = errors.New("amounts differ in currency")
	ErrOverflow = errors.New("amount is too large")
)

// Amount is a number of minor units (cents) of a currency. The zero value is
// no money in no currency.
type Amount struct {
	Minor    int64
	Currency string // ISO 4217 code
}

// New returns an amount of minor units, New(1234, "EUR") being 12.34 EUR.
func New(minor int64, currency string) Amount {
	return Amount{Minor: minor, Currency: currency}
}

var form = regexp.MustCompile(`^(\d{1,15})\.(\d{2}) ([A-Z]{3})$`)

// Parse reads an amount such as "12.34 EUR". Negative amounts have no text form.
func Parse(text string) (Amount, error) {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return Amount{}, fmt.Errorf("%w: %q", ErrFormat, text)
	}
	minor, err := strconv.ParseInt(m[1]+m[2], 10, 64)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: %q", ErrFormat, text)
	}
	return New(minor, m[3]), nil
}

// String returns the text form that Parse reads.
func (a Amount) String() string {
	sign, minor := "", a.Minor
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, minor/100, minor%100, a.Currency)
}

// MarshalText returns the text form.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the text form.
func (a *Amount) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// IsPositive reports whether the amount is more than nothing.
func (a Amount) IsPositive() bool { return a.Minor > 0 }

// Add returns a plus b. Both have to be of one currency.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("%w: %s and %s", ErrCurrency, a.Currency, b.Currency)
	}
	if (b.Minor > 0 && a.Minor > math.MaxInt64-b.Minor) || (b.Minor < 0 && a.Minor < math.MinInt64-b.Minor) {
		return Amount{}, fmt.Errorf("%w: %s and %s", ErrOverflow, a, b)
	}
	return New(a.Minor+b.Minor, a.Currency), nil
}

// Sub returns a minus b. Both have to be of one currency.
func (a Amount) Sub(b Amount) (Amount, error) {
	return a.Add(New(-b.Minor, b.Currency))
}

// Exceeds reports whether a is more than b. Both have to be of one currency.
func (a Amount) Exceeds(b Amount) (bool, error) {
	if a.Currency != b.Currency {
		return false, fmt.Errorf("%w: %s and %s", ErrCurrency, a.Currency, b.Currency)
	}
	return a.Minor > b.Minor, nil
}
