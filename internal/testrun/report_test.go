package testrun

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/evidence"
)

func TestReportsOfRealRunners(t *testing.T) {
	cases := []struct {
		file    string
		want    [3]int
		failing []string
	}{
		{"junit/pytest-pass.xml", [3]int{4, 0, 2}, nil},
		{"junit/pytest-fail.xml", [3]int{3, 1, 2}, []string{"tests.test_refund.test_refund"}},
		{"junit/vitest-pass.xml", [3]int{4, 0, 2}, nil},
		{"junit/node-pass.xml", [3]int{2, 0, 2}, nil},
		{"tap/vitest-pass.txt", [3]int{4, 0, 2}, nil},
		{"tap/node-pass.txt", [3]int{2, 0, 2}, nil},
		{"tap/node-fail.txt", [3]int{1, 1, 2}, []string{"refund > of somebody else's order"}},
		{"tap/perl-fail.txt", [3]int{3, 1, 3}, []string{"refund > of somebody else"}},
		{"tap/perl-bail.txt", [3]int{1, 3, 0}, []string{"bail out: no database", "plan: 3 points announced, 1 seen"}},
		{"tap/perl-short.txt", [3]int{1, 2, 0}, []string{"plan: 3 points announced, 1 seen"}},
		{"tap/perl-skip-all.txt", [3]int{0, 0, 0}, nil},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(c.file)))
			if err != nil {
				t.Fatal(err)
			}
			runner, read := filepath.Dir(c.file), FromJUnit
			if runner == "tap" {
				read = FromTAP
			}
			got, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			want := evidence.Tests{
				Runner: runner, Unit: UnitTest, Known: true, Failing: c.failing,
				Passed: c.want[0], Failed: c.want[1], Skipped: c.want[2],
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJUnitForms(t *testing.T) {
	cases := map[string][3]int{
		`<testsuite tests="99" failures="0"/>`:                                                                                                  {0, 0, 0},
		`<testsuites><testsuite><testsuite><testcase name="a"/></testsuite></testsuite></testsuites>`:                                           {1, 0, 0},
		`<testsuite><testcase name="a"><error message="x"/><skipped/></testcase></testsuite>`:                                                   {0, 1, 0},
		`<testsuite><testcase name="a"><skipped/><failure/></testcase></testsuite>`:                                                             {0, 1, 0},
		`<testsuite><testcase name="a" status="notrun"/><testcase name="b" status="run"/><testcase name="c"><disabled/></testcase></testsuite>`: {1, 0, 2},
		`<testsuite><properties/><testcase name="a"><system-out>&lt;testcase name="b"/&gt;</system-out></testcase><error/></testsuite>`:         {1, 0, 0},
		`<testsuite><testcase name="a"><system-out><![CDATA[<testcase name="b"/>]]></system-out></testcase></testsuite>`:                        {1, 0, 0},
		`<?xml version="1.0" encoding="US-ASCII"?><testsuite><testcase name="a"/></testsuite>`:                                                  {1, 0, 0},
	}
	for doc, want := range cases {
		got, err := FromJUnit([]byte(doc))
		if err != nil || !got.Known || [3]int{got.Passed, got.Failed, got.Skipped} != want {
			t.Errorf("%s: %+v, %v; want %v", doc, got, err, want)
		}
	}
	for _, doc := range []string{
		"", "not xml", "<html/>", `<testcase name="a"/>`, `<testsuite><testcase name="a"/>`, "<testsuite><a></b></testsuite>",
		`<?xml version="1.0" encoding="UTF-16"?><testsuite/>`, "<testsuite>\x00</testsuite>",
	} {
		if got, err := FromJUnit([]byte(doc)); err == nil || got.Known {
			t.Errorf("%q: %+v, want an error", doc, got)
		}
	}
}

func TestTAPForms(t *testing.T) {
	cases := []struct {
		doc     string
		want    [3]int
		failing []string
	}{
		{"TAP version 13\n1..2\nok 1 - a\nok 2 # SKIP no\n", [3]int{1, 0, 1}, nil},
		{"ok 1\nnot ok\n1..3\nok - c # TODO x\n", [3]int{1, 1, 1}, nil},
		{"1..1\nok 1 - a \\# not a directive\n", [3]int{1, 0, 0}, nil},
		{"1..1\nok 1 - a\n  ---\n  text: |\n    ok 2 - b\n    1..9\n  ...\n", [3]int{1, 0, 0}, nil},
		{"1..1\nok 1 - a\nok 2 - b\n", [3]int{2, 0, 0}, []string{"plan: 1 points announced, 2 seen"}},
		{"1..1\n\x1b[32mok\x1b[0m 1 - a\r\n", [3]int{1, 0, 0}, nil},
		{"1..1\nokay 1\nok 1 - a\nnot okay\n# ok 2\n", [3]int{1, 0, 0}, nil},
		{"1..2\n    ok 1 - x\n    1..1\nnot ok 1 - hook of the suite\nok 2 - b\n", [3]int{2, 0, 0}, []string{"hook of the suite"}},
		{"1..1\nnot ok 1 - file {\n    1..1\n    not ok 1 - x\n        ---\n        message: 'bad'\n        ...\n}\n", [3]int{0, 1, 0}, []string{"file > x"}},
		{"1..1\nnot ok 1 - file {\n    1..0\n}\n", [3]int{0, 0, 0}, []string{"file"}},
		{"1..1\nok 1 - /home/dev/project/test/a.test.js\n", [3]int{0, 0, 0}, nil},
		{"1..3\nBail out!\n", [3]int{0, 4, 0}, []string{"bail out: bail out", "plan: 3 points announced, 0 seen"}},
	}
	for _, c := range cases {
		got, err := FromTAP([]byte(c.doc))
		if err != nil || !got.Known || [3]int{got.Passed, got.Failed, got.Skipped} != c.want {
			t.Errorf("%q: %+v, %v; want %v", c.doc, got, err, c.want)
		}
		if c.failing != nil || got.Failed == 0 {
			if diff := cmp.Diff(c.failing, got.Failing); diff != "" {
				t.Errorf("%q:\n%s", c.doc, diff)
			}
		}
	}
	for _, doc := range []string{"", "ok 1 - a\n", "hello\n", "1..x\nok 1\n"} {
		if got, err := FromTAP([]byte(doc)); err == nil || got.Known {
			t.Errorf("%q: %+v, want an error", doc, got)
		}
	}
}
