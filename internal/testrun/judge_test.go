package testrun

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/evidence"
)

// ran makes counts of a known run.
func ran(passed, failed, skipped int, failing ...string) evidence.Tests {
	return evidence.Tests{
		Runner: "pytest", Unit: UnitTest, Known: true, Passed: passed, Failed: failed, Skipped: skipped, Failing: failing,
	}
}

func TestJudge(t *testing.T) {
	prior := func(passed, failed, skipped int) *evidence.Tests {
		p := ran(passed, failed, skipped)
		return &p
	}
	packages := ran(9, 0, 0)
	packages.Unit = UnitPackage
	jest := ran(9, 0, 0)
	jest.Runner = "jest"
	unknownPrior := evidence.Tests{Runner: "pytest", Unit: UnitTest, Passed: 9}
	cases := []struct {
		name       string
		tests      evidence.Tests
		exit       int
		countsExit bool
		prior      *evidence.Tests
		removed    []string
		want       evidence.Result
		why        string
	}{
		{"passes", ran(3, 0, 1), 0, false, nil, nil, evidence.Pass, "3 tests passed, 1 skipped"},
		{"one", ran(1, 0, 0), 0, false, nil, nil, evidence.Pass, "1 test passed"},
		{"exit status", ran(3, 0, 0), 2, false, nil, nil, evidence.Fail, "exit status 2"},
		{"exit status, counts by exit", evidence.Tests{}, 1, true, nil, nil, evidence.Fail, "exit status 1"},
		{"failed", ran(1, 2, 0, "a", "b"), 1, false, nil, nil, evidence.Fail, "2 tests failed, exit status 1: a, b"},
		{"many failed", ran(1, 5, 0, "a", "b", "c", "d", "e"), 1, false, nil, nil, evidence.Fail, "a, b, c and 2 more"},
		{"failed although status 0", ran(3, 1, 0), 0, false, nil, nil, evidence.Fail, "1 test failed, exit status 0"},
		{"something failed although status 0", ran(3, 0, 0, "plan"), 0, true, nil, nil, evidence.Fail, "exit status 0: plan"},
		{"none", ran(0, 0, 0), 0, false, nil, nil, evidence.Fail, "no test ran"},
		{"none, counts by exit", ran(0, 0, 0), 0, true, nil, nil, evidence.Fail, "no test ran"},
		{"all skipped", ran(0, 0, 4), 0, false, nil, nil, evidence.Fail, "no test ran: 4 skipped"},
		{"unknown runner", evidence.Tests{}, 0, false, nil, nil, evidence.Unknown, "no known test runner"},
		{"unknown counts", evidence.Tests{Runner: "jest"}, 0, false, nil, nil, evidence.Unknown, "the counts of jest"},
		{"unknown, counts by exit", evidence.Tests{}, 0, true, nil, nil, evidence.Pass, "without counts"},
		{"as many", ran(3, 0, 1), 0, false, prior(2, 1, 1), nil, evidence.Pass, ""},
		{"more", ran(9, 0, 0), 0, false, prior(2, 1, 1), nil, evidence.Pass, ""},
		{"fewer", ran(2, 0, 0), 0, false, prior(2, 1, 0), nil, evidence.Fail, "2 tests ran where 3 ran before"},
		{"fewer, named", ran(2, 0, 0), 0, false, prior(2, 1, 0), []string{"x"}, evidence.Pass, ""},
		{"fewer than named", ran(1, 0, 0), 0, false, prior(2, 1, 0), []string{"x", "x", " "}, evidence.Fail, "and the plan names 1 removed"},
		{"more skipped", ran(3, 0, 2), 0, false, prior(3, 0, 1), nil, evidence.Fail, "2 tests skipped where 1 were before"},
		{"one moved to skipped, named", ran(2, 0, 1), 0, false, prior(3, 0, 0), []string{"x"}, evidence.Pass, ""},
		{"another unit", ran(2, 0, 0), 0, false, &packages, nil, evidence.Pass, ""},
		{"another runner", ran(2, 0, 0), 0, false, &jest, nil, evidence.Pass, ""},
		{"unknown before", ran(2, 0, 0), 0, false, &unknownPrior, nil, evidence.Pass, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, why := Judge(c.tests, c.exit, c.countsExit, c.prior, c.removed)
			if got != c.want || why == "" || !strings.Contains(why, c.why) {
				t.Errorf("%s, %q; want %s, %q", got, why, c.want, c.why)
			}
		})
	}
}
