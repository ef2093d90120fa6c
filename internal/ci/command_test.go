package ci_test

import (
	"slices"
	"strings"
	"unicode"

	"github.com/asterweave/asterweave/internal/ci"
)

// seen is a line as a comparison by the rules of a language sees it: without the
// characters that take no room.
func seen(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Cc, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, line)
}

// commands parses output as the runners do, and returns the commands in it.
//
// GitHub (actions/runner, ActionCommand): a line that begins with :: after its white
// space is name, properties and message, parted by the next ::. Else ##[ anywhere in it
// is one in the older form, up to the next ]. Azure Pipelines (azure-pipelines-agent,
// Command): ##vso[ anywhere in a line, up to the next ].
func commands(s ci.System, output string) []string {
	var found []string
	for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = seen(line)
		switch s {
		case ci.GitHub:
			if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::"); ok {
				if head, _, ok := strings.Cut(rest, "::"); ok {
					name, _, _ := strings.Cut(head, " ")
					found = append(found, name)
					continue
				}
			}
			found = append(found, bracketed(line, "##[")...)
		default:
			found = append(found, bracketed(line, "##vso[")...)
			found = append(found, bracketed(line, "##[")...)
		}
	}
	return found
}

func bracketed(line, prefix string) []string {
	_, rest, ok := strings.Cut(line, prefix)
	if !ok {
		return nil
	}
	head, _, _ := strings.Cut(rest, "]")
	name, _, _ := strings.Cut(head, " ")
	return []string{name}
}

// parsed is a command of GitHub with its properties and message, as the runner unescapes
// them.
func parsed(line string) (name string, properties map[string]string, message string) {
	head, message, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	name, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for one := range strings.SplitSeq(list, ",") {
		key, value, _ := strings.Cut(one, "=")
		properties[key] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
	}
	return name, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(message)
}

// only reports whether all commands are of some names.
func only(found []string, names ...string) bool {
	return !slices.ContainsFunc(found, func(n string) bool { return !slices.Contains(names, n) })
}
