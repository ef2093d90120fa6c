package redact

import (
	"bytes"
	"sync"
)

// words is what the rules look words up in.
type words struct {
	shapes   []shape
	secret   []string // parts of names whose values are secrets
	harmless []string // ends of names that speak about a secret and do not hold it
}

//nolint:gochecknoglobals // built once and never changed
var vocabulary = sync.OnceValue(newWords)

func newWords() *words {
	return &words{
		shapes: shapes(),
		secret: []string{
			"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "accountkey",
			"encryptionkey", "signingkey", "credential", "clientkey", "sharedkey",
		},
		harmless: []string{
			"file", "path", "dir", "url", "uri", "name", "type", "count", "length", "len", "limit", "policy", "expires",
			"expiry", "expiresin", "expiresat", "ttl", "version", "enabled", "required", "tokens", "endpoint", "prefix",
			"index", "pos", "position", "kind", "id", "field", "label", "size", "budget", "usage", "manager", "provider", "ref",
		},
	}
}

// innocent reports whether a name, in lower case, ends like one that speaks about
// a secret and does not hold it.
func (w *words) innocent(low []byte) bool {
	for _, end := range w.harmless {
		if bytes.HasSuffix(low, []byte(end)) {
			return true
		}
	}
	return false
}

// shape is a token that begins with fixed text: head, which is the end of a word
// of letters and digits, then rest, then a body of no fewer than least bytes.
type shape struct {
	head, rest string
	least      int
	dots       bool // the body may hold dots
	within     bool // head may be the end of a longer word
	mixed      bool // the body has to look random
}

// shapes returns the tokens of providers that say what they are.
func shapes() []shape {
	return []shape{
		{head: "ghp", rest: "_", least: 20, within: true},             // GitHub, personal
		{head: "gho", rest: "_", least: 20, within: true},             // OAuth
		{head: "ghu", rest: "_", least: 20, within: true},             // user to server
		{head: "ghs", rest: "_", least: 20, within: true, dots: true}, // server to server
		{head: "ghr", rest: "_", least: 20, within: true},             // refresh
		{head: "github", rest: "_pat_", least: 20, within: true},
		{head: "glpat", rest: "-", least: 16, within: true, dots: true}, // GitLab
		{head: "glptt", rest: "-", least: 16},
		{head: "gldt", rest: "-", least: 16},
		{head: "glrt", rest: "-", least: 16},
		{head: "glcbt", rest: "-", least: 16},
		{head: "glsoat", rest: "-", least: 16},
		{head: "sk", rest: "-ant-", least: 16}, // Anthropic
		{head: "sk", rest: "-", least: 20, mixed: true},
		{head: "npm", rest: "_", least: 30, mixed: true},
		{head: "pypi", rest: "-", least: 50},
		{head: "xoxa", rest: "-", least: 10}, // Slack
		{head: "xoxb", rest: "-", least: 10},
		{head: "xoxe", rest: "-", least: 10},
		{head: "xoxe", rest: ".", least: 10},
		{head: "xoxo", rest: "-", least: 10},
		{head: "xoxp", rest: "-", least: 10},
		{head: "xoxr", rest: "-", least: 10},
		{head: "xoxs", rest: "-", least: 10},
		{head: "xapp", rest: "-", least: 10},
		{head: "sk", rest: "_live_", least: 10}, // Stripe
		{head: "rk", rest: "_live_", least: 10},
		{head: "sk", rest: "_test_", least: 10},
		{head: "rk", rest: "_test_", least: 10},
		{head: "whsec", rest: "_", least: 20},
		{head: "hf", rest: "_", least: 30, mixed: true},
		{head: "dop", rest: "_v1_", least: 40},
		{head: "shpat", rest: "_", least: 30},
		{head: "shpss", rest: "_", least: 30},
		{head: "hvs", rest: ".", least: 24}, // Vault
		{head: "SG", rest: ".", least: 40, dots: true},
		{head: "ya29", rest: ".", least: 20, dots: true},
	}
}
