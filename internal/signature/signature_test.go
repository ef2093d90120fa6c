package signature

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// recorded reads the output of a real run; see ../testrun/testdata/README.md.
func recorded(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testrun", "testdata", filepath.FromSlash(file)+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestComputeNamesRealFailures(t *testing.T) {
	cases := []struct {
		file, argv string
		exit       int
		want       string
	}{
		{"go/fail", "go test ./...", 1, "unit-test/TestRefund/expected-403-got-500/refund"},
		{"go/fail-v", "go test -v ./...", 1, "unit-test/TestRefund/expected-403-got-500/refund"},
		{"go/fail-json", "go test -json ./...", 1, "unit-test/TestRefund/expected-403-got-500/refund"},
		{"go/panic", "go test ./...", 1, "unit-test/TestOwn-card+TestRefund/panic-boom/refund"},
		{"go/panic-json", "go test -json ./...", 1, "unit-test/TestOwn-card+TestRefund/panic-boom/refund"},
		{"go/timeout", "go test -timeout 1s ./refund", 1, "unit-test/TestRefund+TestSleeps/expected-403-got-500"},
		{"go/compile-error", "go test ./...", 1, "unit-test/refund-build-failed/undefined-Stat"},
		{"go/compile-error-json", "go test -json ./...", 1, "unit-test/refund-build-failed/undefined-Stat"},
		{"pytest/fail", "pytest", 1, "unit-test/test_refund/assert-500-403/test_refund.py"},
		{"pytest/import-error", "pytest", 2, "unit-test/test_broken.py/ImportError-cannot-import-name-nosuch"},
		{"pytest/fixture-error", "pytest", 1, "unit-test/test_server/RuntimeError-no-server-on-port/test_server.py"},
		{"jest/fail", "npx jest", 1, "unit-test/refund-of-somebody-else-s-order-b1ed8b/toBe-Expected-403/refund.test.js"},
		{"jest/syntax-error", "npx jest", 1, "unit-test/broken.test.js-test-suite-failed-to-run/SyntaxError-broken.test.js-Unexpected"},
		{"vitest/fail", "npx vitest run", 1, "unit-test/refund-of-somebody-else-s-order-/AssertionError-expected-500-to-be-403/refund.test.js"},
		{"node/fail", "node --test", 1, "unit-test/refund-of-somebody-else-s-order-/Expected-values-to-be-strictly-equal-500/refund.test.js"},
		{"node/syntax-error", "node --test", 1, "unit-test/broken.test.js/test-failed"},
		{"cargo/fail", "cargo test", 101, "unit-test/tests-refund/assertion-left-right-failed-somebody/lib.rs"},
		{"cargo/compile-error", "cargo test", 101, "unit-test/unit/E0425-cannot-find-function-stat-in-crate/tests-api.rs"},
		{"go/none-run", "go test -run=NoSuch ./...", 0, "unit-test/unit/no-test-ran"},
		{"go/exec-true", "go test -exec true ./...", 0, "unit-test/unit/unknown-counts"},
		{"go/pass", "go test ./...", 0, "unit-test/unit/fewer-tests-or-more-skipped"},
	}
	digests := regexp.MustCompile(`(order-)[0-9a-f]{6}/`)
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			got := Compute("unit-test", "unit", strings.Fields(c.argv), c.exit, false, recorded(t, c.file))
			if d := digests.ReplaceAllString(got, "$1/"); d != digests.ReplaceAllString(c.want, "$1/") {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			check(t, got)
		})
	}
}

func TestComputeNamesOtherFailures(t *testing.T) {
	cases := []struct {
		name, gate, argv string
		exit             int
		timedOut         bool
		output, want     string
	}{
		{"timeout", "unit", "go test ./...", 143, true, "--- FAIL: TestX (0.00s)\nFAIL\tp\t1s\n", "build/unit/timeout"},
		{"timeout without a gate", "", "sleep 9", -1, true, "", "build/sleep/timeout"},
		{"not found", "lint", "golint ./...", 127, false, "", "build/lint/could-not-start/golint"},
		{"no status", "lint", "/opt/x/golint", -1, false, "", "build/lint/could-not-start/golint"},
		{"signal", "compile", "make", 137, false, "", "build/compile/signal-9"},
		{"killed", "compile", "make", -1, false, "working\n", "build/compile/working"},
		{"silent", "compile", "make", 2, false, "", "build/compile/exit-2"},
		{"go build", "compile", "go build ./...", 1, false, "# example.com/shop/refund\nrefund/refund.go:14:7: undefined: Stat\n", "build/compile/undefined-Stat/refund-refund.go"},
		{"tsc", "compile", "tsc", 2, false, "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\n", "build/compile/TS2304-Cannot-find-name-x/src-a.ts"},
		{"gcc", "compile", "make", 2, false, "a.c:1:1: warning: unused\na.c:3:5: error: 'y' undeclared\nmake: *** [Makefile:3: a.o] Error 1\n", "build/compile/y-undeclared/a.c"},
		{"eslint", "compile", "eslint .", 1, false, "\n/home/dev/project/src/a.js\n  1:5  error  'x' is not defined  no-undef\n", "build/compile/error-x-is-not-defined-no-undef"},
		{"maven", "compile", "mvn verify", 1, false, "[INFO] Scanning\n[ERROR] /home/dev/project/src/Foo.java:[12,5] cannot find symbol\n", "build/compile/Foo.java-cannot-find-symbol"},
		{"shell", "compile", "bash -o pipefail -c false|cat", 1, false, "", "build/compile/exit-1"},
		{"colours", "compile", "make", 1, false, "\x1b[31merror\x1b[0m: \x1b[1mboom\x1b[0m\n", "build/compile/boom"},
		{"summary of zero errors", "compile", "make", 1, false, "0 errors\nnote: error ahead\nfatal: no space left\n", "build/compile/no-space-left"},
		{"python", "compile", "python3 x.py", 1, false, "Traceback (most recent call last):\n  File \"/tmp/x.py\", line 3, in <module>\nKeyError: 'a'\n", "build/compile/KeyError-a"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			argv := strings.Fields(c.argv)
			if c.name == "shell" {
				argv = []string{"bash", "-o", "pipefail", "-c", "false | cat"}
			}
			got := Compute("build", c.gate, argv, c.exit, c.timedOut, []byte(c.output))
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			check(t, got)
		})
	}
}

// check holds for every signature.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, got string,
) {
	t.Helper()
	if len(got) > MaxLen || !regexp.MustCompile(`^[A-Za-z0-9._+-]+(/[A-Za-z0-9._+-]+){2,3}$`).MatchString(got) {
		t.Errorf("not a signature: %q (%d bytes)", got, len(got))
	}
}
