package guard

import (
	"path"
	"strconv"
	"strings"
)

func removing(args []arg) bool {
	for i, a := range args {
		if strings.HasPrefix(a.text, "-exec") && i+1 < len(args) && removes(args[i+1].text) {
			return true
		}
	}
	return false
}

// found refuses a search that deletes where its patterns reach files of Git or of the
// delivery. Patterns that are joined by -o are taken as if all had to match.
func (w *walker) found(args, starts []arg, e *env) {
	if len(starts) == 0 {
		starts = []arg{{text: "."}}
	}
	for _, file := range []string{w.s.GitDir + "/config", w.s.GitDir + "/HEAD", w.s.GitDir + "/hooks/pre-push", w.s.StateDir + "/ledger.jsonl", w.s.StateDir + "/state.json"} {
		for _, s := range starts {
			p, full := e.at(s.text, w.s.Home)
			if full && !s.dim() && within(p, file) && matched(args, strings.TrimPrefix(file, p+"/"), strings.TrimSuffix(s.text, "/")) {
				w.add(deny(RuleState, "it looks for files of Git or of the delivery to change them", "leave them to the programs that own them"))
			}
		}
	}
}

// matched reports whether a file passes the tests of find for names and depths, and whether
// there is one such test.
func matched(args []arg, below, start string) bool {
	tests := 0
	for i := 0; i+1 < len(args); i++ {
		not := i > 0 && (args[i-1].text == "!" || args[i-1].text == "-not") || len(args) > i+3 && prunes(args[i+1:]) && strings.HasPrefix(args[i+3].text, "-o")
		pattern := args[i+1].text
		var name string
		switch args[i].text {
		case "-maxdepth":
			if n, err := strconv.Atoi(pattern); err == nil && n <= strings.Count(below, "/") {
				return false
			}
			continue
		case "-name", "-iname":
			name = path.Base(below)
		case "-path", "-wholename", "-ipath":
			name = start + "/" + below
		default:
			continue
		}
		// The star of find matches slashes and dots, too.
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
		around := strings.HasPrefix(name+"/", strings.TrimSuffix(pattern, "/")+"/")
		if err != nil || (ok || not && around) == not {
			return false
		}
		tests++
	}
	return tests > 0
}
