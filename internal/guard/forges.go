package guard

import (
	"slices"
	"strings"
)

// glab judges the command line of GitLab.
func (w *walker) glab(args []arg, e *env) {
	words, flags := split(args, func(n string) bool {
		switch n {
		case "R", "repo", "title", "t", "description", "d", "target-branch", "b", "source-branch", "s", "assignee", "a", "label", "l", "reviewer", "milestone", "m", "method", "X", "field", "F", "raw-field", "f", "header", "H", "input", "message", "page", "p", "per-page", "P", "output":
			return true
		}
		return false
	})
	if len(words) == 0 {
		return
	}
	verb, sub := words[0].text, ""
	if len(words) > 1 {
		sub = words[1].text
	}
	if words[0].dim() || len(words) > 1 && words[1].dim() {
		w.add(unresolved("the command of glab"))
		return
	}
	switch verb {
	case "api":
		w.api(args, e)
		return
	case "auth", "version", "help", "completion", "check-update":
		return
	}
	switch sub {
	case "", "list", "ls", "view", "show", "diff", "issues", "status", "get", "trace", "checkout", "clone", "search", "lint", "approvers", "contributors", "download", "retry":
		return
	case "create", "new":
		if verb == "mr" {
			w.create(flags, e)
			return
		}
		w.add(providerAsk("this change at the provider"))
	case "note", "comment", "todo", "subscribe", "run", "trigger":
		w.add(providerAsk("this change at the provider"))
	default:
		w.add(providerWrite("this changes something at the provider that only a person changes"))
	}
}

// hub judges the old command line of GitHub, which passes what it does not know to git.
func (w *walker) hub(args []arg, e *env) {
	if len(args) == 0 {
		return
	}
	switch args[0].text {
	case "api":
		w.api(args, e)
	case "pr", "issue", "ci-status", "browse", "compare":
		if len(args) > 1 && (args[1].text == "merge" || args[1].text == "create" || args[1].text == "close") {
			w.add(providerWrite("this changes something at the provider that only a person changes"))
		}
	case "sync":
		w.add(deny(RuleDelete, "local branches are deleted", "fetch instead"))
	case "pull-request", "release", "delete", "create", "fork", "gist":
		w.add(providerWrite("this changes something at the provider that only a person changes"))
	default:
		w.git(args, e)
	}
}

// written returns the flags with one name written out that may be abbreviated to some letters.
func written(flags []flag, name string, letters int) []flag {
	out := slices.Clone(flags)
	for i, f := range out {
		if len(f.name) > max(1, letters-1) && strings.HasPrefix(name, f.name) {
			out[i].name = name
		}
	}
	return out
}

// az judges the command line of Azure where it is about repositories, pipelines and
// work items; its other groups are not a delivery's business.
func (w *walker) az(args []arg, e *env) {
	words, flags := split(args, func(n string) bool {
		return len(n) > 1 && !slices.Contains([]string{"yes", "open", "help", "verbose", "debug", "only-show-errors", "detect"}, n) || n == "o" || n == "p" || n == "r" || n == "t" || n == "d" || n == "s" || n == "u"
	})
	if len(words) == 0 {
		return
	}
	if words[0].dim() {
		w.add(unresolved("the command of az"))
		return
	}
	switch words[0].text {
	case "rest":
		m, ok := value1(written(flags, "method", 1), "method", "m")
		if ok && !strings.EqualFold(m.text, "get") && !strings.EqualFold(m.text, "head") {
			w.add(providerWrite("this request changes something at the provider"))
		}
		return
	case "repos", "pipelines", "boards", "devops", "artifacts":
	default:
		return
	}
	for _, a := range words {
		if a.dim() {
			w.add(unresolved("the command of az"))
			return
		}
	}
	if w.announcedAz(words, flags, e) {
		return
	}
	last := words[len(words)-1].text
	if words[0].text == "devops" && len(words) > 1 && words[1].text == "invoke" {
		if m, ok := value1(written(flags, "http-method", 2), "http-method"); ok && !strings.EqualFold(m.text, "get") {
			w.add(providerWrite("this request changes something at the provider"))
		}
		return
	}
	if last == "configure" {
		if _, sets := value1(written(flags, "defaults", 1), "defaults", "d"); sets {
			w.add(ask(RuleProvider, "az would take another organization or project by itself", "name them with --organization and --project"))
		}
		return
	}
	switch {
	case last == "show" || last == "list" || last == "query" || last == "checkout" || last == "download" || last == "login" || last == "logout" || strings.HasPrefix(last, "list-") || strings.HasPrefix(last, "show-"):
	case words[0].text == "repos" && len(words) > 2 && words[1].text == "pr" && last == "create":
		if v, ok := value1(flags, "auto-complete"); ok && v.text != "false" {
			w.add(providerWrite("only a person merges"))
		}
		w.create(slices.DeleteFunc(flags, func(f flag) bool { return f.name == "auto-complete" || f.name == "d" && f.val.text == "" }), e)
	case words[0].text == "pipelines" && last == "run":
		w.add(providerAsk("a run of a pipeline"))
	default:
		w.add(providerWrite("this changes something at the provider that only a person changes"))
	}
}
