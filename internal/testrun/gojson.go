package testrun

import (
	"encoding/json"
	"strings"
)

// goJSON reads "go test -json". The unit is the test, subtests included.
//
// Only events count. What a test prints arrives inside an event as a string, so a
// printed event is no event. A test counts when it was started and ended; its name
// counts once a package, and the worst result wins.
type goJSON struct {
	tests    map[[2]string]string // "run", "pass", "skip" or "fail" by package and test
	known    bool                 // some package ended
	overflow bool
	fails    *goFailures
}

func newGoJSON() *goJSON {
	return &goJSON{tests: map[[2]string]string{}, fails: newGoFailures()}
}

// goEvent is the part of a test2json event that is looked at.
type goEvent struct {
	Action, Package, ImportPath, Test, Output string
}

func (g *goJSON) line(s string) {
	var e goEvent
	if !strings.HasPrefix(s, "{") || json.Unmarshal([]byte(s), &e) != nil {
		g.fails.text(s)
		return
	}
	switch e.Action {
	case "build-output":
		g.fails.text(strings.TrimSuffix(e.Output, "\n"))
	case "output":
		g.output(e)
	case "run":
		g.set(e, "run")
	case "pass", "skip", "fail":
		if e.Test != "" {
			g.set(e, e.Action)
		} else {
			g.known = true
			g.endPackage(e)
		}
	}
}

func (g *goJSON) set(e goEvent, status string) {
	if e.Test == "" || strings.HasPrefix(e.Test, "Benchmark") {
		return
	}
	key := [2]string{e.Package, e.Test}
	old, started := g.tests[key]
	rank := map[string]int{"run": 0, "pass": 1, "skip": 2, "fail": 3}
	switch {
	case status == "run" && !started:
		if g.overflow = g.overflow || len(g.tests) >= maxNames; !g.overflow {
			g.tests[key] = status
		}
	case started && rank[status] > rank[old]:
		g.tests[key] = status
	}
}

// output keeps the first message of each test: packages run side by side, so the
// text goes by the event's test and not by what was printed before.
func (g *goJSON) output(e goEvent) {
	key := e.Package + "\x00" + e.Test
	g.fails.current = key
	text := strings.TrimSuffix(e.Output, "\n")
	if panicked, ok := strings.CutPrefix(text, "panic: "); ok {
		panicked, _, _ = strings.Cut(panicked, " [recovered")
		if strings.HasPrefix(panicked, "test timed out") {
			g.fails.tell("timeout")
			return
		}
		g.fails.message("panic: " + panicked)
		return
	}
	if message, ok := goLocation(text); ok && strings.HasPrefix(text, " ") {
		g.fails.message(message)
		if g.fails.waiting != "" {
			g.fails.waiting = key
		}
	} else if g.fails.waiting == key {
		g.fails.continued(text)
	}
}

func (g *goJSON) endPackage(e goEvent) {
	if e.Action != "fail" {
		return
	}
	var failed []Failure
	for key, status := range g.tests {
		if key[0] == e.Package && (status == "fail" || status == "run") {
			failed = append(failed, Failure{
				Test: key[1], Component: e.Package, Message: g.said(e.Package, key[1]),
			})
		}
	}
	if len(failed) == 0 {
		f := Failure{Test: e.Package, Component: e.Package, Message: g.fails.build[e.Package]}
		if f.Message != "" {
			f.Test += " [build failed]"
		} else {
			f.Message = g.fails.said[e.Package+"\x00"]
		}
		failed = []Failure{f}
	}
	if len(g.fails.done) < maxCollect {
		g.fails.done = append(g.fails.done, leaves(failed)...)
	}
}

// said returns what a test printed as its reason. The panic of a subtest is
// printed under the name of a test above it.
func (g *goJSON) said(pkg, test string) string {
	for {
		if m := g.fails.said[pkg+"\x00"+test]; m != "" || test == "" {
			return m
		}
		test = test[:max(strings.LastIndexByte(test, '/'), 0)]
	}
}

func (g *goJSON) result(int) counts {
	c := counts{known: g.known && !g.overflow}
	for _, status := range g.tests {
		switch status {
		case "pass":
			c.passed++
		case "skip":
			c.skipped++
		case "fail":
			c.failed++
		}
	}
	return c
}

func (g *goJSON) failures() []Failure { return g.fails.done }
