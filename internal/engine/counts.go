package engine

import (
	"fmt"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/testrun"
)

// checkCounts refuses a plan with a test gate whose runs could open nothing, since
// nobody could tell from them whether a test ran. Found here it costs a word in the
// plan; found at the first run, after the approval, it costs another plan.
func checkCounts(gates []document.Gate) error {
	var bad []string
	for i, g := range gates {
		if !evidence.Kind(g.Kind).IsTest() || g.Counts == document.CountsExit || g.Report != nil {
			continue
		}
		if _, known := testrun.Recognise(g.Command()); !known {
			bad = append(bad, fmt.Sprintf("gates[%d] (%s): no test runner whose counts are known in %q", i, g.ID, strings.Join(g.Command(), " ")))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return problem.New(problem.Invalid, "plan.json is refused: "+strings.Join(bad, "; "),
		`known are `+strings.Join(testrun.Names(), ", ")+` by their own commands; for others name the file that results are written to (`+
			`"report":{"format":"junit","path":"…"}, or tap), or let the person approve that the exit status alone counts ("counts":"exit")`)
}
