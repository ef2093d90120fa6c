package testrun

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// printable are lines that a test could print to look like its runner, by recording
// of a run whose tests print straight through.
func printable() map[string][]string {
	return map[string][]string{
		"go/local": {
			"ok  \texample.com/shop/more\t0.1s", "ok  \texample.com/shop/price\t(cached)", "PASS", "--- PASS: TestMore (0.00s)",
			"FAIL\texample.com/shop/more\t0.1s", "?   \texample.com/shop/more\t[no test files]",
		},
		"go/forged-v": { // one line of the two that make a test
			"--- PASS: TestMore (0.00s)", "    --- PASS: TestMore/sub (0.00s)", "PASS", "ok  \texample.com/shop/more\t0.1s",
			"    x_test.go:1: === RUN   TestMore", "        --- PASS: TestMore (0.00s)", "=== CONT  TestMore",
			`{"Action":"pass","Package":"p","Test":"TestMore"}`,
		},
		"pytest/forged-s": {
			"===== 999 passed in 0.01s =====", "999 passed in 1.0s", "5 passed, 994 skipped in 0.01s", "tests/x.py::test_x PASSED [100%]",
			"===== 999 passed, 1 warning in 61.00s (0:01:01) =====",
		},
		"jest/forged": {
			"Test Suites: 999 passed, 999 total", "Tests:       999 passed, 999 total", "Snapshots:   0 total", "Time:        1 s",
			"PASS src/more.test.js", "  ✓ more (1 ms)",
		},
		"vitest/forged": {
			" Test Files  999 passed (999)", "      Tests  999 passed (999)", "   Start at  10:00:00", " ✓ src/more.test.js (999 tests) 1ms",
		},
		"node/forged-spec": {
			"ℹ tests 999", "ℹ suites 0", "ℹ pass 999", "ℹ fail 0", "ℹ cancelled 0", "ℹ skipped 0", "ℹ todo 0", "ℹ duration_ms 1",
			"✔ more (1ms)", "ok 1 - more", "1..999",
		},
		"node/forged": { // node writes what tests print behind a number sign
			"# tests 999", "# suites 0", "# pass 999", "# fail 0", "# cancelled 0", "# skipped 0", "# todo 0", "# duration_ms 1",
			"# ok 1 - more", "# Subtest: more",
		},
		"cargo/pass-nocapture": {
			"running 999 tests", "running 1 test", "test more ... ok", "     Running tests/more.rs (target/debug/deps/more)",
			"test result: ok. 999 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
		},
	}
}

// TestPrintedLinesAddNoPasses puts printed lines anywhere into real runs, but not
// between the lines of the runner's own last summary, which it prints at once.
func TestPrintedLinesAddNoPasses(t *testing.T) {
	for file, pool := range printable() {
		t.Run(file, func(t *testing.T) {
			all := recordings()
			i := slices.IndexFunc(all, func(r recorded) bool { return r.file == file })
			if i < 0 {
				t.Fatal("no such recording")
			}
			run := all[i]
			lines := strings.SplitAfter(string(recordedOutput(t, file)), "\n")
			rapid.Check(t, func(t *rapid.T) {
				mixed := slices.Clone(lines)
				for range rapid.IntRange(1, 3).Draw(t, "times") {
					start, end := lastSummary(mixed)
					at := rapid.IntRange(0, len(mixed)).Filter(func(i int) bool { return i <= start || i >= end }).Draw(t, "at")
					from := rapid.IntRange(0, len(pool)-1).Draw(t, "from")
					to := rapid.IntRange(from+1, len(pool)).Draw(t, "to")
					printed := strings.Join(pool[from:to], "\n") + "\n"
					mixed = slices.Insert(mixed, at, printed)
				}
				got := Count(strings.Fields(run.argv), 0, []byte(strings.Join(mixed, "")))
				if got.Known && got.Passed > run.want[0] {
					t.Fatalf("%d passed, really %d:\n%s", got.Passed, run.want[0], strings.Join(mixed, ""))
				}
			})
		})
	}
}

// lastSummary finds the last summary of several lines: its first line, and the line
// after it. With cargo it is the doc tests, whose output rustdoc swallows.
func lastSummary(lines []string) (start, end int) {
	sizes := map[string]int{"Test Suites: ": 3, " Test Files  ": 2, "# tests ": 8, "ℹ tests ": 8}
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "   Doc-tests ") {
			return i, len(lines) + 1
		}
		for first, n := range sizes {
			if strings.HasPrefix(lines[i], first) && !strings.Contains(lines[i], "999") {
				return i, i + n
			}
		}
	}
	return 0, 0
}

// TestReadersSurviveAnything feeds lines of all runners to each of them.
func TestReadersSurviveAnything(t *testing.T) {
	var pool []string
	for _, lines := range printable() {
		pool = append(pool, lines...)
	}
	for _, r := range recordings() {
		for line := range strings.Lines(string(recordedOutput(t, r.file))) {
			pool = append(pool, strings.TrimSuffix(line, "\n"))
		}
	}
	slices.Sort(pool)
	pool = slices.Compact(pool)
	commands := []string{"go test", "go test ./...", "go test -v", "go test -json", "pytest", "jest", "vitest", "node --test", "cargo test"}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.SampledFrom(pool), rapid.String())
		output := []byte(strings.Join(rapid.SliceOfN(line, 0, 40).Draw(t, "lines"), "\n"))
		for _, c := range commands {
			got := Count(strings.Fields(c), rapid.IntRange(0, 1).Draw(t, "exit"), output)
			if got.Passed < 0 || got.Failed < 0 || got.Skipped < 0 || len(got.Failing) > maxFailing {
				t.Fatalf("%s: %+v", c, got)
			}
		}
		tap, err := FromTAP(output)
		if err == nil && (tap.Passed < 0 || tap.Failed < 0) {
			t.Fatalf("tap: %+v", tap)
		}
		_, _ = FromJUnit(output)
	})
}
