package signature

import (
	"path"
	"regexp"
	"strings"
)

// scrubber holds the compiled patterns of one computation.
type scrubber struct {
	identity, passing []rule
	absolute          *regexp.Regexp
	signs             errorSigns
}

func newScrubber() scrubber {
	return scrubber{
		identity: identity(), passing: passing(), signs: errorPatterns(),
		absolute: regexp.MustCompile(`(^|[\s'"` + "`" + `(=:\[])/[^\s'"` + "`" + `,;:)\]]+`),
	}
}

// rule replaces one kind of text that changes from run to run.
type rule struct {
	pattern *regexp.Regexp
	with    string
}

// identity are the rules that hold even inside the name of a test: nobody tells two
// tests apart by them.
func identity() []rule {
	return []rule{
		{regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), " "},
		{regexp.MustCompile(`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z| ?[+-]\d\d:?\d\d)?`), " "},
		{regexp.MustCompile(`\b\d\d:\d\d:\d\d([.,]\d+)?\b`), " "},
		{regexp.MustCompile(`(/private)?(/tmp|/var/tmp|/var/folders|/dev/shm)/[^\s'"` + "`" + `,;:)\]}>]*`), " "},
		{regexp.MustCompile(`(?i)[a-z]:\\+users\\+[^\\\s]+\\+appdata\\+local\\+temp\\+[^\s'",;)]*`), " "},
		{regexp.MustCompile(`0x[0-9a-fA-F]{6,}`), " "},
	}
}

// passing are the rules for error texts.
func passing() []rule {
	return []rule{
		{regexp.MustCompile(`0[xX][0-9a-fA-F]+\??`), " "},
		{regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`), " "},
		// Before ports: what stands after a file name is a line.
		{regexp.MustCompile(`(\.[A-Za-z]{1,6}):\d+(:\d+)?`), "$1"},
		{regexp.MustCompile(`:?[(\[]\d+[:,]\d+[)\]]`), " "},
		{regexp.MustCompile(`^\d+[:,]\d+:?\s`), " "},
		{regexp.MustCompile(`(?i)\b(lines?|column|col|offset|row)[ :=#]+\d+(-\d+)?`), "$1"},
		{regexp.MustCompile(`(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\]|localhost|host):\d{1,5}\b`), "$1"},
		{regexp.MustCompile(`:\d{4,5}\b`), " "},
		{regexp.MustCompile(`(?i)\b(port|pid|process|thread|goroutine|worker|inode|fd)(['"]?[ :=#(]+)\d+`), "$1"},
		{regexp.MustCompile(`(?i)\b(run|job|build|request|req|session|trace|span|correlation|transaction)([ _-]?id)?[ :=#]+[0-9a-f]*\d[0-9a-f-]*\b`), "$1"},
		{regexp.MustCompile(`\b\d+(\.\d+)?\s?(ns|µs|us|ms|msecs?|milliseconds?|secs?|seconds?|mins?|minutes?|hours?|hrs?)\b`), " "},
		{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(s|h|m)\b`), " "},
		{regexp.MustCompile(`\b[0-9a-fA-F]{8,}\b`), " "},
		{regexp.MustCompile(`\d{5,}(\.\d+)?`), " "},
	}
}

func scrub(s string, rules []rule) string {
	for _, r := range rules {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return s
}

// steady removes from a test's name what no test is told apart by. The absolute
// path of a file keeps its last element.
func (sc scrubber) steady(name string) string {
	if path.IsAbs(name) && !strings.ContainsAny(name, " \t") {
		return path.Base(name)
	}
	return strings.Join(strings.Fields(scrub(name, sc.identity)), " ")
}

// clean removes the noise of an error text. Absolute paths keep their last element,
// since the same delivery may lie in another folder.
func (sc scrubber) clean(s string) string {
	s = scrub(s, sc.identity)
	// Before the other noise: a folder may look like a digest, and would split the path.
	s = sc.absolute.ReplaceAllStringFunc(s, func(m string) string {
		at := strings.IndexAny(m, "/")
		return m[:at] + path.Base(m[at:])
	})
	return strings.Join(strings.Fields(scrub(s, sc.passing)), " ")
}

// errorPart writes an error text as part of a signature: as many whole words as fit.
func (sc scrubber) errorPart(text string) string {
	s := plain(sc.clean(text))
	if len(s) <= maxError {
		return s
	}
	cut := s[:maxError]
	if i := strings.LastIndexByte(cut, '-'); i > maxError/2 && s[maxError] != '-' {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, "-.")
}

// component makes a package or file independent of the folder it lies in.
func (sc scrubber) component(s string) string {
	if path.IsAbs(s) {
		return path.Base(s)
	}
	return sc.steady(s)
}
