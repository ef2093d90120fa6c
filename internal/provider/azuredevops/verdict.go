package azuredevops

import (
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// verdict is what one thing that was read says: pass, fail or unknown.
type verdict struct {
	Name    string          `json:"name"`
	Result  evidence.Result `json:"result"`
	Because string          `json:"because,omitempty"`
	Pending bool            `json:"pending,omitempty"` // unknown, and will be known without anybody acting here
	Note    string          `json:"note,omitempty"`    // of a pass: what is worth knowing all the same
}

func pass(name string) verdict { return verdict{Name: name, Result: evidence.Pass} }
func fail(name, because string) verdict {
	return verdict{Name: name, Result: evidence.Fail, Because: because}
}

func unknown(name, because string) verdict {
	return verdict{Name: name, Result: evidence.Unknown, Because: because}
}

func pending(name, because string) verdict {
	return verdict{Name: name, Result: evidence.Unknown, Because: because, Pending: true}
}

// worst combines verdicts: one failure is a failure, and without one a single unknown
// makes the whole unknown. The whole is pending only when all that is missing is.
func worst(all []verdict) verdict {
	sum := verdict{Result: evidence.Pass, Pending: true}
	var because, notes []string
	for _, v := range all {
		if v.Note != "" {
			notes = append(notes, v.Name+": "+v.Note)
		}
		switch {
		case v.Result == evidence.Fail && sum.Result != evidence.Fail:
			sum.Result, sum.Name, because = evidence.Fail, v.Name, nil
		case v.Result == evidence.Unknown && sum.Result == evidence.Pass:
			sum.Result, sum.Name = evidence.Unknown, v.Name
		}
		if v.Result == sum.Result && v.Because != "" {
			because = append(because, v.Name+": "+v.Because)
		}
		if v.Result == evidence.Unknown && !v.Pending {
			sum.Pending = false
		}
	}
	sum.Pending = sum.Pending && sum.Result == evidence.Unknown
	sum.Because, sum.Note = join(because), join(notes)
	return sum
}

// join keeps a reason readable when hundreds of checks have one.
func join(texts []string) string {
	const most = 5
	if n := len(texts); n > most {
		texts = append(texts[:most:most], "and "+plural(n-most, "more", "more"))
	}
	return strings.Join(texts, "; ")
}
