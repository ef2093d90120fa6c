//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strings"

	"github.com/asterweave/asterweave/internal/messages"
)

// worker is the model in one conversation: it makes the calls that a step stands for,
// with the client's tools.
type worker struct {
	*messages.Conversation
	w    *world
	crew *crew
	asks bool // where a human speaks it puts a question, and does not end its turn
}

// fail ends the conversation; the test is told why.
func (m *worker) fail(format string, args ...any) {
	m.w.t.Helper()
	m.w.t.Errorf(format, args...)
	runtime.Goexit()
}

// bash runs a command in the client's shell.
func (m *worker) bash(command string) messages.ToolResult {
	return m.Use(bash(command))[0]
}

func bash(command string) messages.ToolUse {
	return messages.ToolUse{Name: "Bash", Input: map[string]any{"command": command, "description": "scripted", "timeout": 600000}}
}

// answer is what a worker reads of what asterweave-state prints.
type answer struct {
	OK    bool `json:"ok"`
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Evidence struct {
		Result  string `json:"result"`
		Summary string `json:"summary"`
		Because string `json:"because"`
	} `json:"evidence"`
	Next struct {
		Prompt string `json:"prompt"`
	} `json:"next"`
}

// state calls asterweave-state in the client's shell, with a document on its standard
// input when there is one.
func (m *worker) state(stdin json.RawMessage, args ...string) answer {
	m.w.t.Helper()
	command := stateCommand(args)
	if stdin != nil {
		command += " <<'DOCUMENT'\n" + string(stdin) + "\nDOCUMENT"
	}
	return m.answers(command)
}

func stateCommand(args []string) string {
	return commandLine(append([]string{"asterweave-state", "--json"}, args...))
}

// answers runs a command that ends with one of asterweave-state.
func (m *worker) answers(command string) answer {
	m.w.t.Helper()
	res := m.bash(command)
	var a answer
	start := strings.IndexByte(res.Text, '{')
	if start < 0 {
		m.fail("%s: no answer: %s\nPATH is %s", command, res.Text, m.bash("echo $PATH").Text)
	}
	if err := json.NewDecoder(strings.NewReader(res.Text[start:])).Decode(&a); err != nil {
		m.fail("%s: %v: %s", command, err, res.Text)
	}
	return a
}

// delegate gives an agent of the plugin a prompt and returns its last message.
func (m *worker) delegate(agent, prompt string) string {
	m.w.t.Helper()
	res := m.Use(delegation(agent, prompt))[0]
	if res.Error {
		m.fail("%s: %s", agent, res.Text)
	}
	return res.Text
}

func delegation(agent, prompt string) messages.ToolUse {
	return messages.ToolUse{Name: "Agent", Input: map[string]any{"description": agent, "prompt": prompt, "subagent_type": "asterweave:" + agent}}
}

// put writes a file as the client wants it: one that exists is read before it is
// edited.
func (m *worker) put(path string, data string) {
	m.w.t.Helper()
	read := m.Use(messages.ToolUse{Name: "Read", Input: map[string]any{"file_path": path}})[0]
	use := messages.ToolUse{Name: "Write", Input: map[string]any{"file_path": path, "content": data}}
	if !read.Error {
		before, err := m.w.file(path)
		if err != nil {
			m.fail("%v", err)
		}
		if before == data {
			return
		}
		use = messages.ToolUse{Name: "Edit", Input: map[string]any{"file_path": path, "old_string": before, "new_string": data}}
	}
	if res := m.Use(use)[0]; res.Error {
		m.fail("%s of %s: %s", use.Name, path, res.Text)
	}
}

// treeID is how a delegation names the tree that is to be reviewed.
var treeID = regexp.MustCompile(`"tree":\s*"([0-9a-f]{40,64})"`)

// review is a reviewer at work: every changed file is opened, and the last message
// ends with the verdict. The first time it forgets the verdict, and is sent back.
func (m *worker) review(kind string, verdict map[string]any) {
	m.w.t.Helper()
	block := m.block(kind, verdict)
	n := m.open()
	if back := m.Say("It looks good to me."); !strings.Contains(back.Prompt(), "the verdict cannot be used") {
		m.fail("a message without a verdict was followed by %q", back.Prompt())
	}
	m.End(fmt.Sprintf("I opened %d changed files.\n\n%s", n, block))
}

// verdict is a reviewer that opens every changed file and ends with a verdict.
func (m *worker) verdict(kind string, verdict map[string]any) {
	m.w.t.Helper()
	block := m.block(kind, verdict)
	n := m.open()
	m.End(fmt.Sprintf("I opened %d changed files.\n\n%s", n, block))
}

// open opens every changed file and returns how many there are.
func (m *worker) open() int {
	m.w.t.Helper()
	changed := m.bash("git diff --name-only origin/main && git ls-files --others --exclude-standard")
	files := strings.Fields(changed.Text)
	var reads []messages.ToolUse
	for _, f := range files {
		reads = append(reads, messages.ToolUse{Name: "Read", Input: map[string]any{"file_path": m.w.root + "/" + f}})
	}
	for i, res := range m.Use(reads...) {
		if res.Error {
			m.fail("read %s: %s", files[i], res.Text)
		}
	}
	return len(files)
}

// block is the verdict as a reviewer's last message ends with it.
func (m *worker) block(kind string, verdict map[string]any) string {
	m.w.t.Helper()
	tree := treeID.FindStringSubmatch(m.Request().Text())
	if tree == nil {
		m.fail("the delegation names no tree: %s", m.Request().Prompt())
	}
	all := map[string]any{"version": 1, "kind": kind, "tree": tree[1]}
	for k, v := range verdict {
		all[k] = v
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		m.fail("%v", err)
	}
	return "```json\n" + string(data) + "\n```"
}

// commandLine returns a command as a shell takes it.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
