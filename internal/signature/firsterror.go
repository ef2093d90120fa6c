package signature

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/asterweave/asterweave/internal/testrun"
)

// maxScan bounds how much of a line is looked at.
const maxScan = 2000

// firstError finds the first line that says what went wrong, and the file it speaks
// of ("" for none). Without such a line the last one that is not empty has to do.
func (sc scrubber) firstError(output []byte) (file, text string) {
	last, next := "", false
	for raw := range bytes.Lines(output) {
		line := strings.ToValidUTF8(string(raw[:min(len(raw), maxScan)]), "")
		line = strings.TrimSpace(testrun.StripANSI(line))
		if line == "" {
			continue
		}
		if next { // the line below an error may name its place
			if f, ok := arrow(line); ok {
				file = f
			}
			break
		}
		last = line
		if f, t, ok := sc.signs.located(line); ok {
			return sc.component(f), errorText(t)
		}
		if sc.signs.wrong.MatchString(line) && !sc.signs.fine.MatchString(line) {
			text, next = errorText(line), true
		}
	}
	if text == "" {
		return "", errorText(last)
	}
	return sc.component(file), text
}

// errorSigns tell lines that report an error from lines that only mention one.
type errorSigns struct{ wrong, fine, place *regexp.Regexp }

func errorPatterns() errorSigns {
	return errorSigns{
		wrong: regexp.MustCompile(`(?i)\b(error|err!|fatal|panic|exception|traceback|failed|failure|cannot|can't|could not|` +
			`undefined|not found|no such|denied|refused|invalid|unexpected|unable|abort(ed)?|killed|assert(ion)?|not ok)\b|` +
			`[A-Za-z](Error|Exception)\b|^E\s`),
		fine: regexp.MustCompile(`(?i)^(warning|note|info|debug|ok)\b|\b(0|no) (errors?|failed|failures?)\b|` +
			`\bFailed: 0\b|^Traceback \(most recent call last\)`),
		place: regexp.MustCompile(`^([^\s:()'"]*[A-Za-z0-9_-]\.[A-Za-z]{1,6})(?:[:(]\d+(?:[:,.]\d+)?\)?)\s*[:-]?\s+(\S.*)$`),
	}
}

// located reads "dir/file.go:12:3: text", "file.ts(3,5): error TS1: text" and the
// like, unless it is a warning or a note.
func (s errorSigns) located(line string) (file, text string, ok bool) {
	m := s.place.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	lower := strings.ToLower(m[2])
	if strings.HasPrefix(lower, "warning") || strings.HasPrefix(lower, "note") || strings.HasPrefix(lower, "info") {
		return "", "", false
	}
	return m[1], m[2], true
}

// arrow reads " --> tests/api.rs:3:22", the place that rustc gives below an error,
// and "at file:line".
func arrow(line string) (string, bool) {
	for _, mark := range []string{"--> ", "at ", "in ", "File: "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			name, _, found := strings.Cut(rest, ":")
			return strings.TrimSpace(name), found && strings.Contains(path.Base(name), ".") && !strings.ContainsAny(name, " (")
		}
	}
	return "", false
}

// errorText takes off what every error line starts with.
func errorText(line string) string {
	line = strings.TrimSpace(line)
	for _, lead := range []string{"E ", "error[", "error: ", "error ", "Error: ", "ERROR: ", "ERROR ", "fatal: ", "FATAL: ", "[ERROR] ", "- "} {
		if rest, ok := strings.CutPrefix(line, lead); ok {
			line = strings.TrimSpace(rest)
		}
	}
	return line
}
