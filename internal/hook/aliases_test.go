package hook_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGitsAliases: what an alias stands for is judged; one that cannot be told is asked
// about, as before.
func TestGitsAliases(t *testing.T) {
	w := at(t, "review")
	home := t.TempDir()
	config := filepath.Join(w.root, ".git", "config")
	own, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	nested := filepath.Join(t.TempDir(), "other")
	if _, err := git(w.root, "init", "-q", nested); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		repo, home, worktree string
		environ              []string
		command, decision    string
	}{
		"unknown":                         {command: "git st", decision: "ask"},
		"harmless":                        {repo: "[alias]\n\tst = status -s\n", command: "git st"},
		"another case":                    {repo: "[ALIAS]\n\tSt = status -s # short\n", command: "git st"},
		"a forced push":                   {repo: "[alias]\n\tup = push --force\n", command: "git up origin feature", decision: "deny"},
		"in quotes":                       {repo: "[alias]\n\tup = \"push --fo\"rce ; not hidden\n", command: "git up origin feature", decision: "deny"},
		"over two lines":                  {repo: "[alias]\n\tup = push \\\n--force\n", command: "git up origin feature", decision: "deny"},
		"of the shell":                    {home: "[alias]\n\tup = \"!git push --force\"\n", command: "git up origin feature", decision: "deny"},
		"of the user":                     {home: "[alias]\n\tst = status\n", command: "git st"},
		"of the user, but the repository": {home: "[alias]\n\tst = status\n", repo: "[alias]\n\tst = push --force\n", command: "git st origin feature", decision: "deny"},
		"of the worktree":                 {repo: "[alias]\n\tst = status\n", worktree: "[alias]\n\tst = push --force\n", command: "git st origin feature", decision: "deny"},
		"in an included file":             {repo: "[alias]\n\tst = status\n[include]\n\tpath = other\n", command: "git st", decision: "ask"},
		"in a file for some":              {home: "[includeIf \"gitdir:~/\"]\n\tpath = other\n", repo: "[alias]\n\tst = status\n", command: "git st", decision: "ask"},
		"a line that cannot be read":      {repo: "[alias]\n\tst = status\n\tx = \"no end\n", command: "git st", decision: "ask"},
		"an escape that is none":          {repo: "[alias]\n\tst = sta\\tus\\x\n", command: "git st", decision: "ask"},
		"behind the section's name":       {repo: "[alias] st = status\n", command: "git st", decision: "ask"},
		"a subsection":                    {repo: "[alias]\n\tst = status\n[alias \"st\"]\n\tcommand = push\n", command: "git st", decision: "ask"},
		"from the environment":            {repo: "[alias]\n\tst = status\n", environ: []string{"GIT_CONFIG_COUNT=1"}, command: "git st", decision: "ask"},
		"of another repository":           {repo: "[alias]\n\tst = status\n", command: "git -C " + nested + " st", decision: "ask"},
		"nobody knows of which one":       {repo: "[alias]\n\tst = status\n", command: "cd $X && git st", decision: "ask"},
		"another section":                 {repo: "[alias]\n[user]\n\tst = status\n", command: "git st", decision: "ask"},
		"a command of Git by that name":   {repo: "[alias]\n\tstatus = push --force\n", command: "git status"},
	} {
		write(t, config, string(own)+c.repo)
		write(t, filepath.Join(home, ".gitconfig"), c.home)
		write(t, filepath.Join(w.root, ".git", "config.worktree"), c.worktree)
		w.environ = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, c.environ...)
		if decision, reason, _ := w.tool("Bash", fields{"command": c.command}, nil); decision != c.decision {
			t.Errorf("%s: %q (%s)", name, decision, reason)
		}
	}
}
