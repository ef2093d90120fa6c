package hook

// Failures returns, by event, how the failure of an event begins in the documentation.
func Failures() map[string]string {
	out := map[string]string{}
	for _, p := range policies() {
		out[p.kebab] = map[burden]string{nothing: "silent", word: "refused", verdict: "told to the agent once", decision: "asked about"}[p.carries]
	}
	return out
}
