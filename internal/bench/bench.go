// Package bench measures what the project promises of speed and size. Each figure
// is a ratio of two medians that were measured by turns in one run, since machines
// are noisy and absolute times say little.
package bench

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// row is one promise and how it was kept.
type row struct {
	what  string
	value float64
	unit  string
	bar   float64
	least bool // the bar is a lower bound
	exact bool // it is counted, so that no noise of a machine excuses a miss
	note  string
}

func (r row) kept() bool {
	if r.least {
		return r.value >= r.bar
	}
	return r.value <= r.bar
}

// Main measures everything and prints the table. It fails when something could not be
// measured, or was counted and misses its bar; what else misses one on a noisy machine is
// shown.
func Main(stdout, stderr io.Writer) int {
	dir, err := os.MkdirTemp("", "asterweave-bench-")
	if err != nil {
		fmt.Fprintln(stderr, "asterweave-bench:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var rows []row
	for _, measure := range []func(string) ([]row, error){hookRows, statusRow, appendRow, verifyRows, treeRow, crowdRows} {
		got, err := measure(dir)
		if err != nil {
			fmt.Fprintln(stderr, "asterweave-bench:", err)
			return 1
		}
		for _, r := range got {
			rows = append(rows, r)
			fmt.Fprintf(stderr, "measured: %s\n", r.what)
		}
	}
	table(stdout, rows)
	if slices.ContainsFunc(rows, func(r row) bool { return r.exact && !r.kept() }) {
		return 1
	}
	return 0
}

func table(w io.Writer, rows []row) {
	fmt.Fprintf(w, "%-62s %10s %12s  %s\n", "what (medians, measured by turns)", "measured", "bar", "")
	for _, r := range rows {
		sign, verdict := "<=", "kept"
		if r.least {
			sign = ">="
		}
		if !r.kept() {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%-62s %8.2f %s %3s %6.2f %s  %s %s\n", r.what, r.value, r.unit, sign, r.bar, r.unit, verdict, r.note)
	}
}

// byTurns runs two things by turns and returns their median times.
func byTurns(turns int, a, b func() error) (time.Duration, time.Duration, error) {
	var as, bs []time.Duration
	for i := range turns {
		pair := []struct {
			fn   func() error
			into *[]time.Duration
		}{{a, &as}, {b, &bs}}
		if i%2 == 1 {
			slices.Reverse(pair)
		}
		for _, p := range pair {
			began := time.Now()
			if err := p.fn(); err != nil {
				return 0, 0, err
			}
			*p.into = append(*p.into, time.Since(began))
		}
	}
	return median(as), median(bs), nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
