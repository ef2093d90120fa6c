package guard

import (
	"strings"
)

// variable judges a variable that is set, for a command or for what follows.
func (w *walker) variable(name, val, command string, e *env) {
	if v := marker(name); v.Decision != Pass {
		w.add(v)
		return
	}
	switch {
	case strings.HasPrefix(name, "GIT_CONFIG"):
		w.add(deny(RuleConfig, name+" steers Git's configuration past what is in force", "run git without it; git config reads a value"))
	case steersGit(name):
		w.add(deny(RuleConfig, name+" leads Git to another repository, index or program", "run git in the delivery's worktree, without it"))
	case runsText(name):
		if skipsChecks(val) {
			w.add(skipped())
		}
		if val != "" && syntaxOf(val) {
			w.inner(val+" "+outside, e.fork())
		}
	case codeVariable(name):
		if namesGuarded(val) {
			w.add(deny(RuleInline, name+" holds code that names Git, a provider, the delivery or the client", "call the program itself, so that its words can be read"))
		}
	case name == "HOME" || name == "XDG_CONFIG_HOME":
		switch command {
		case "git", "gh", "glab", "az", "asterweave-state", "asterweave-hook", "claude":
			w.add(deny(RuleConfig, name+" leads "+command+" to another configuration", "run it without "+name))
		case "":
			if p, full := e.at(val, w.s.Home); !full || p != w.s.Home {
				e.cleared = true
			}
		}
	case skipVariable(name):
		if val == "" || strings.ContainsAny(name, "_") && (val == "1" || val == "0") && !strings.HasPrefix(name, "HUSKY") && name != "PRE_COMMIT_ALLOW_NO_CONFIG" {
			return
		}
		if command == "git" || command == "" && val != "" {
			w.add(deny(RuleSkip, name+" switches checks off that run with a commit or push", "run it without "+name+", and repair what the check finds"))
		}
	case strings.HasPrefix(name, "GIT_TRACE"):
		w.add(w.written(arg{text: val}, e, false))
	}
}

// marker judges the variables that say who is speaking.
func marker(name string) Verdict {
	switch {
	case strings.HasPrefix(name, "ASTERWEAVE_"), name == "AI_AGENT", name == "CLAUDECODE", strings.HasPrefix(name, "CLAUDE_CODE_"), name == "CLAUDE_ENV_FILE":
		return deny(RuleMarker, name+" says who is speaking, and is not set by a command", "run the command without touching it")
	}
	return Verdict{}
}

// unset judges a variable that is taken away.
func unset(name string) Verdict {
	if v := marker(name); v.Decision != Pass {
		v.Reason = name + " says who is speaking, and is not taken away by a command"
		return v
	}
	if strings.HasPrefix(name, "GIT_CONFIG") || strings.ContainsAny(name, "*") && strings.HasPrefix(name, "G") {
		return deny(RuleConfig, name+" holds the configuration of Git that is in force", "run git without touching it")
	}
	return Verdict{}
}

func steersGit(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_NAMESPACE", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
		"GIT_CEILING_DIRECTORIES", "GIT_PROTOCOL_FROM_USER", "GIT_ALLOW_PROTOCOL", "GIT_ATTR_SOURCE", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES":
		return true
	}
	return false
}

// runsText reports whether a program or shell runs what the variable holds.
func runsText(name string) bool {
	switch name {
	case "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL", "GIT_PAGER", "PAGER", "GH_PAGER", "GH_EDITOR", "GH_BROWSER", "BROWSER", "GIT_SSH_COMMAND", "GIT_SSH",
		"GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "PROMPT_COMMAND", "LESSOPEN", "MANPAGER", "GIT_MERGE_AUTOEDIT", "PS4", "PS1", "PS0":
		return true
	case "BASH_ENV", "ENV":
		return true
	}
	return false
}

// codeVariable reports whether an interpreter, an editor or make runs the code in the variable.
func codeVariable(name string) bool {
	switch name {
	case "NODE_OPTIONS", "PERL5OPT", "PERL5DB", "RUBYOPT", "VIMINIT", "EXINIT", "MAKEFLAGS", "GNUMAKEFLAGS":
		return true
	}
	return false
}

// syntaxOf reports whether a value is more than a name of a program.
func syntaxOf(val string) bool {
	return strings.ContainsAny(val, " \t\n;|&$`"+marks) || val == "git" || val == "gh"
}

// skipVariable names what switches off the checks of common managers of hooks.
func skipVariable(name string) bool {
	switch name {
	case "HUSKY", "HUSKY_SKIP_HOOKS", "HUSKY_SKIP", "SKIP", "LEFTHOOK", "LEFTHOOK_EXCLUDE", "PRE_COMMIT_ALLOW_NO_CONFIG", "SKIP_HOOKS", "OVERCOMMIT_DISABLE", "SKIP_SIMPLE_GIT_HOOKS", "GIT_HOOKS_SKIP", "HOOKS_SKIP":
		return true
	}
	return false
}

// assignedFor judges what an assignment means to the command that it stands before.
func (w *walker) assignedFor(argv []arg, e *env) {
	name := w.program(argv[0].text)
	if name != "git" {
		return
	}
	for _, n := range []string{"HUSKY", "LEFTHOOK", "SKIP", "HUSKY_SKIP_HOOKS", "OVERCOMMIT_DISABLE", "LEFTHOOK_EXCLUDE", "SKIP_SIMPLE_GIT_HOOKS"} {
		v, ok := e.vars[n]
		if ok && len(v.list) == 1 && v.list[0] != "" && (v.list[0] != "1" || n != "HUSKY" && n != "LEFTHOOK") {
			w.add(deny(RuleSkip, n+" switches checks off that run with a commit or push", "run it without "+n+", and repair what the check finds"))
		}
	}
}

// skipsChecks reports whether a message tells a pipeline not to run.
func skipsChecks(message string) bool {
	m := strings.ToLower(message)
	if strings.Contains(m, "***no_ci***") || strings.Contains(m, "skip-checks:") || strings.Contains(m, "skip-checks=") {
		return true
	}
	for {
		i := strings.IndexByte(m, '[')
		if i < 0 {
			return false
		}
		m = m[i+1:]
		end := strings.IndexByte(m, ']')
		if end < 0 {
			return false
		}
		if end > 40 {
			continue
		}
		words := strings.FieldsFunc(m[:end], func(r rune) bool { return strings.ContainsRune(" -_.\t", r) })
		if tellsToSkip(words) {
			return true
		}
	}
}

// tellsToSkip reports whether the words of a marker are one that skips, and names of
// pipelines alone.
func tellsToSkip(words []string) bool {
	if len(words) < 2 || len(words) > 4 {
		return false
	}
	skip := 0
	for i, word := range words {
		switch {
		case word == "skip", word == "no" && i == 0 && words[1] == "ci":
			skip++
		case len(words) > 2 && (word == "pre" || word == "commit" || word == "cf" || word == "pages"):
		case !pipelines(word):
			return false
		}
	}
	return skip == 1
}

func pipelines(word string) bool {
	switch word {
	case "ci", "travisci", "cirrus", "render", "semaphore", "actions", "azurepipelines", "azpipelines", "azp", "travis", "circleci", "appveyor", "netlify", "drone", "build", "builds", "cd", "pipeline", "tests", "test", "gitlab", "woodpecker", "buildkite", "vercel":
		return true
	}
	return false
}

func skipped() Verdict {
	return deny(RuleSkip, "the text tells the pipeline not to run its checks", "leave the marker out; the pull request needs the checks")
}
