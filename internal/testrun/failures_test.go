package testrun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFailuresSayWhatIsWrong(t *testing.T) {
	refund := Failure{"TestRefund", "example.com/shop/refund", "expected 403, got 500"}
	var two []Failure
	for _, test := range []string{"TestParallel/one", "TestParallel/two", "TestSame"} {
		for _, pkg := range []string{"a", "b"} {
			message := "Not equal: 1 and 2"
			if _, sub, ok := strings.Cut(test, "/"); ok {
				message = "want " + sub
			}
			two = append(two, Failure{test, "example.com/shop/" + pkg, message})
		}
	}
	two = append(two, Failure{
		"example.com/shop/c [build failed]", "example.com/shop/c", `fmt.Printf format %d has arg "x" of wrong type string`,
	})
	build := Failure{"example.com/shop/refund [build failed]", "example.com/shop/refund", "undefined: Stat"}
	cart := func(test, message string) Failure {
		return Failure{"tests/test_cart.py::" + test, "tests/test_cart.py", message}
	}
	cases := map[string][]Failure{
		"go/fail":                {refund},
		"go/fail-v":              {refund},
		"go/fail-json":           {refund},
		"go/fail-two":            two,
		"go/fail-two-v":          two,
		"go/fail-two-json":       two,
		"go/panic":               {{"TestOwn/card", "example.com/shop/refund", "panic: boom"}, refund},
		"go/panic-json":          {{"TestOwn/card", "example.com/shop/refund", "panic: boom"}, refund},
		"go/timeout":             {refund, {"TestSleeps", "example.com/shop/refund", "timeout"}},
		"go/compile-error":       {build},
		"go/compile-error-v":     {build},
		"go/compile-error-json":  {build},
		"go/testmain-exit3":      {{"example.com/shop/b", "example.com/shop/b", ""}},
		"go/testmain-exit3-json": {{"example.com/shop/b", "example.com/shop/b", ""}},
		"pytest/fail":            {{"tests/test_refund.py::test_refund", "tests/test_refund.py", "assert 500 == 403"}},
		"pytest/fail-many": {
			cart("TestCart::test_empty", "AssertionError: cart should hold one"),
			cart("TestCart::test_total[a - b]", "KeyError: 'a - b'"), cart("TestCart::test_total[c]", "KeyError: 'c'"),
			cart("test_db", "OSError: cannot close"),
		},
		"pytest/fail-many-no-trace": {
			cart("TestCart::test_empty", "AssertionError: cart should..."),
			cart("TestCart::test_total[a - b]", "KeyError: 'a - b'"), cart("TestCart::test_total[c]", "KeyError: 'c'"),
			cart("test_db", "OSError: cannot close"),
		},
		"pytest/import-error": {{
			"tests/test_broken.py", "tests/test_broken.py",
			"ImportError: cannot import name 'nosuch' from 'shop' (/home/dev/project/shop.py)",
		}},
		"jest/fail": {{"refund › of somebody else's order", "src/refund.test.js", "toBe Expected: 403"}},
		"jest/fail-many": {
			{"cart › one", "src/a.test.js", "TypeError: no cart"},
			{"cart › two", "src/a.test.js", "TypeError: no cart"},
			{"snapshot", "src/a.test.js", "expect(received).toMatchInlineSnapshot(snapshot)"},
		},
		"jest/syntax-error": {{
			"src/broken.test.js: test suite failed to run", "src/broken.test.js",
			"SyntaxError: /home/dev/project/src/broken.test.js: Unexpected token (1:10)",
		}},
		"vitest/fail": {{"refund > of somebody else's order", "src/refund.test.js", "AssertionError: expected 500 to be 403"}},
		"vitest/fail-projects": {
			{"cart > one", "src/a.test.js", "TypeError: no cart"},
			{"cart > two", "src/a.test.js", "TypeError: no cart"},
			{"snapshot", "src/a.test.js", "Error: Snapshot `snapshot 1` mismatched"},
		},
		"node/fail": {{
			"refund > of somebody else's order", "/home/dev/project/test/refund.test.js",
			"Expected values to be strictly equal: 500 !== 403",
		}},
		"node/fail-spec": {{
			"of somebody else's order", "test/refund.test.js",
			"AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 500 !== 403",
		}},
		"cargo/fail":  {{"tests::refund", "src/lib.rs", "assertion `left == right` failed: somebody else's order"}},
		"go/pass":     nil,
		"cargo/pass":  nil,
		"go/forged-v": nil,
	}
	for _, r := range recordings() {
		want, ok := cases[r.file]
		if !ok {
			continue
		}
		delete(cases, r.file)
		if diff := cmp.Diff(want, Failures(strings.Fields(r.argv), recordedOutput(t, r.file))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.file, diff)
		}
	}
	for file := range cases {
		t.Errorf("%s is no recording", file)
	}
	if got := Failures([]string{"make"}, []byte("--- FAIL: TestX (0.00s)\n")); got != nil {
		t.Errorf("of an unknown runner: %v", got)
	}
}

func TestFailingNamesAreCapped(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "--- FAIL: Test%d (0.00s)\n", i)
	}
	b.WriteString("FAIL\texample.com/shop\t0.1s\n")
	got := Count([]string{"go", "test"}, 1, []byte(b.String()))
	if len(got.Failing) != maxFailing || got.Failed != 1 {
		t.Errorf("%d names, %d failed", len(got.Failing), got.Failed)
	}
}

func TestCounterHoldsNoMoreThanALine(t *testing.T) {
	c := NewCounter([]string{"go", "test", "-v"})
	long := strings.Repeat("x", 1<<20)
	for range 20 {
		if n, err := c.Write([]byte(long)); n != len(long) || err != nil {
			t.Fatal(n, err)
		}
	}
	if cap(c.rest) > 4*maxLine {
		t.Errorf("%d bytes held", cap(c.rest))
	}
	if _, err := c.Write([]byte("\n=== RUN   TestX\n--- PASS: TestX (0.00s)\nok  \tp\t0.1s")); err != nil {
		t.Fatal(err)
	}
	if got := c.Tests(0); got.Passed != 1 || !got.Known {
		t.Errorf("%+v", got)
	}
}

func TestStripANSI(t *testing.T) {
	cases := map[string]string{
		"plain":                           "plain",
		"\x1b[1;31mred\x1b[0m":            "red",
		"\x1b]0;title\x07text":            "text",
		"\x1b]8;;http://x\x1b\\link":      "link",
		"a\x1b(Bb":                        "ab",
		"cut \x1b[31":                     "cut ",
		"cut \x1b]0;title":                "cut ",
		"end\x1b":                         "end",
		"\x1b[2K\x1b[1Gprogress\x1b[?25h": "progress",
	}
	for in, want := range cases {
		if got := StripANSI(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
