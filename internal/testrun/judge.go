package testrun

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// Judge says what the run of a test gate is worth. t are its counts and exit its
// status. countsExit says that the approved gate takes the status alone where the
// counts are unknown. prior is an earlier run of the same argv, nil when there is
// none; removed names the tests that the plan takes away.
//
// A run passes when it ended with status 0, executed at least one test, and did
// not execute fewer tests or skip more than before, beyond the removed ones. Counts
// of another runner or unit are no measure. The text says why in one line.
func Judge(t evidence.Tests, exit int, countsExit bool, prior *evidence.Tests, removed []string) (evidence.Result, string) {
	switch {
	case exit != 0:
		return evidence.Fail, failedWhy(t, exit)
	case !t.Known && countsExit:
		return evidence.Pass, "exit status 0; the gate takes it without counts"
	case !t.Known && t.Runner == "":
		return evidence.Unknown, `no known test runner in the command, so nobody can tell whether a test ran; a plan can give the gate a report, or "counts":"exit"`
	case !t.Known:
		return evidence.Unknown, "the counts of " + t.Runner + " could not be read"
	case t.Failed > 0 || len(t.Failing) > 0:
		return evidence.Fail, failedWhy(t, exit)
	case t.Executed() == 0:
		return evidence.Fail, noTest(t)
	}
	if why := fewer(t, prior, removed); why != "" {
		return evidence.Fail, why
	}
	return evidence.Pass, describe(t)
}

func noTest(t evidence.Tests) string {
	if t.Skipped > 0 {
		return fmt.Sprintf("no test ran: %d skipped", t.Skipped)
	}
	return "no test ran"
}

// fewer compares with the earlier run; empty when nothing is missing.
func fewer(t evidence.Tests, prior *evidence.Tests, removed []string) string {
	if prior == nil || !prior.Known || prior.Runner != t.Runner || prior.Unit != t.Unit {
		return ""
	}
	named := map[string]bool{}
	for _, r := range removed {
		if r = strings.TrimSpace(r); r != "" {
			named[r] = true
		}
	}
	missing := prior.Executed() - t.Executed()
	skipped := t.Skipped - prior.Skipped
	allowance := ""
	if len(named) > 0 {
		allowance = fmt.Sprintf(", and the plan names %d removed", len(named))
	}
	if missing > len(named) {
		return fmt.Sprintf("%s ran where %d ran before%s", plural(t.Executed(), t.Unit), prior.Executed(), allowance)
	}
	if skipped > len(named) {
		return fmt.Sprintf("%s skipped where %d were before%s", plural(t.Skipped, t.Unit), prior.Skipped, allowance)
	}
	return ""
}

func failedWhy(t evidence.Tests, exit int) string {
	why := fmt.Sprintf("exit status %d", exit)
	if t.Known && t.Failed > 0 {
		why = fmt.Sprintf("%s failed, exit status %d", plural(t.Failed, t.Unit), exit)
	}
	if len(t.Failing) > 0 {
		why += ": " + clip(strings.Join(t.Failing[:min(3, len(t.Failing))], ", "))
		if more := len(t.Failing) - 3; more > 0 {
			why += fmt.Sprintf(" and %d more", more)
		}
	}
	return why
}

func describe(t evidence.Tests) string {
	s := plural(t.Passed, t.Unit) + " passed"
	if t.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", t.Skipped)
	}
	return s
}

func plural(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
