package github

import "slices"

// Where a requirement is written.
const (
	fromRuleset       = "ruleset"
	fromProtection    = "branch protection"
	fromUpdateRule    = "refUpdateRule"
	fromIsRequired    = "isRequired"
	fromConfiguration = "configuration"
)

// requirement is a name that has to be reported good, and the App it has to come from.
type requirement struct {
	Name string   `json:"name"`
	App  int64    `json:"app,omitempty"` // 0 for any
	From []string `json:"from"`
}

// requirements is a set of them, in the order in which they were found.
type requirements []requirement

// add joins a requirement; a pin of null, 0 or -1 means any App.
func (r *requirements) add(name string, app int64, from string) {
	if app < 0 {
		app = 0
	}
	for i := range *r {
		if q := &(*r)[i]; q.Name == name && q.App == app {
			if !slices.Contains(q.From, from) {
				q.From = append(q.From, from)
			}
			return
		}
	}
	*r = append(*r, requirement{Name: name, App: app, From: []string{from}})
}
