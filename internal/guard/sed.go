package guard

import "strings"

// sedRuns reports whether a script of sed has something that it edits run as a command: e,
// or s with the flag e. A text that is no script may be taken for one; the caller looks for
// what could be run.
func sedRuns(script string) bool {
	for i := 0; i < len(script); {
		switch c := script[i]; {
		case strings.IndexByte(" \t\n;{}!,$~0123456789+", c) >= 0:
			i++
		case c == '/':
			i = sedPart(script, i+1, '/')
		case c == '\\' && i+1 < len(script):
			i = sedPart(script, i+2, script[i+1])
		case c == 's' || c == 'y':
			if i+1 >= len(script) {
				return false
			}
			d := script[i+1]
			i = sedPart(script, sedPart(script, i+2, d), d)
			for ; i < len(script) && strings.IndexByte(";\n} ", script[i]) < 0; i++ {
				if c == 's' && script[i] == 'e' {
					return true
				}
				if script[i] == 'w' {
					return false
				}
			}
		case c == 'e':
			return true
		case strings.IndexByte("aicrRwW:btT#", c) >= 0:
			end := strings.IndexAny(script[i:], "\n;")
			if end < 0 {
				return false
			}
			i += end
		default:
			i++
		}
	}
	return false
}

// sedPart returns where the text behind a delimiter begins.
func sedPart(script string, i int, d byte) int {
	for ; i < len(script); i++ {
		switch script[i] {
		case '\\':
			i++
		case d:
			return i + 1
		}
	}
	return i
}
