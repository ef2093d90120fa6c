package document

import (
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
)

// Bounds of a review; a reviewer's message is untrusted.
const (
	MaxReviewBytes = 128 << 10 // the block
	maxFindings    = 200
	maxReviewText  = 8 << 10 // each text
)

// Kinds of review and words of a review's closed sets.
const (
	kindCodeReview     = "code-review"
	kindSecurityReview = "security-review"

	VerdictPass = "pass"
	VerdictFail = "fail"
)

// ParseReview takes the verdict out of a reviewer's message: the last fenced
// block marked json. It returns the review and the bytes of the block. An error
// says everything that the reviewer has to put right.
func ParseReview(message string) (Review, []byte, error) {
	if len(message) > MaxBytes {
		return Review{}, nil, Problems{{What: "the message is longer than 1 MiB"}}
	}
	block, err := lastBlock(message)
	if err != nil {
		return Review{}, nil, err
	}
	var r Review
	if err := canon.Decode(block, MaxReviewBytes, &r); err != nil {
		return Review{}, nil, Problems{{What: "the json block: " + err.Error()}}
	}
	if p := r.Check(); len(p) > 0 {
		return Review{}, nil, Problems(p)
	}
	return r, block, nil
}

// Check returns what is wrong with a review on its own. A pass that opens a
// Critical or High finding contradicts itself.
func (r Review) Check() []Problem {
	var c checker
	c.version(r.Version)
	c.oneOf("kind", r.Kind, kindCodeReview, kindSecurityReview)
	c.oneOf("verdict", r.Verdict, VerdictPass, VerdictFail)
	if !treeID(r.Tree) {
		c.add("tree", "%q is no tree id of 40 or 64 hex digits", clip(r.Tree, 80))
	}
	c.bounded("summary", r.Summary)
	if len(r.Findings) > maxFindings {
		c.add("findings", "%d are more than %d", len(r.Findings), maxFindings)
		return c.problems
	}
	for i, f := range r.Findings {
		field := item("findings", i)
		c.oneOf(field+".severity", f.Severity, "Critical", "High", "Medium", "Low")
		c.bounded(field+".title", f.Title)
		if f.Detail != "" {
			c.bounded(field+".detail", f.Detail)
		}
		if why := badPath(f.Path); f.Path != "" && why != "" {
			c.add(field+".path", "%q %s", clip(f.Path, 80), why)
		}
		if f.Line < 0 {
			c.add(field+".line", "is negative")
		}
		if r.Verdict == VerdictPass && f.Severe() {
			c.add(field+".severity", "a pass cannot open a %s finding", f.Severity)
		}
	}
	if len(r.Resolved) > maxFindings {
		c.add("resolved", "%d are more than %d", len(r.Resolved), maxFindings)
		return c.problems
	}
	for i, id := range r.Resolved {
		if !findingID(id) {
			c.add(item("resolved", i), "%q is no id of a finding, such as F3", clip(id, 80))
		}
	}
	return c.problems
}

func (c *checker) bounded(field, s string) {
	c.text(field, s)
	if len(s) > maxReviewText {
		c.add(field, "is longer than %d bytes", maxReviewText)
	}
}

func treeID(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return len(s) == 40 || len(s) == 64
}

func findingID(s string) bool {
	number, ok := strings.CutPrefix(s, "F")
	if !ok || number == "" || len(number) > 9 || number[0] == '0' {
		return false
	}
	for i := range len(number) {
		if !isDigit(number[i]) {
			return false
		}
	}
	return true
}

// lastBlock returns the text of the last fenced block that is marked json. A
// block inside a longer fence is text of that one; a block that is never closed
// is a message that was cut.
func lastBlock(message string) ([]byte, error) {
	var last []byte
	found := false
	var fence string // of the block that is open
	isJSON := false
	start, at := 0, 0
	for line := range strings.Lines(message) {
		begin := at
		at += len(line)
		text := strings.TrimRight(line, " \t\r\n")
		indented := strings.TrimLeft(text, " ")
		if len(text)-len(indented) > 3 {
			continue
		}
		run := fenceOf(indented)
		info := strings.TrimSpace(indented[len(run):])
		switch {
		case fence == "" && run != "" && (run[0] == '~' || !strings.Contains(info, "`")):
			fence, isJSON, start = run, isJSONInfo(info), at
		case fence != "" && run != "" && run[0] == fence[0] && len(run) >= len(fence) && info == "":
			if isJSON {
				last, found = []byte(message[start:begin]), true
			}
			fence = ""
		}
	}
	switch {
	case fence != "" && isJSON:
		return nil, Problems{{What: "the last json block of the message is not closed"}}
	case !found:
		return nil, Problems{{What: "the message holds no fenced json block"}}
	}
	return last, nil
}

// fenceOf returns the run of three or more backticks or tildes at the start.
func fenceOf(s string) string {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return ""
	}
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	if n < 3 {
		return ""
	}
	return s[:n]
}

func isJSONInfo(info string) bool {
	word, _, _ := strings.Cut(info, " ")
	return strings.EqualFold(word, "json")
}
