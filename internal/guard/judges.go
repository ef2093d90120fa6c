package guard

import (
	"path/filepath"
	"slices"
	"strings"
)

// Agents that judge. They see the change and what it has to meet, and neither each
// other's findings nor the author's reasons, so they run few verbs and leave the record
// alone.
const (
	agentVerifier = "verification-engineer"
	agentReviewer = "reviewer" // the end of the names of those
)

// Judging reports whether an agent's verdict opens a gate, by its name without the
// plugin's.
func Judging(agentType string) bool {
	return agentType == agentVerifier || strings.HasSuffix(agentType, agentReviewer)
}

// ownVerb judges a verb of asterweave-state by who runs it.
func (w *walker) ownVerb(verb string, words []string) {
	if !Judging(w.s.AgentType) || slices.Contains(words, "--help") {
		return
	}
	sub := ""
	if len(words) > 0 {
		sub = words[0]
	}
	switch verb {
	case "version", "help", "--help", "-h", "completion":
		return
	case "spec", "plan", "manifest":
		if sub == "list" || sub == "show" || verb == "spec" && sub == "judge" && w.s.AgentType == agentVerifier {
			return
		}
	case "guard":
		if sub == "explain" {
			return
		}
	case "status", "run", "enter", "complete", "submit", "record", "ask", "next":
		if w.s.AgentType == agentVerifier {
			return
		}
	}
	w.add(deny(RuleAgents, w.s.AgentType+" judges on its own, and asterweave-state "+clip(verb)+" is not for it",
		"judge by the files and by the prompt; asterweave-state spec list and plan show print what the change has to meet"))
}

// record judges the words of a command as files that are read: an agent that judges
// leaves the record of the delivery alone.
func (w *walker) record(name string, list []arg, e *env) {
	if !Judging(w.s.AgentType) {
		return
	}
	for _, a := range list {
		text := a.text
		if _, v, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "-") {
			text = v
		}
		if text == "" || strings.HasPrefix(text, "-") {
			continue
		}
		p, full := e.at(text, w.s.Home)
		if v := w.s.read(p, full, name != "git", a.glob, e.dotglob); v.Decision != Pass {
			w.add(v)
			return
		}
	}
}

// Read judges a file or folder that a tool is about to read or to search.
func (s Situation) Read(path string) Verdict {
	if !Judging(s.AgentType) || path == "" {
		return Verdict{}
	}
	e := &env{dir: place{path: s.Cwd, known: s.Cwd != ""}}
	p, full := e.at(path, s.Home)
	return s.settle(s.read(p, full, true, strings.ContainsAny(path, "*?["), false))
}

// read judges a path. With around, the folder right around the record counts as well:
// it holds little else. One further up is the work tree.
func (s *Situation) read(p string, full, around, glob, dotglob bool) Verdict {
	refuse := deny(RuleState, "an agent that judges does not read the record: others' reasons and verdicts are in it", "judge by the files and by the prompt")
	p = s.fold(filepath.ToSlash(p))
	if !full {
		if slices.Contains(strings.Split(p, "/"), "ledger.jsonl") || strings.Contains(p, ".claude/asterweave/") {
			return refuse
		}
		return Verdict{}
	}
	for _, own := range append([]string{s.StateDir}, s.Transcripts...) {
		own = s.fold(own)
		if own == "" {
			continue
		}
		if within(own, p) || around && p == filepath.Dir(own) || glob && matchesPath(own, p, false, dotglob) {
			return refuse
		}
	}
	return Verdict{}
}
