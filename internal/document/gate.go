package document

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// MaxTimeout is the longest that a gate may run.
const MaxTimeout = 2 * time.Hour

// Bounds of a gate.
const (
	maxGateID   = 64
	maxArgs     = 256
	maxArgBytes = 8 << 10
)

// Gate kinds, and the words of the other closed sets of a gate.
const (
	kindBuild       = "build"
	kindStatic      = "static"
	kindUnit        = "unit-test"
	kindIntegration = "integration-test"
	kindAcceptance  = "acceptance"
	kindScan        = "scan"

	// CountsExit accepts a run whose output holds no counts by its exit status.
	CountsExit = "exit"

	CaptureFull   = "full"
	CaptureCounts = "counts"
	CaptureNone   = "none"
)

// Command returns the argv that the gate runs.
func (g Gate) Command() []string {
	if g.Shell != "" {
		return []string{"bash", "-o", "pipefail", "-c", g.Shell}
	}
	return g.Argv
}

// Matches reports whether argv is the command of the gate, word by word.
func (g Gate) Matches(argv []string) bool {
	return len(argv) > 0 && slices.Equal(g.Command(), argv)
}

// Digest returns the SHA-256, in hex, of the gate's whole definition.
func (g Gate) Digest() string {
	// An empty list or object says the same as one that is not there, which is
	// how the fields encode.
	return digest(g)
}

// Check returns what is wrong with a gate on its own; field is the path of the
// gate in its document.
func (g Gate) Check(field string) []Problem {
	c := checker{prefix: field}
	if !gateID(g.ID) {
		c.add("id", "%q has to be lower-case letters, digits and ._-, at most %d, beginning with a letter or digit", clip(g.ID, 80), maxGateID)
	}
	c.oneOf("kind", g.Kind, kindBuild, kindStatic, kindUnit, kindIntegration, kindAcceptance, kindScan)
	c.command(g)
	if g.Timeout != "" {
		switch d, err := time.ParseDuration(g.Timeout); {
		case err != nil:
			c.add("timeout", "%q is no duration such as 90s or 10m", clip(g.Timeout, 40))
		case d <= 0 || d > MaxTimeout:
			c.add("timeout", "%s is not between 0 and %s", d, MaxTimeout)
		}
	}
	c.globs("inputs", g.Inputs)
	for i, tool := range g.Tools {
		c.argv(item("tools", i), tool)
	}
	for _, name := range slices.Sorted(maps.Keys(g.Env)) {
		switch {
		case !envName(name):
			c.add("env", "%q is no name of a variable", clip(name, 80))
		case strings.HasPrefix(name, "ASTERWEAVE_") || name == "AI_AGENT":
			c.add("env", "%s says who is speaking; a gate may not set it", name)
		case strings.ContainsRune(g.Env[name], 0):
			c.add("env", "%s holds a NUL character", name)
		}
	}
	if g.Counts != "" {
		c.oneOf("counts", g.Counts, CountsExit)
	}
	if g.Capture != "" {
		c.oneOf("capture", g.Capture, CaptureFull, CaptureCounts, CaptureNone)
	}
	if g.Report != nil {
		c.oneOf("report.format", g.Report.Format, "junit", "tap")
		if why := badPath(g.Report.Path); why != "" {
			c.add("report.path", "%q %s", clip(g.Report.Path, 80), why)
		} else if protected(g.Report.Path) {
			c.add("report.path", "%s lies in a folder that belongs to Git or to the state of deliveries", g.Report.Path)
		}
	}
	return c.problems
}

// command demands exactly one of argv and shell.
func (c *checker) command(g Gate) {
	switch {
	case len(g.Argv) > 0 && g.Shell != "":
		c.add("shell", "is there besides argv; a gate has one of them")
	case g.Shell != "":
		c.text("shell", g.Shell)
		if len(g.Shell) > maxArgBytes || strings.ContainsRune(g.Shell, 0) {
			c.add("shell", "is longer than %d bytes or holds a NUL character", maxArgBytes)
		}
	case len(g.Argv) == 0:
		c.add("argv", "is missing, and so is shell; a gate has one of them")
	default:
		c.argv("argv", g.Argv)
	}
}

func (c *checker) argv(field string, argv []string) {
	if len(argv) == 0 {
		c.add(field, "is empty")
		return
	}
	if len(argv) > maxArgs {
		c.add(field, "%d words are more than %d", len(argv), maxArgs)
		return
	}
	c.text(item(field, 0), argv[0])
	for i, a := range argv {
		if len(a) > maxArgBytes || strings.ContainsRune(a, 0) {
			c.add(item(field, i), "is longer than %d bytes or holds a NUL character", maxArgBytes)
		}
	}
}

// gateID reports whether s matches ^[a-z0-9][a-z0-9._-]{0,63}$.
func gateID(s string) bool {
	if s == "" || len(s) > maxGateID {
		return false
	}
	for i := range len(s) {
		c := s[i]
		lower := c >= 'a' && c <= 'z' || isDigit(c)
		if !lower && (i == 0 || strings.IndexByte("._-", c) < 0) {
			return false
		}
	}
	return true
}

func envName(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && s[i] != '_' && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != "" && len(s) <= 128
}
