package azuredevops

import (
	"encoding/json"
	"fmt"
	"time"
)

// date is a moment as the service writes it: with seven digits of a second, with a
// zone or without one (which is UTC then), and year one for never.
type date struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (d *date) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a date is not a string: %w", err)
	}
	d.Time = time.Time{}
	if s == nil || *s == "" {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		at, err := time.Parse(layout, *s)
		if err != nil {
			continue
		}
		if at.Year() > 1 {
			d.Time = at.UTC()
		}
		return nil
	}
	return fmt.Errorf("%.40q is not a date", *s)
}

// String returns RFC 3339, or "" for never.
func (d date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.Format(time.RFC3339)
}
