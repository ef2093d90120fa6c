package guard

import (
	"path/filepath"
	"slices"
	"strings"
)

const (
	hintProvider = "a person does this at the provider; asterweave-state read shows what is there"
	hintAnnounce = "announce it with asterweave-state intend, and wait for a person to confirm it"
)

func providerWrite(what string) Verdict { return deny(RuleProvider, what, hintProvider) }

func providerAsk(what string) Verdict {
	return ask(RuleProvider, what+" is seen by others", hintAnnounce)
}

// flag is an option and its value; the value is empty where it has none.
type flag struct {
	name string
	val  arg
	has  bool
}

// split tells the words of a command from its options. with names the options, short
// ones by their letter, that take a value.
func split(args []arg, with func(string) bool) (words []arg, flags []flag) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		t := a.text
		switch {
		case t == "--":
			return append(words, args[i+1:]...), flags
		case len(t) < 2 || t[0] != '-':
			words = append(words, a)
		case strings.HasPrefix(t, "--"):
			name, v, ok := strings.Cut(t[2:], "=")
			f := flag{name: name, val: arg{text: v}, has: ok}
			if !ok && with(name) && i+1 < len(args) {
				i++
				f.val, f.has = args[i], true
			}
			flags = append(flags, f)
		default:
			for j := 1; j < len(t); j++ {
				f := flag{name: t[j : j+1]}
				if with(f.name) {
					f.has = true
					if f.val = (arg{text: strings.TrimPrefix(t[j+1:], "=")}); j+1 == len(t) && i+1 < len(args) {
						i++
						f.val = args[i]
					}
					flags = append(flags, f)
					break
				}
				flags = append(flags, f)
			}
		}
	}
	return words, flags
}

func value1(flags []flag, names ...string) (arg, bool) {
	for i := len(flags) - 1; i >= 0; i-- {
		for _, n := range names {
			if flags[i].name == n {
				return flags[i].val, true
			}
		}
	}
	return arg{}, false
}

func ghValues(name string) bool {
	switch name {
	case "repo", "R", "hostname", "title", "t", "body", "b", "body-file", "F", "base", "B", "head", "H", "label", "l", "assignee", "a", "reviewer", "r", "milestone", "m", "project", "p",
		"json", "jq", "q", "template", "T", "limit", "L", "state", "s", "author", "A", "search", "S", "method", "X", "field", "f", "raw-field", "header", "input", "preview", "cache",
		"subject", "match-head-commit", "author-email", "branch", "workflow", "w", "job", "j", "event", "e", "user", "u", "commit", "c", "interval", "i", "notes", "n", "notes-file", "dir", "D", "pattern", "output", "O", "add-label", "remove-label", "add-reviewer", "remove-reviewer", "add-assignee", "remove-assignee", "attempt", "ref", "reason", "org", "o", "env":
		return true
	}
	return false
}

// gh judges the command line of GitHub.
func (w *walker) gh(args []arg, e *env) {
	if len(args) > 0 && args[0].text == "api" || len(args) > 1 && args[len(args)-1].text != "" && apiVerb(args) {
		w.api(args, e)
		return
	}
	words, flags := split(args, ghValues)
	if len(words) == 0 {
		for _, a := range args {
			if a.vague() {
				w.add(unresolved("a word of gh"))
			}
		}
		return
	}
	if _, help := value1(flags, "help"); help {
		return
	}
	verb, sub := words[0].text, ""
	if len(words) > 1 {
		sub = words[1].text
	}
	if words[0].dim() || len(words) > 1 && words[1].dim() && !single1(verb) {
		w.add(unresolved("the command of gh"))
		return
	}
	if ghReads(verb, sub) || w.announcedGH(words, flags, e) {
		return
	}
	w.ghVerb(words, flags, e)
}

// defaultsToRemote reports whether gh repo set-default shows what is set, or sets the
// remote's own repository.
func (w *walker) defaultsToRemote(words []arg, flags []flag) bool {
	if _, view := value1(flags, "view", "v"); view {
		return true
	}
	_, _, forge := slug(w.s.RemoteURL)
	return len(words) == 3 && (!forge || Write{Repo: words[2].text}.isRemote(w.s.RemoteURL))
}

func single1(verb string) bool { return verb == "search" || verb == "browse" || verb == "status" }

func apiVerb(args []arg) bool {
	words, _ := split(args, ghValues)
	return len(words) > 0 && words[0].text == "api"
}

// ghReads reports whether a command only reads, or changes nothing that others see.
func ghReads(verb, sub string) bool {
	switch verb {
	case "search", "status", "version", "help", "completion", "browse", "attestation":
		return true
	case "pr", "issue", "run", "workflow", "repo", "release", "label", "gist", "variable", "secret", "cache", "ruleset", "project", "codespace", "extension", "alias", "config", "auth", "ssh-key", "gpg-key", "org", "licenses", "preview":
	default:
		return false
	}
	switch sub {
	case "", "view", "list", "ls", "status", "diff", "checks", "watch", "download", "check", "get", "clone", "field-list", "item-list", "search", "logs", "gitignore", "license", "verify", "verify-asset":
		return true
	}
	return verb == "run" && sub == "rerun"
}

func (w *walker) ghVerb(words []arg, flags []flag, e *env) {
	verb, sub := words[0].text, ""
	if len(words) > 1 {
		sub = words[1].text
	}
	switch verb {
	case "pr", "issue":
		w.ghPR(verb, sub, flags, e)
	case "repo":
		switch sub {
		case "create", "fork":
			w.add(providerAsk("a new repository"))
		case "set-default":
			if !w.defaultsToRemote(words, flags) {
				w.add(ask(RuleProvider, "gh would take another repository by itself", "name the repository with --repo"))
			}
		default:
			w.add(providerWrite("the repository would be changed at the provider"))
		}
	case "release":
		w.add(providerWrite("a release would be published or changed"))
	case "workflow":
		if sub == "run" {
			w.add(providerAsk("a run of a workflow"))
			return
		}
		w.add(deny(RuleSkip, "a workflow would be switched on or off", "leave the checks as they are, and repair what they find"))
	case "secret", "variable", "ssh-key", "gpg-key", "ruleset", "org":
		w.add(providerWrite("what protects the repository would be changed"))
	case "run":
		if sub == "delete" {
			w.add(providerWrite("the record of a run would be deleted"))
			return
		}
		w.add(ask(RuleProvider, "a run of the checks would be stopped or changed", "wait for its end"))
	case "auth":
		w.add(ask(RuleProvider, "the account that gh uses is shown or changed", "a person looks after the account"))
	case "agent-task", "copilot":
		w.add(agentStarted("of gh"))
	case "label", "gist", "cache", "project", "codespace":
		w.add(providerAsk("this change at the provider"))
	case "alias", "extension", "config":
		w.add(ask(RuleProvider, "gh would get commands that are not judged", "use the commands of gh itself"))
	default:
		w.add(ask(RuleUnresolved, "gh "+clip(verb)+" is no command of gh that is known", "write the command out"))
	}
}

func (w *walker) ghPR(verb, sub string, flags []flag, e *env) {
	switch sub {
	case "create", "new":
		if verb == "issue" {
			w.add(providerAsk("a new issue"))
			return
		}
		w.create(flags, e)
	case "merge":
		w.add(providerWrite("only a person merges"))
	case "review":
		if _, c := value1(flags, "comment", "c"); c {
			if _, a := value1(flags, "approve", "a", "request-changes", "r"); !a {
				w.add(providerAsk("a review"))
				return
			}
		}
		w.add(providerWrite("only a person approves or asks for changes"))
	case "close", "delete", "lock", "transfer", "pin", "unpin", "unlock", "reopen", "revert":
		w.add(providerWrite("a pull request or issue would be " + sub + "ed, which only a person does"))
	case "checkout", "co":
		if _, f := value1(flags, "force", "f"); f {
			w.add(discard("the branch is put to another commit"))
		}
	case "edit":
		if _, b := value1(flags, "base", "B"); b {
			w.add(providerWrite("the base of the pull request would be another one"))
			return
		}
		w.add(providerAsk("a change of the pull request or issue"))
	default:
		w.add(providerAsk("this change of a pull request or issue"))
	}
}

// label refuses a label that tells a pipeline or a robot to skip checks or to merge.
func (w *walker) label(text string) {
	for _, l := range strings.Split(strings.ToLower(text), ",") {
		l = strings.NewReplacer("-", " ", "_", " ", ":", " ", "/", " ").Replace(l)
		words := strings.Fields(l)
		if skipsChecks("["+strings.Join(words, " ")+"]") || strings.Contains(strings.Join(words, ""), "automerge") || strings.HasPrefix(strings.Join(words, ""), "readytomerge") || slices.Contains(words, "skip") {
			w.add(deny(RuleSkip, "a label tells a robot to skip checks or to merge", "leave the label out"))
		}
	}
}

// create judges a new pull request: it is the confirmed one, or none.
func (w *walker) create(flags []flag, e *env) {
	s := w.s
	c := s.Confirmed
	if c == nil {
		w.add(deny(RuleConfirm, "no pull request is confirmed", "announce it with asterweave-state intend pr, and wait for a person to confirm it"))
		return
	}
	differs := func(what string) {
		w.add(deny(RuleConfirm, "the "+what+" is not the one that a person confirmed", "use title and body of the confirmed pull request as they are"))
	}
	if _, dry := value1(flags, "dry-run"); dry {
		return
	}
	if !w.here(e) {
		differs("place")
	}
	if t, ok := value1(flags, "title", "t"); !ok || t.text != c.Title {
		differs("title")
	}
	file, byFile := value1(flags, "body-file", "F", "template", "T", "description-file")
	body, byText := value1(flags, "body", "b", "description", "d")
	if byText && body.text == "" {
		byText = false
	}
	switch {
	case byFile:
		p, full := e.at(file.text, s.Home)
		if !full || file.dim() || c.BodyPath == "" || p != filepath.Clean(c.BodyPath) {
			differs("body")
		}
		if _, changed := w.files[p]; changed {
			differs("body")
		}
	case byText:
		if c.Body == "" || strings.TrimSpace(body.text) != strings.TrimSpace(c.Body) {
			differs("body")
		}
	default:
		differs("body")
	}
	base := c.Base
	if base == "" {
		base = s.Base
	}
	if b, ok := value1(flags, "base", "B", "target-branch"); ok && b.text != base {
		differs("base")
	}
	if h, ok := value1(flags, "head", "H", "source-branch", "source"); ok && (h.text != s.Branch && !strings.HasSuffix(h.text, ":"+s.Branch) || foreign(h.text, s.RemoteURL)) {
		differs("branch")
	}
	for _, f := range flags {
		if f.name == "label" || f.name == "l" || f.name == "labels" {
			w.label(f.val.text)
		}
		switch f.name {
		case "repo", "R", "fill", "f", "fill-first", "fill-verbose", "web", "w", "recover", "editor", "e", "auto-complete", "squash-before-merge", "remove-source-branch", "push", "bypass-policy", "delete-source-branch", "auto-merge", "when-pipeline-succeeds":
			if f.name == "d" || f.name == "f" && byFile {
				continue
			}
			differs("way of opening it")
		}
	}
}
