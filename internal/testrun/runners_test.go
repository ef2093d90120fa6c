package testrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
)

// recorded is one real run: its command, exit status and output file, and what it
// really was.
type recorded struct {
	file    string
	argv    string
	exit    int
	want    [3]int // passed, failed, skipped
	unknown bool
	failing []string
}

// Every file of testdata is listed here, or the test fails. testdata/README.md
// says how the files were made.
func recordings() []recorded {
	const (
		refund = "refund > of somebody else's order"
		py     = "/usr/bin/python3 -B -m pytest -p no:cacheprovider"
	)
	two := []string{
		"example.com/shop/a.TestParallel/one", "example.com/shop/a.TestParallel/two", "example.com/shop/a.TestSame",
		"example.com/shop/b.TestParallel/one", "example.com/shop/b.TestParallel/two", "example.com/shop/b.TestSame",
	}
	cart := []string{
		"tests/test_cart.py::TestCart::test_empty", "tests/test_cart.py::TestCart::test_total[a - b]",
		"tests/test_cart.py::TestCart::test_total[c]", "tests/test_cart.py::test_db",
	}
	return []recorded{
		{file: "go/pass", argv: "go test ./...", want: [3]int{2, 0, 0}},
		{file: "go/cached", argv: "go test ./...", want: [3]int{2, 0, 0}},
		{file: "go/pass-cover", argv: "go test -cover ./...", want: [3]int{2, 0, 0}},
		{file: "go/pass-v", argv: "go test -v -count=1 ./...", want: [3]int{6, 0, 1}},
		{file: "go/pass-json", argv: "go test -json -count=1 ./...", want: [3]int{6, 0, 1}},
		{file: "go/local", argv: "go test -count=1", want: [3]int{1, 0, 0}},
		{file: "go/fail", argv: "go test ./...", exit: 1, want: [3]int{1, 1, 0}, failing: []string{"TestRefund"}},
		{file: "go/fail-v", argv: "go test -v -count=1 ./...", exit: 1, want: [3]int{5, 1, 1}, failing: []string{"TestRefund"}},
		{file: "go/fail-json", argv: "go test -json -count=1 ./...", exit: 1, want: [3]int{5, 1, 1}, failing: []string{"TestRefund"}},
		{file: "go/panic", argv: "go test ./...", exit: 1, want: [3]int{1, 1, 0}, failing: []string{"TestOwn/card", "TestRefund"}},
		{file: "go/panic-json", argv: "go test -json ./...", exit: 1, want: [3]int{2, 3, 1}, failing: []string{"TestOwn/card", "TestRefund"}},
		{
			file: "go/fail-two", argv: "go test ./...", exit: 1, want: [3]int{0, 3, 0},
			failing: append(slices.Clone(two), "example.com/shop/c [build failed]"),
		},
		{
			file: "go/fail-two-v", argv: "go test -v ./...", exit: 1, want: [3]int{0, 8, 0},
			failing: append(slices.Clone(two), "example.com/shop/c [build failed]"),
		},
		{
			file: "go/fail-two-json", argv: "go test -json ./...", exit: 1, want: [3]int{0, 8, 0},
			failing: append(slices.Clone(two), "example.com/shop/c [build failed]"),
		},
		{file: "go/testmain-exit3", argv: "go test ./b", exit: 1, want: [3]int{0, 1, 0}, failing: []string{"example.com/shop/b"}},
		{file: "go/testmain-exit3-json", argv: "go test -json ./b", exit: 1, failing: []string{"example.com/shop/b"}},
		{file: "go/timeout", argv: "go test -timeout 1s ./refund", exit: 1, want: [3]int{0, 1, 0}, failing: []string{"TestRefund", "TestSleeps"}},
		{file: "go/compile-error", argv: "go test ./...", exit: 1, want: [3]int{1, 1, 0}, failing: []string{"example.com/shop/refund [build failed]"}},
		{file: "go/compile-error-v", argv: "go test -v ./...", exit: 1, want: [3]int{2, 0, 1}, failing: []string{"example.com/shop/refund [build failed]"}},
		{file: "go/compile-error-json", argv: "go test -json ./...", exit: 1, want: [3]int{2, 0, 1}, failing: []string{"example.com/shop/refund [build failed]"}},
		{file: "go/nofiles", argv: "go test ./empty"},
		{file: "go/none-run", argv: "go test -run=NoSuch ./..."},
		{file: "go/none-run-v", argv: "go test -v -run=NoSuch ./..."},
		{file: "go/none-run-json", argv: "go test -json -run=NoSuch ./..."},
		{file: "go/skip-all", argv: "go test -skip=. ./..."},
		{file: "go/count0", argv: "go test -count=0 ./..."},
		{file: "go/list", argv: "go test -list . ./..."},
		{file: "go/compile-only", argv: "go test -c -o /tmp/x/ ./..."},
		{file: "go/exec-true", argv: "go test -exec true ./...", unknown: true},
		{file: "go/args-list", argv: "go test ./price -args -test.list=.", unknown: true},
		{file: "go/args-help", argv: "go test ./price -args -h", unknown: true},
		{file: "go/bench-none", argv: "go test -run=NoSuch -bench=. ./...", unknown: true},
		{file: "go/forged", argv: "go test -count=1 ./...", want: [3]int{2, 0, 0}},
		{file: "go/forged-local", argv: "go test -count=1", want: [3]int{1, 0, 0}},
		{file: "go/forged-v", argv: "go test -v -count=1 ./...", want: [3]int{7, 0, 1}},
		{file: "go/forged-json", argv: "go test -json -count=1 ./...", want: [3]int{7, 0, 1}},
		{file: "go/testmain-exit0", argv: "go test ./refund", want: [3]int{1, 0, 0}}, // the limit of the unit "package"
		{file: "go/testmain-exit0-v", argv: "go test -v ./refund"},
		{file: "go/testmain-exit0-json", argv: "go test -json ./refund"},

		{file: "pytest/pass", argv: py, want: [3]int{4, 0, 2}},
		{file: "pytest/pass-q", argv: py + " -q", want: [3]int{4, 0, 2}},
		{file: "pytest/pass-qq", argv: py + " -qq", unknown: true},
		{file: "pytest/pass-v", argv: py + " -v", want: [3]int{4, 0, 2}},
		{file: "pytest/pass-color", argv: py + " --color=yes", want: [3]int{4, 0, 2}},
		{file: "pytest/fail", argv: py, exit: 1, want: [3]int{3, 1, 2}, failing: []string{"tests/test_refund.py::test_refund"}},
		{file: "pytest/fail-q", argv: py + " -q", exit: 1, want: [3]int{3, 1, 2}, failing: []string{"tests/test_refund.py::test_refund"}},
		{file: "pytest/fail-v", argv: py + " -v", exit: 1, want: [3]int{3, 1, 2}, failing: []string{"tests/test_refund.py::test_refund"}},
		{file: "pytest/fail-many", argv: py, exit: 1, want: [3]int{1, 4, 0}, failing: cart},
		{file: "pytest/fail-many-no-trace", argv: py + " --tb=no -q", exit: 1, want: [3]int{1, 4, 0}, failing: cart},
		{
			file: "pytest/fail-many-quiet-summary", argv: py + " -rN", exit: 1, want: [3]int{1, 4, 0},
			failing: []string{"ERROR at teardown of test_db", "TestCart.test_empty", "TestCart.test_total[a - b]", "TestCart.test_total[c]"},
		},
		{file: "pytest/import-error", argv: py, exit: 2, want: [3]int{0, 1, 0}, failing: []string{"tests/test_broken.py"}},
		{file: "pytest/fixture-error", argv: py, exit: 1, want: [3]int{4, 1, 2}, failing: []string{"tests/test_server.py::test_server"}},
		{file: "pytest/skip-all", argv: py + " -k slow", want: [3]int{0, 0, 1}},
		{file: "pytest/none-selected", argv: py + " -k nosuch", exit: 5},
		{file: "pytest/zero", argv: py, exit: 5},
		{file: "pytest/collect-only", argv: py + " --collect-only"},
		{file: "pytest/collect-only-q", argv: py + " --collect-only -q"},
		{file: "pytest/setup-plan", argv: py + " --setup-plan"},
		{file: "pytest/setup-only", argv: py + " --setup-only"},
		{file: "pytest/forged", argv: py, want: [3]int{5, 0, 2}},
		{file: "pytest/forged-s", argv: py + " -s", want: [3]int{5, 0, 2}},

		{file: "jest/pass", argv: "npx jest", want: [3]int{4, 0, 2}},
		{file: "jest/pass-verbose", argv: "npx jest --verbose", want: [3]int{4, 0, 2}},
		{file: "jest/pass-color", argv: "npx jest --colors", want: [3]int{4, 0, 2}},
		{file: "jest/pass-silent", argv: "npx jest --silent", want: [3]int{4, 0, 2}},
		{file: "jest/pass-json", argv: "npx jest --json", want: [3]int{4, 0, 2}},
		{file: "jest/coverage", argv: "npx jest --coverage --coverageDirectory=/tmp/cov", want: [3]int{4, 0, 2}},
		{file: "jest/fail", argv: "npx jest", exit: 1, want: [3]int{3, 1, 2}, failing: []string{"refund › of somebody else's order"}},
		{file: "jest/fail-verbose", argv: "npx jest --verbose", exit: 1, want: [3]int{3, 1, 2}, failing: []string{"refund › of somebody else's order"}},
		{file: "jest/fail-many", argv: "npx jest --ci", exit: 1, want: [3]int{1, 3, 0}, failing: []string{"cart › one", "cart › two", "snapshot"}},
		{file: "jest/syntax-error", argv: "npx jest", exit: 1, want: [3]int{4, 0, 2}, failing: []string{"src/broken.test.js: test suite failed to run"}},
		{file: "jest/none-selected", argv: "npx jest -t nosuch", want: [3]int{0, 0, 6}},
		{file: "jest/no-files", argv: "npx jest nosuch", exit: 1, unknown: true},
		{file: "jest/pass-with-no-tests", argv: "npx jest nosuch --passWithNoTests"},
		{file: "jest/list", argv: "npx jest --listTests"},
		{file: "jest/forged", argv: "npx jest", want: [3]int{5, 0, 2}},

		{file: "vitest/pass", argv: "npx vitest run", want: [3]int{4, 0, 2}},
		{file: "vitest/pass-bare", argv: "npx vitest", want: [3]int{4, 0, 2}},
		{file: "vitest/pass-verbose", argv: "npx vitest run --reporter=verbose", want: [3]int{4, 0, 2}},
		{file: "vitest/pass-color", argv: "env FORCE_COLOR=1 npx vitest run", want: [3]int{4, 0, 2}},
		{file: "vitest/pass-json", argv: "npx vitest run --reporter=json", unknown: true},
		{file: "vitest/fail", argv: "npx vitest run", exit: 1, want: [3]int{3, 1, 2}, failing: []string{refund}},
		{file: "vitest/fail-projects", argv: "npx vitest run", exit: 1, want: [3]int{1, 3, 0}, failing: []string{"cart > one", "cart > two", "snapshot"}},
		{file: "vitest/syntax-error", argv: "npx vitest run", exit: 1, want: [3]int{4, 0, 2}, failing: []string{"src/broken.test.js: test suite failed to run"}},
		{file: "vitest/none-selected", argv: "npx vitest run -t nosuch", want: [3]int{0, 0, 6}},
		{file: "vitest/no-files", argv: "npx vitest run nosuch", exit: 1, unknown: true},
		{file: "vitest/pass-with-no-tests", argv: "npx vitest run nosuch --passWithNoTests"},
		{file: "vitest/list", argv: "npx vitest list"},
		{file: "vitest/forged", argv: "npx vitest run", want: [3]int{5, 0, 2}},

		{file: "node/pass", argv: "node --test", want: [3]int{3, 0, 2}},
		{file: "node/pass-spec", argv: "node --test --test-reporter=spec", want: [3]int{3, 0, 2}},
		{file: "node/pass-spec-color", argv: "env FORCE_COLOR=1 node --test --test-reporter=spec", want: [3]int{3, 0, 2}},
		{file: "node/pass-dot", argv: "node --test --test-reporter=dot", unknown: true},
		{file: "node/fail", argv: "node --test", exit: 1, want: [3]int{2, 1, 2}, failing: []string{refund}},
		{file: "node/fail-spec", argv: "node --test --test-reporter=spec", exit: 1, want: [3]int{2, 1, 2}, failing: []string{"of somebody else's order"}},
		{file: "node/syntax-error", argv: "node --test", exit: 1, want: [3]int{3, 1, 2}, failing: []string{"/home/dev/project/test/broken.test.js"}},
		{file: "node/syntax-error-spec", argv: "node --test --test-reporter=spec", exit: 1, want: [3]int{3, 1, 2}, failing: []string{"/home/dev/project/test/broken.test.js"}},
		{file: "node/none-selected", argv: "node --test --test-name-pattern=nosuch", want: [3]int{0, 0, 4}},
		{file: "node/none-selected-spec", argv: "node --test --test-name-pattern=nosuch --test-reporter=spec", want: [3]int{0, 0, 4}},
		{file: "node/test-only", argv: "node --test --test-only", want: [3]int{0, 0, 1}},
		{file: "node/no-files", argv: "node --test"},
		{file: "node/printed", argv: "node --test"},
		{file: "node/printed-spec", argv: "node --test --test-reporter=spec"},
		{file: "node/forged", argv: "node --test", want: [3]int{4, 0, 2}},
		{file: "node/forged-spec", argv: "node --test --test-reporter=spec", want: [3]int{4, 0, 2}},

		{file: "cargo/pass", argv: "cargo test", want: [3]int{3, 0, 1}},
		{file: "cargo/pass-q", argv: "cargo test -q", want: [3]int{3, 0, 1}},
		{file: "cargo/pass-nocapture", argv: "cargo test -- --nocapture", want: [3]int{3, 0, 1}},
		{file: "cargo/fail", argv: "cargo test", exit: 101, want: [3]int{0, 1, 1}, failing: []string{"tests::refund"}},
		{file: "cargo/fail-nofast", argv: "cargo test --no-fail-fast", exit: 101, want: [3]int{2, 1, 1}, failing: []string{"tests::refund"}},
		{file: "cargo/fail-q", argv: "cargo test -q", exit: 101, want: [3]int{0, 1, 1}, failing: []string{"tests::refund"}},
		{file: "cargo/compile-error", argv: "cargo test", exit: 101, unknown: true},
		{file: "cargo/none-filtered", argv: "cargo test nosuch"},
		{file: "cargo/zero", argv: "cargo test"},
		{file: "cargo/no-run", argv: "cargo test --no-run"},
		{file: "cargo/list", argv: "cargo test -- --list"},
		{file: "cargo/no-harness", argv: "cargo test", want: [3]int{2, 0, 1}},
		{file: "cargo/forged", argv: "cargo test", want: [3]int{3, 0, 1}},
		{file: "cargo/forged-nocapture", argv: "cargo test -- --nocapture", want: [3]int{3, 0, 1}},
	}
}

func recordedOutput(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCountReadsRealRuns(t *testing.T) {
	for _, c := range recordings() {
		t.Run(c.file, func(t *testing.T) {
			got := Count(strings.Fields(c.argv), c.exit, recordedOutput(t, c.file))
			if got.Runner == "" {
				t.Fatalf("%s: runner not recognised", c.argv)
			}
			want := evidence.Tests{Runner: got.Runner, Unit: got.Unit, Known: !c.unknown, Failing: c.failing}
			want.Passed, want.Failed, want.Skipped = c.want[0], c.want[1], c.want[2]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.argv, diff)
			}
		})
	}
}

func TestEveryRecordingIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range recordings() {
		listed[c.file] = true
	}
	for _, r := range []string{"go", "pytest", "jest", "vitest", "node", "cargo"} {
		files, err := filepath.Glob(filepath.Join("testdata", r, "*.txt"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no recordings of %s: %v", r, err)
		}
		for _, f := range files {
			if name := r + "/" + strings.TrimSuffix(filepath.Base(f), ".txt"); !listed[name] {
				t.Errorf("%s is not listed", name)
			}
		}
	}
}

// TestCounterReadsInPieces feeds every recording in small pieces, as a pipe does.
func TestCounterReadsInPieces(t *testing.T) {
	for _, c := range recordings() {
		argv, data := strings.Fields(c.argv), recordedOutput(t, c.file)
		for _, size := range []int{1, 7, 4096} {
			n := NewCounter(argv)
			for rest := data; len(rest) > 0; {
				k := min(size, len(rest))
				if _, err := n.Write(rest[:k]); err != nil {
					t.Fatal(err)
				}
				rest = rest[k:]
			}
			if diff := cmp.Diff(Count(argv, c.exit, data), n.Tests(c.exit)); diff != "" {
				t.Errorf("%s in pieces of %d:\n%s", c.file, size, diff)
			}
		}
	}
}

// TestOnlyHonestRunsPass judges every recording: what ended with status 0 and ran
// nothing, or nobody can tell, is no pass.
func TestOnlyHonestRunsPass(t *testing.T) {
	for _, c := range recordings() {
		got := Count(strings.Fields(c.argv), c.exit, recordedOutput(t, c.file))
		result, why := Judge(got, c.exit, false, nil, nil)
		want := evidence.Pass
		switch {
		case c.exit != 0 || (!c.unknown && c.want[0] == 0):
			want = evidence.Fail
		case c.unknown:
			want = evidence.Unknown
		}
		if result != want || why == "" {
			t.Errorf("%s: %s (%s), want %s", c.file, result, why, want)
		}
	}
}
