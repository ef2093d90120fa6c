package testrun

import "strings"

// summaries chooses among the summaries that a run printed.
//
// A runner prints its own summary once, at the end. Tests can print lines that
// look the same: before it, or after it from an exit handler. Of a run that ended
// with status 0 the summary with the fewest executed tests counts, so that printed
// ones can lower the count and never raise it. A run that failed is no pass
// whatever is counted; of it the last summary counts.
type summaries struct {
	last, fewest counts
	seen         bool
}

func (s *summaries) add(c counts) {
	c.known = true
	s.last = c
	if !s.seen || c.executed() < s.fewest.executed() {
		s.fewest = c
	}
	s.seen = true
}

func (s *summaries) result(exit int) counts {
	if exit == 0 {
		return s.fewest
	}
	return s.last
}

// number reads a non-negative decimal number of at most nine digits.
func number(s string) (int, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0, false
		}
		n = n*10 + int(r-'0')
	}
	return n, true
}

// tally reads "3 passed, 1 skipped": items separated by sep, a number and a word
// each. It returns the numbers by word, or false when an item has another form.
func tally(s, sep string) (map[string]int, bool) {
	out := map[string]int{}
	for item := range strings.SplitSeq(s, sep) {
		num, word, ok := strings.Cut(strings.TrimSpace(item), " ")
		n, isNum := number(num)
		if !ok || !isNum || word == "" {
			return nil, false
		}
		out[word] += n
	}
	return out, true
}
