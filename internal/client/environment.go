package client

import (
	"slices"
	"strings"
)

// dummyKey has the form of a key; the stand-in takes any.
const dummyKey = "sk-ant-none-0000"

// environment builds what a client gets: a few names of environ, settings that keep
// it from speaking to anybody, where the model is, and what the test sets. Nothing
// else of the user reaches it, least of all an account.
func environment(environ []string, home, model string, set []string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains([]string{"PATH", "LANG", "TERM", "TMPDIR"}, name) {
			out = append(out, kv)
		}
	}
	out = append(out,
		"HOME="+home,
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"ANTHROPIC_API_KEY="+dummyKey,
		// Without a namespace of its own, no proxy may carry a request away either.
		"NO_PROXY=*",
	)
	if model != "" {
		out = append(out, "ANTHROPIC_BASE_URL="+model)
	}
	return append(out, set...)
}
