package signature

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// noise draws something that differs from run to run, by the kind of place it is
// written in.
func noise(t *rapid.T, kind string) string {
	n := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, kind) }
	hex := func(digits int) string {
		return rapid.StringMatching(fmt.Sprintf("[0-9a-f]{%d}", digits)).Draw(t, kind)
	}
	switch kind {
	case "TIME":
		return rapid.SampledFrom([]string{
			fmt.Sprintf("20%02d-%02d-%02dT%02d:%02d:%02d.%03dZ", n(10, 40), n(1, 12), n(1, 28), n(0, 23), n(0, 59), n(0, 59), n(0, 999)),
			fmt.Sprintf("20%02d/%02d/%02d %02d:%02d:%02d", n(10, 40), n(1, 12), n(1, 28), n(0, 23), n(0, 59), n(0, 59)),
			fmt.Sprintf("%02d:%02d:%02d", n(0, 23), n(0, 59), n(0, 59)),
		}).Draw(t, kind)
	case "TOOK":
		return rapid.SampledFrom([]string{
			fmt.Sprintf("%d.%02ds", n(0, 99), n(0, 99)), fmt.Sprintf("%dms", n(1, 9999)), fmt.Sprintf("%d ms", n(1, 9999)),
			fmt.Sprintf("%d.%dµs", n(1, 999), n(0, 9)), fmt.Sprintf("%dm%ds", n(1, 59), n(0, 59)), fmt.Sprintf("%d seconds", n(2, 99)),
		}).Draw(t, kind)
	case "PORT":
		return fmt.Sprint(n(1024, 65535))
	case "HEX":
		return "0x" + rapid.StringMatching("[0-9a-f]{1,16}").Draw(t, kind)
	case "TMP":
		return rapid.SampledFrom([]string{"/tmp/", "/var/folders/q1/x/T/", "/private/tmp/", "/dev/shm/"}).Draw(t, kind) +
			rapid.StringMatching("[A-Za-z0-9_.-]{1,20}(/[0-9]{1,3})?").Draw(t, kind)
	case "LINE":
		return fmt.Sprint(n(1, 99999))
	case "UUID":
		return hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12)
	case "PID":
		return fmt.Sprint(n(1, 4_000_000))
	case "ROOT":
		return rapid.StringMatching("/(home|srv|Users)/[a-z]{1,8}/[a-z]{1,8}").Draw(t, kind)
	}
	return kind
}

// fill replaces every {KIND} of a text.
func fill(t *rapid.T, text string) string {
	for {
		before, rest, ok := strings.Cut(text, "{")
		if !ok {
			return text
		}
		kind, after, _ := strings.Cut(rest, "}")
		text = before + noise(t, kind) + after
	}
}

// noisy are outputs with places for noise.
func noisy() []struct{ argv, text string } {
	return []struct{ argv, text string }{
		{"go test ./...", "ok  \texample.com/shop/price\t{TOOK}\n--- FAIL: TestRefund ({TOOK})\n    refund_test.go:{LINE}: expected 403 from 127.0.0.1:{PORT} after {TOOK}, got 500\n" +
			"        id {UUID}\nFAIL\texample.com/shop/refund\t{TOOK}\nFAIL\n"},
		{"go test ./...", "--- FAIL: TestRefund (0.00s)\n    refund_test.go:{LINE}: open {TMP}: no such file at {HEX}\nFAIL\texample.com/shop/refund\t1.0s\n"},
		{"go test ./...", "--- FAIL: TestRefund (0.00s)\npanic: {TIME} pid {PID}: boom at {HEX} [recovered]\n\ngoroutine {PID} [running]:\nFAIL\texample.com/shop/refund\t1.0s\n"},
		{"pytest", "=== FAILURES ===\n____ test_a ____\nE   RuntimeError: no answer on port {PORT} within {TOOK} ({TIME})\n\n{ROOT}/tests/test_a.py:{LINE}: RuntimeError\n" +
			"=== short test summary info ===\nFAILED tests/test_a.py::test_a - RuntimeError: …\n=== 1 failed in 0.1s ===\n"},
		{"cargo test", "     Running unittests src/lib.rs (target/debug/deps/shop-{UUID})\n\nrunning 1 test\n\nfailures:\n\n---- tests::a stdout ----\n\n" +
			"thread 'tests::a' ({PID}) panicked at src/lib.rs:{LINE}:9:\nno route to localhost:{PORT}: job {PID}\n\nfailures:\n    tests::a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n"},
		{"npx jest", "FAIL src/a.test.js ({TOOK})\n  ● adds › one ({TMP})\n\n    TypeError: {HEX} is not a function at {ROOT}/src/a.js:{LINE}:7\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nSnapshots:   0 total\nTime:        {TOOK}\n"},
		{"node --test", "# Subtest: a\nnot ok 1 - a\n  ---\n  duration_ms: 3\n  location: '{ROOT}/test/a.test.js:{LINE}:3'\n  error: 'listen EADDRINUSE: address already in use :::{PORT}'\n  ...\n1..1\n"},
		{"make", "{TIME} starting\n[{TIME}] error: request {UUID} to db:{PORT} failed after {TOOK} in {TMP}\n"},
		{"go build ./...", "# example.com/shop\n{ROOT}/a.go:{LINE}:{LINE}: undefined: Stat\n"},
		{"make", "error: connection from session {UUID} refused, thread {PID}, line {LINE}, run id {PID}\n"},
	}
}

func TestNoiseNeverChangesASignature(t *testing.T) {
	for i, c := range noisy() {
		t.Run(fmt.Sprint(i, " ", c.argv), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				argv := strings.Fields(c.argv)
				one, two := fill(t, c.text), fill(t, c.text)
				a := Compute("unit-test", "unit", argv, 1, false, []byte(one))
				b := Compute("unit-test", "unit", argv, 1, false, []byte(two))
				if a != b {
					t.Fatalf("%s\n%s\nfrom\n%s\nand\n%s", a, b, one, two)
				}
				check(t, a)
			})
		})
	}
}

// goFailing is what "go test" prints when tests fail.
func goFailing(names []string) []byte {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "--- FAIL: %s (0.00s)\n    a_test.go:7: broken\n", n)
	}
	b.WriteString("FAIL\texample.com/shop\t0.1s\n")
	return []byte(b.String())
}

func TestFailuresInAnotherOrderHaveTheSameSignature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching("Test[A-Z][a-z]{0,40}[0-9]{0,2}"), 1, 40, rapid.ID).Draw(t, "names")
		other := rapid.Permutation(names).Draw(t, "other")
		a := Compute("unit-test", "unit", []string{"go", "test"}, 1, false, goFailing(names))
		b := Compute("unit-test", "unit", []string{"go", "test"}, 1, false, goFailing(other))
		if a != b {
			t.Fatalf("%s\n%s", a, b)
		}
		check(t, a)
	})
}

func TestAnotherFailingTestHasAnotherSignature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`Test[A-Z][A-Za-z0-9_<>=!#]{0,80}(/[a-z0-9=<>_-]{1,20})?`)
		one := rapid.SliceOfNDistinct(name, 1, 12, rapid.ID).Draw(t, "one")
		two := rapid.SliceOfNDistinct(name, 1, 12, rapid.ID).Draw(t, "two")
		slices.Sort(one)
		slices.Sort(two)
		if slices.Equal(one, two) {
			return
		}
		a := Compute("unit-test", "unit", []string{"go", "test"}, 1, false, goFailing(one))
		b := Compute("unit-test", "unit", []string{"go", "test"}, 1, false, goFailing(two))
		if a == b {
			t.Fatalf("%s for %q and %q", a, one, two)
		}
	})
}

func TestSignaturesAreSafeForAnyOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		argv := strings.Fields(rapid.SampledFrom([]string{"go test", "go test -v", "go test -json", "pytest", "npx jest", "npx vitest", "node --test", "cargo test", "make"}).Draw(t, "argv"))
		line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"--- FAIL: ", "--- FAIL: TestX (0.00s)", "FAIL\t", "FAIL\tp", "  ● ", " FAIL  ", "FAILED ", "not ok", "}", "---", "...",
			"✖ failing tests:", "✖ ", "failures:", "    x", "---- x stdout ----", "running tests:", "error", "{\"Action\":\"fail\"}", "\x1b[",
		}))
		output := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n")
		kind := rapid.OneOf(rapid.Just("unit-test"), rapid.String()).Draw(t, "kind")
		gate := rapid.OneOf(rapid.Just(""), rapid.String()).Draw(t, "gate")
		check(t, Compute(kind, gate, argv, rapid.IntRange(-1, 255).Draw(t, "exit"), rapid.Bool().Draw(t, "late"), []byte(output)))
	})
}
