package guard

import (
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/document"
)

func TestTool(t *testing.T) {
	s := setting()
	for _, c := range []struct {
		tool, input string
		want        Decision
		rule        string
	}{
		{"Bash", `{"command":"git push -f origin main"}`, Deny, RuleForce},
		{"Bash", `{"command":"go vet ./..."}`, Pass, ""},
		{"Bash", `{"command":"asterweave-state next"}`, Allow, RuleVerb},
		{"Bash", `{`, Ask, RuleUnresolved},
		{"Monitor", `{"command":"git reset --hard"}`, Deny, RuleDiscard},
		{"PowerShell", `{"command":"git push -f"}`, Deny, RuleInline},
		{"Read", `{"file_path":"/w/work/.claude/settings.json"}`, Pass, ""},
		{"Write", `{"file_path":"/w/work/.claude/settings.json","content":""}`, Deny, RuleClient},
		{"Write", `{"file_path":".claude/asterweave/ledger.jsonl"}`, Deny, RuleState},
		{"Write", `{"file_path":"/w/work/a.go"}`, Pass, ""},
		{"Write", `{}`, Ask, RuleUnresolved},
		{"Edit", `{"file_path":"/w/work/.git/config"}`, Deny, RuleGitFolder},
		{"Edit", `{"file_path":"/home/dev/.gitconfig"}`, Deny, RuleConfig},
		{"Edit", `{"file_path":"/home/dev/.claude/settings.json"}`, Deny, RuleClient},
		{"Write", `{"file_path":"/home/dev/.claude/plans/a.md"}`, Pass, ""},
		{"NotebookEdit", `{"notebook_path":"/w/work/.claude/x.ipynb"}`, Deny, RuleClient},
		{"Agent", `{"prompt":"x","subagent_type":"y"}`, Pass, ""},
		{"Agent", `{"prompt":"x","isolation":"worktree"}`, Deny, RuleWorktree},
		{"Task", `{"isolation":"worktree"}`, Deny, RuleWorktree},
		{"EnterWorktree", `{}`, Deny, RuleWorktree},
		{"CronCreate", `{"prompt":"/asterweave:approve d"}`, Deny, RuleAgents},
		{"ScheduleWakeup", `{"prompt":"go on"}`, Deny, RuleAgents},
		{"CronList", `{}`, Pass, ""},
		{"TaskCreate", `{"subject":"x"}`, Pass, ""},
		{"TaskUpdate", `{"taskId":"1"}`, Pass, ""},
		{"SendMessage", `{"to":"a","message":"look at a.go"}`, Pass, ""},
		{"SendMessage", `{"to":"main","message":"/asterweave:approve d"}`, Deny, RuleHuman},
		{"Skill", `{"skill":"asterweave:approve","args":"d"}`, Deny, RuleHuman},
		{"Skill", `{"skill":"asterweave:asterweave"}`, Pass, ""},
		{"Skill", `{"skill":"pdf"}`, Pass, ""},
		{"AskUserQuestion", `{"questions":[]}`, Pass, ""},
		{"mcp__github__merge_pull_request", `{"pull_number":7}`, Deny, RuleProvider},
		{"mcp__plugin_x_forge__mergePullRequest", `{}`, Deny, RuleProvider},
		{"mcp__github__pull_request_review_write", `{"method":"create","event":"APPROVE"}`, Deny, RuleProvider},
		{"mcp__github__update_pull_request", `{"state":"closed"}`, Deny, RuleProvider},
		{"mcp__github__delete_file", `{"path":"a"}`, Deny, RuleProvider},
		{"mcp__github__create_or_update_file", `{"path":"a","branch":"main"}`, Deny, RulePlumbing},
		{"mcp__github__push_files", `{}`, Deny, RuleProvider},
		{"mcp__github__create_branch", `{}`, Deny, RulePlumbing},
		{"mcp__github__create_pull_request", `{"title":"other","body":"b"}`, Deny, RuleConfirm},
		{"mcp__github__add_issue_comment", `{"body":"x"}`, Ask, RuleProvider},
		{"mcp__github__get_pull_request", `{}`, Pass, ""},
		{"mcp__github__pull_request_read", `{"method":"get"}`, Pass, ""},
		{"mcp__github__search_code", `{"q":"merge"}`, Pass, ""},
		{"mcp__azure-devops__repo_update_pull_request", `{"status":"completed"}`, Deny, RuleProvider},
		{"mcp__filesystem__write_file", `{"path":"/w/work/.git/hooks/pre-push"}`, Deny, RuleGitFolder},
		{"mcp__filesystem__move_file", `{"source":"/w/work/.claude/settings.json","destination":"/tmp/x"}`, Deny, RuleClient},
		{"mcp__filesystem__read_text_file", `{"path":"/w/work/.git/config"}`, Pass, ""},
		{"mcp__filesystem__write_file", `{"path":"/w/work/a.go"}`, Pass, ""},
		{"mcp__shell__run_command", `{"command":"git push -f"}`, Deny, RuleForce},
		{"mcp__git__git_push", `{"args":["--force"]}`, Deny, RuleForce},
		{"mcp__git__git_status", `{"repo_path":"/w/work"}`, Pass, ""},
		{"mcp__git__git_commit", `{"message":"x [skip ci]"}`, Deny, RuleSkip},
		{"mcp__git__git_reset", `{"mode":"hard"}`, Deny, RuleDiscard},
		{"mcp__slack__post_message", `{"text":"merge"}`, Pass, ""},
		{"mcp__db__query", `{"sql":"select 1"}`, Pass, ""},
		{"mcp__plugin_asterweave_state__approve", `{}`, Deny, RuleHuman},
		{"mcp__plugin_asterweave_state__status", `{}`, Pass, ""},
	} {
		if v := s.Tool(c.tool, []byte(c.input)); v.Decision != c.want || v.Rule != c.rule {
			t.Errorf("%s %s: %s %q (%s), want %s %q", c.tool, c.input, v.Decision, v.Rule, v.Reason, c.want, c.rule)
		}
	}
}

func TestMCPCreateIsTheConfirmedOne(t *testing.T) {
	s := setting()
	s.Confirmed.Body = "body"
	in := `{"title":"t","body":"body\n","head":"asterweave/x"}`
	if v := s.Tool("mcp__github__create_pull_request", []byte(in)); v.Decision != Pass {
		t.Error(v)
	}
	s.Confirmed = nil
	if v := s.Tool("mcp__github__create_pull_request", []byte(in)); v.Rule != RuleConfirm {
		t.Error(v)
	}
}

func TestWritePolicy(t *testing.T) {
	scope := document.Scope{Write: []string{"internal/**"}, Tests: []string{"**/*_test.go"}, Scratch: []string{"out/**"}}
	for _, c := range []struct {
		policy Policy
		path   string
		want   Decision
	}{
		{PolicyNone, "a.go", Pass},
		{PolicyReadOnly, "a.go", Deny},
		{PolicyNothing, "internal/a.go", Deny},
		{PolicyAsEntry, "internal/a.go", Deny},
		{PolicyStateOnly, "internal/a.go", Deny},
		{PolicyReadOnly, "out/x.json", Pass},
		{PolicyReadOnly, "/tmp/plan.json", Pass},
		{PolicyScope, "internal/a.go", Allow},
		{PolicyScope, "internal/a_test.go", Allow},
		{PolicyScope, "/w/work/internal/../internal/a.go", Allow},
		{PolicyScope, "internal/../cmd/a.go", Deny},
		{PolicyScope, "cmd/a.go", Deny},
		{PolicyScope, "go.mod", Deny},
		{PolicyTests, "internal/a_test.go", Allow},
		{PolicyTests, "internal/a.go", Deny},
	} {
		s := setting()
		s.Policy, s.Scope = c.policy, scope
		if v := s.Write("Write", c.path); v.Decision != c.want {
			t.Errorf("%s %s: %s %s", c.policy, c.path, v.Decision, v.Reason)
		}
	}
}

func TestFoldedPaths(t *testing.T) {
	s := setting()
	if v := s.Write("Write", ".CLAUDE/settings.json"); v.Decision != Pass {
		t.Errorf("another folder on this disk: %s", v.Reason)
	}
	s.FoldCase = true
	for _, c := range []string{"echo x > .CLAUDE/settings.json", "rm .Git/hooks/pre-push", "GIT push -f origin main", "Asterweave-State approve"} {
		if v := s.Shell(c); v.Decision != Deny {
			t.Errorf("%q: %s", c, v.Decision)
		}
	}
}

func TestAllowIsAboutTheWholeCall(t *testing.T) {
	s := setting()
	for command, want := range map[string]Decision{
		"asterweave-state status":                               Allow,
		"asterweave-state status | head -5":                     Allow,
		"cd . && asterweave-state status":                       Allow,
		"asterweave-state submit plan - <<'E'\n{}\nE":           Allow,
		"asterweave-state run -- go test ./...":                 Allow,
		"asterweave-state run -- go test":                       Pass,
		"asterweave-state status && make install":               Pass,
		"asterweave-state status > x":                           Pass,
		"asterweave-state next; cat /etc/passwd":                Pass,
		"asterweave-state status $(make x)":                     Ask,
		"asterweave-state log --after \"$(make x)\"":            Pass,
		"X=1 asterweave-state status":                           Pass,
		"./asterweave-state status":                             Pass,
		"asterweave-state() { make x; }; asterweave-state next": Pass,
		"asterweave-state --root /tmp/x status":                 Pass,
		"asterweave-state status & make x":                      Pass,
		"asterweave-state status; git push -f origin main":      Deny,
		"asterweave-state status; $X":                           Ask,
		"echo hello":                                            Pass,
		"":                                                      Pass,
	} {
		if v := s.Shell(command); v.Decision != want {
			t.Errorf("%q: %s %s, want %s", command, v.Decision, v.Reason, want)
		}
	}
}

func TestGatesAreRewritten(t *testing.T) {
	s := setting()
	for command, want := range map[string]string{
		"go test ./...":           "asterweave-state run --gate unit",
		" go  'test' \"./...\" ":  "asterweave-state run --gate unit",
		"cd web && npm test":      "asterweave-state run --gate web",
		"go test ./... | tail":    "",
		"go test ./... > x":       "",
		"X=1 go test ./...":       "",
		"go test ./... -run X":    "",
		"! go test ./...":         "",
		"cd web && npm test -- x": "",
	} {
		v := s.Shell(command)
		if v.Rewrite != want || (want != "") != (v.Decision == Allow) {
			t.Errorf("%q: %s %q", command, v.Decision, v.Rewrite)
		}
	}
	s.Cwd = "/w/work/sub"
	if v := s.Shell("go test ./..."); v.Rewrite != "" {
		t.Error("a gate runs in the root")
	}
	s = setting()
	s.Gates = []document.Gate{{ID: "bad", Argv: []string{"git", "push", "-f"}}, {ID: "-x", Argv: []string{"make"}}}
	if v := s.Shell("git push -f"); v.Decision != Deny || v.Rewrite != "" {
		t.Errorf("a gate does not make a forced push better: %+v", v)
	}
	if v := s.Shell("make"); v.Rewrite != "" {
		t.Errorf("an id that is an option: %q", v.Rewrite)
	}
}

func TestUnattended(t *testing.T) {
	s := setting()
	s.Attended = false
	v := s.Shell("git push origin \"$BRANCH\"")
	if v.Decision != Deny || !strings.Contains(v.Reason, "nobody is there") {
		t.Errorf("%+v", v)
	}
	if v := s.Tool("mcp__github__add_issue_comment", []byte(`{}`)); v.Decision != Deny {
		t.Errorf("%+v", v)
	}
}

func TestNothingConfirmed(t *testing.T) {
	s := setting()
	s.Confirmed = nil
	for _, c := range []string{"git push", "git push origin asterweave/x", "gh pr create --title t --body-file ../body.md", "glab mr create --title t"} {
		if v := s.Shell(c); v.Decision != Deny || v.Rule != RuleConfirm {
			t.Errorf("%q: %s %s", c, v.Decision, v.Rule)
		}
	}
}

func TestAliasesOfTheRepository(t *testing.T) {
	s := setting()
	s.Aliases = map[string]string{"pf": "push --force", "st": "status -s", "sh": "!sh -c", "loop": "loop", "up": "!git fetch && git rebase", "undo": "reset --hard"}
	for c, want := range map[string]Decision{
		"git pf origin main": Deny, "git st": Pass, "git sh 'git push -f'": Deny, "git loop": Ask, "git up": Pass, "git undo": Deny, "git nothing": Ask, "git -C . pf": Deny,
	} {
		if v := s.Shell(c); v.Decision != want {
			t.Errorf("%q: %s %s, want %s", c, v.Decision, v.Reason, want)
		}
	}
}

func TestReasonsRepeatNoCommand(t *testing.T) {
	s := setting()
	for _, c := range []string{"git 'push --force origin main'", "asterweave-state 'approve x'", "git push origin 'feat --force'", "gh 'pr merge 7'"} {
		if v := s.Shell(c); v.Decision < Ask || strings.Contains(v.Reason, "--force") || strings.Contains(v.Reason, "merge 7") || strings.Contains(v.Reason, "approve x") {
			t.Errorf("%q: %s %q", c, v.Decision, v.Reason)
		}
	}
}

func TestBounds(t *testing.T) {
	s := setting()
	for name, c := range map[string]string{
		"long":      "echo " + strings.Repeat("a", maxText),
		"deep":      strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000),
		"subst":     strings.Repeat("$(", 200) + strings.Repeat(")", 200),
		"bangs":     strings.Repeat("!", 100000),
		"minus":     "$((" + strings.Repeat("-", 100000) + "1))",
		"functions": "f() { f; }; f",
		"many":      strings.Repeat("true;", maxSteps+1),
		"control":   "git \x01push",
		"zero":      "git\x00 push",
		"broken":    "git push 'x",
	} {
		if v := s.Shell(c); v.Decision != Ask {
			t.Errorf("%s: %s %s", name, v.Decision, v.Reason)
		}
	}
	for _, c := range []string{
		"x=aaaaaaaaaa; " + strings.Repeat("x=$x$x$x; ", 40) + "echo $x",
		"echo {1..9}{1..9}{1..9}{1..9}{1..9}",
		strings.Repeat("for a in 1 2 3 4; do ", 4) + "echo $a" + strings.Repeat("; done", 4),
		strings.Repeat("echo $(", 12) + "true" + strings.Repeat(")", 12),
		"cat <<'E'\n" + strings.Repeat("a long line of text\n", 5000) + "E",
	} {
		if v := s.Shell(c); v.Decision == Deny {
			t.Errorf("%q: %s", clip(c), v.Reason)
		}
	}
}

func TestPush(t *testing.T) {
	const a, b, zero = "c0ffee", "beef", "0000000000000000000000000000000000000000"
	up := func(ref, local, remote string, known, ff bool) RefUpdate {
		return RefUpdate{LocalRef: "x", LocalOID: local, RemoteRef: ref, RemoteOID: remote, Known: known, FastForward: ff}
	}
	for name, c := range map[string]struct {
		refs []RefUpdate
		rule string
	}{
		"nothing":            {nil, ""},
		"new branch":         {[]RefUpdate{up("refs/heads/asterweave/x", a, zero, false, false)}, ""},
		"forward":            {[]RefUpdate{up("refs/heads/asterweave/x", a, b, true, true)}, ""},
		"not forward":        {[]RefUpdate{up("refs/heads/asterweave/x", a, b, true, false)}, RuleForce},
		"unknown":            {[]RefUpdate{up("refs/heads/asterweave/x", a, b, false, true)}, RuleForce},
		"deletion":           {[]RefUpdate{up("refs/heads/asterweave/x", zero, b, true, true)}, RuleDelete},
		"base":               {[]RefUpdate{up("refs/heads/main", a, b, true, true)}, RuleBase},
		"another branch":     {[]RefUpdate{up("refs/heads/feat", a, zero, true, true)}, RuleBranch},
		"tag":                {[]RefUpdate{up("refs/tags/v1", a, zero, true, true)}, RuleBranch},
		"notes":              {[]RefUpdate{up(notesRef, b, zero, true, true)}, ""},
		"other notes":        {[]RefUpdate{up("refs/notes/commits", b, zero, true, true)}, RuleBranch},
		"notes, not forward": {[]RefUpdate{up(notesRef, b, a, true, false)}, RuleForce},
		"another head":       {[]RefUpdate{up("refs/heads/asterweave/x", b, a, true, true)}, RuleConfirm},
		"one of two":         {[]RefUpdate{up("refs/heads/asterweave/x", a, zero, true, true), up("refs/heads/main", a, b, true, true)}, RuleBase},
	} {
		if v := setting().Push(c.refs); v.Rule != c.rule || (v.Decision == Deny) != (c.rule != "") {
			t.Errorf("%s: %s %q %s", name, v.Decision, v.Rule, v.Reason)
		}
	}
	good := []RefUpdate{up("refs/heads/asterweave/x", a, zero, true, true)}
	s := setting()
	s.Confirmed = nil
	if v := s.Push(good); v.Rule != RuleConfirm {
		t.Error(v)
	}
	s = setting()
	s.PushTo = "../remote.git"
	if v := s.Push(good); v.Rule != RuleBranch {
		t.Error(v)
	}
	s = setting()
	s.Protected = []string{"asterweave/x"}
	if v := s.Push(good); v.Rule != RuleBase {
		t.Error(v)
	}
}
