package guard

import (
	"slices"
	"strings"
)

// mcp judges a tool of a server by its name, and by files and commands in its input.
func (s Situation) mcp(name string, in map[string]any) Verdict {
	parts := strings.SplitN(strings.TrimPrefix(name, "mcp__"), "__", 2)
	server, tool := strings.ToLower(parts[0]), ""
	if len(parts) == 2 {
		tool = strings.ToLower(strings.ReplaceAll(parts[1], "-", "_"))
	}
	words := toolWords(parts[len(parts)-1])
	if strings.Contains(server, "asterweave") {
		if slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains([]string{"approve", "reject", "reply", "steer", "resume", "abort", "hook"}, w)
		}) {
			return deny(RuleHuman, "this is a person's word", "a person says it in the client; asterweave-state inbox shows what waits for them")
		}
		return Verdict{}
	}
	if strings.HasPrefix(tool, "git_") || server == "git" {
		return s.mcpGit(strings.TrimPrefix(tool, "git_"), in)
	}
	for _, key := range []string{"command", "cmd", "script"} {
		if c, ok := in[key].(string); ok && (slices.ContainsFunc(words, runsWord) || key == "command") {
			if v := s.Shell(c); v.Decision >= Ask {
				return v
			}
		}
	}
	if len(words) == 0 || readsWord(words[0]) && !method(in) {
		return Verdict{}
	}
	if v := s.mcpFiles(tool, in); v.Decision != Pass {
		return v
	}
	return s.mcpProvider(server, words, in)
}

// method reports whether the input asks for an HTTP method that writes.
func method(in map[string]any) bool {
	m, _ := in["method"].(string)
	switch strings.ToUpper(m) {
	case "PUT", "POST", "PATCH", "DELETE":
		return true
	}
	return false
}

// toolWords splits merge_pull_request, merge-pull-request and mergePullRequest alike.
func toolWords(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
}

func readsWord(w string) bool {
	switch w {
	case "get", "list", "read", "search", "view", "find", "fetch", "describe", "download", "show", "query", "count", "check", "status", "diff", "log":
		return true
	}
	return false
}

func runsWord(w string) bool {
	switch w {
	case "run", "exec", "execute", "shell", "bash", "command", "process", "terminal":
		return true
	}
	return false
}

// mcpFiles judges the paths in the input of a tool that writes.
func (s Situation) mcpFiles(tool string, in map[string]any) Verdict {
	var out Verdict
	for key, v := range in {
		if !strings.Contains(key, "path") && !strings.Contains(key, "file") && key != "destination" && key != "source" && key != "uri" && key != "directory" {
			continue
		}
		list, _ := v.([]any)
		if t, ok := v.(string); ok {
			list = append(list, t)
		}
		for _, item := range list {
			t, ok := item.(string)
			if !ok || t == "" || strings.Contains(t, "\n") {
				continue
			}
			if j := s.Write(tool, strings.TrimPrefix(t, "file://")); j.Decision > out.Decision {
				out = j
			}
		}
	}
	return out
}

// mcpProvider judges the writes of a provider's server.
func (s Situation) mcpProvider(server string, words []string, in map[string]any) Verdict {
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	about := has("pull", "pr", "mr", "issue", "repository", "repo", "branch", "workflow", "ruleset", "release", "commit", "ref", "pipeline", "review", "merge", "file", "files", "secret", "protection", "comment", "tag", "work")
	known := false
	for _, k := range []string{"github", "gitlab", "azure", "ado", "bitbucket", "gitea", "forge", "devops"} {
		known = known || strings.Contains(server, k)
	}
	text := strings.ToUpper(text1(in, "event")) + strings.ToLower(text1(in, "state")+text1(in, "status")+text1(in, "vote")+text1(in, "method"))
	switch {
	case !known && (!about || !has("merge", "approve", "dismiss")):
		return Verdict{}
	case s.announcedMCP(words, strings.Contains(server, "azure") || strings.Contains(server, "ado") || strings.Contains(server, "devops"), in):
		return Verdict{}
	case words[len(words)-1] == "read" || words[len(words)-1] == "get":
		return Verdict{}
	case has("merge", "automerge", "approve", "dismiss", "delete", "close", "disable", "enable", "protection", "ruleset", "secret", "bypass", "vote", "push", "collaborator", "fork", "transfer", "archive", "cancel"),
		strings.Contains(text, "APPROVE"), strings.Contains(text, "closed"), strings.Contains(text, "completed"), strings.Contains(text, "abandoned"):
		return providerWrite("this changes something at the provider that only a person changes")
	case has("branch", "ref", "refs", "tag", "release") || has("file", "files") && has("create", "update", "write", "upsert"):
		return deny(RulePlumbing, "refs and files at the provider are written past Git's own hook", hintPush)
	case has("create", "open", "new") && (has("pull", "pr", "mr") || has("merge") && has("request")) && !has("comment", "review", "thread"):
		return s.mcpCreate(in)
	}
	return providerAsk("this change at the provider")
}

func text1(in map[string]any, key string) string {
	v, _ := in[key].(string)
	return v
}

// mcpCreate judges a new pull request: it is the confirmed one, or none.
func (s Situation) mcpCreate(in map[string]any) Verdict {
	c := s.Confirmed
	if c == nil {
		return deny(RuleConfirm, "no pull request is confirmed", "announce it with asterweave-state intend pr, and wait for a person to confirm it")
	}
	body := text1(in, "body") + text1(in, "description")
	head := text1(in, "head") + text1(in, "source_branch") + text1(in, "sourceRefName")
	to := text1(in, "base") + text1(in, "target_branch") + text1(in, "targetRefName")
	base := c.Base
	if base == "" {
		base = s.Base
	}
	if place := text1(in, "owner") + "/" + text1(in, "repo"); place != "/" {
		if _, _, forge := slug(s.RemoteURL); forge && !(Write{Repo: place}).isRemote(s.RemoteURL) || foreign(head, s.RemoteURL) {
			return deny(RuleConfirm, "the repository is not the one that a person confirmed", "use the confirmed pull request as it is")
		}
	}
	if to != "" && strings.TrimPrefix(to, "refs/heads/") != base {
		return deny(RuleConfirm, "the base is not the one that a person confirmed", "use the confirmed pull request as it is")
	}
	if text1(in, "title") != c.Title || c.Body == "" || strings.TrimSpace(body) != strings.TrimSpace(c.Body) || head != "" && short(head) != s.Branch {
		return deny(RuleConfirm, "title, body or branch is not the one that a person confirmed", "use the confirmed pull request as it is")
	}
	return Verdict{}
}

// mcpGit judges a server that wraps git.
func (s Situation) mcpGit(verb string, in map[string]any) Verdict {
	args := []string{"git", strings.ReplaceAll(verb, "_", "-")}
	for _, key := range []string{"mode", "args", "flags", "options", "remote", "branch", "branch_name", "ref", "refspec", "message", "files", "paths"} {
		switch v := in[key].(type) {
		case string:
			if key == "mode" {
				v = "--" + v
			}
			if key == "message" {
				args = append(args, "-m")
			}
			if v != "" {
				args = append(args, v)
			}
		case []any:
			for _, x := range v {
				if t, ok := x.(string); ok {
					args = append(args, t)
				}
			}
		}
	}
	for _, key := range []string{"force", "hard", "delete", "no_verify", "noVerify", "tags", "all", "mirror"} {
		if on, _ := in[key].(bool); on {
			args = append(args, "--"+strings.ReplaceAll(strings.ReplaceAll(key, "_", "-"), "noV", "no-v"))
		}
	}
	for i := range args {
		args[i] = quote(args[i])
	}
	switch verb {
	case "diff_staged", "diff_unstaged", "create_branch", "set_working_dir":
		return Verdict{}
	}
	if v := s.Shell(strings.Join(args, " ")); v.Decision >= Ask {
		return v
	}
	return Verdict{}
}
