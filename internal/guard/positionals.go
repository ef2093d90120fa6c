package guard

import "mvdan.cc/sh/v3/syntax"

// positionals returns a slice of the positional parameters; those begin with $0.
func positionals(list []string, name string, by *syntax.Slice) []string {
	all := append([]string{name}, list...)
	from, ok := number(by.Offset, 0)
	n, ok2 := number(by.Length, len(all))
	if !ok || !ok2 || n < 0 {
		return []string{anything}
	}
	if from < 0 {
		from = max(0, len(all)+from)
	}
	from = min(from, len(all))
	return all[from:min(len(all), from+n)]
}
