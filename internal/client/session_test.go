//go:build unix

package client

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is also a client of its own kind: where a test asks for it, this program
// speaks the control protocol instead of running tests. What it does is what it is
// told by the prompts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-p" {
		os.Exit(fake())
	}
	os.Exit(m.Run())
}

func fake() int {
	say := func(v any) {
		data, _ := json.Marshal(v)
		fmt.Println(string(data))
	}
	result := func(text string) { say(map[string]any{"type": "result", "subtype": "success", "result": text}) }
	fmt.Println("no JSON")
	say(map[string]any{"type": "system", "subtype": "init", "session_id": "s1", "plugins": []map[string]string{{"name": "p", "path": "/p"}}})
	if !slices.Contains(os.Args, "--input-format") {
		result(os.Args[2])
		return 0
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var in struct {
			Type    string
			Message struct{ Content string }
		}
		_ = json.Unmarshal(lines.Bytes(), &in)
		verb, arg, _ := strings.Cut(in.Message.Content, " ")
		switch {
		case in.Type == "control_response":
			result(lines.Text())
		case verb == "ask":
			say(map[string]any{"type": "control_request", "request_id": "r1", "request": map[string]any{
				"subtype": "can_use_tool", "tool_name": arg, "agent_id": "a1",
				"input": map[string]any{"questions": []map[string]any{{"question": "Which?", "options": []map[string]string{{"label": "Left"}, {"label": "Right"}}}}},
			}})
		case verb == "other":
			say(map[string]any{"type": "control_request", "request_id": "r2", "request": map[string]any{"subtype": "something_new"}})
		case verb == "environment":
			result(strings.Join(os.Environ(), "\n"))
		case verb == "dial":
			c, err := net.DialTimeout("tcp4", arg, time.Second)
			if err == nil {
				_ = c.Close()
			}
			result(fmt.Sprint(err))
		case verb == "child":
			cmd := exec.Command("sleep", "600")
			_ = cmd.Start()
			result(strconv.Itoa(cmd.Process.Pid))
		case verb == "die":
			fmt.Fprintln(os.Stderr, "I give up")
			return 7
		case verb == "silence":
		default:
			result("you said " + in.Message.Content)
		}
	}
	return 0
}

func options(t *testing.T) Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewNetwork()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return Options{Program: self, Network: n, Dir: t.TempDir(), Home: t.TempDir(), Wait: 20 * time.Second}
}

func startFake(t *testing.T, o Options) *Session {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func say(t *testing.T, s *Session, text string) string {
	t.Helper()
	r, err := s.Say(t.Context(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r.Text
}

func TestSession(t *testing.T) {
	s := startFake(t, options(t))
	if got := say(t, s, "hello"); got != "you said hello" {
		t.Errorf("got %q", got)
	}
	for _, c := range []struct {
		name       string
		permission func(Permission) error
		question   func(Question) string
		ask, want  string
	}{
		{"nobody is there", nil, nil, "ask Bash", `"behavior":"deny"`},
		{"no", func(Permission) error { return errors.New("not today") }, nil, "ask Bash", "not today"},
		{"yes", func(p Permission) error {
			if p.Tool != "Bash" || p.Agent != "a1" {
				return fmt.Errorf("it is %+v", p)
			}
			return nil
		}, nil, "ask Bash", `"behavior":"allow"`},
		{"an answer", nil, func(q Question) string { return q.Options[1].Label }, "ask AskUserQuestion", `"answers":{"Which?":"Right"}`},
		{"no answer", nil, func(Question) string { return "" }, "ask AskUserQuestion", `"behavior":"deny"`},
	} {
		if c.permission != nil {
			s.OnPermission(c.permission)
		}
		if c.question != nil {
			s.OnQuestion(c.question)
		}
		if got := say(t, s, c.ask); !strings.Contains(got, c.want) || !strings.Contains(got, `"request_id":"r1"`) {
			t.Errorf("%s: the client got %s, want %s", c.name, got, c.want)
		}
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	events := s.Transcript()
	if got, ok := events.Init(); !ok || got.Session != "s1" || got.Plugins[0].Name != "p" {
		t.Errorf("init %+v", got)
	}
	if got := events.Results(); len(got) != 6 {
		t.Errorf("%d results, want 6", len(got))
	}
}

func TestUnknownRequestIsTold(t *testing.T) {
	s := startFake(t, options(t))
	if got := say(t, s, "other"); !strings.Contains(got, `"subtype":"error"`) {
		t.Errorf("the client got %s", got)
	}
	if err := s.Wait(); err == nil || !strings.Contains(err.Error(), "something_new") {
		t.Errorf("got %v", err)
	}
}

func TestTimeLimit(t *testing.T) {
	o := options(t)
	o.Wait = 100 * time.Millisecond
	s := startFake(t, o)
	if _, err := s.Say(t.Context(), "silence"); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("got %v", err)
	}
	s.Stop()
	if err := s.Wait(); err == nil {
		t.Error("a client that was stopped ended well")
	}
}

func TestClientThatDies(t *testing.T) {
	s := startFake(t, options(t))
	_, err := s.Say(t.Context(), "die")
	if err == nil || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "I give up") {
		t.Errorf("got %v", err)
	}
	if err := s.Wait(); err == nil {
		t.Error("it ended well")
	}
}

// What a client leaves behind in its group ends with it.
func TestChildrenEnd(t *testing.T) {
	if !keepsGroups {
		t.Skip("groups are not ended on this system")
	}
	s := startFake(t, options(t))
	pid, err := strconv.Atoi(say(t, s, "child"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	for range 100 {
		if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// Nothing of the user's reaches a client but what is on the list.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "HTTPS_PROXY", "AWS_SECRET_ACCESS_KEY", "GH_TOKEN", "SSH_AUTH_SOCK"} {
		t.Setenv(name, "of the user")
	}
	o := options(t)
	o.Set = []string{"GOPROXY=off"}
	s := startFake(t, o)
	got := say(t, s, "environment")
	if strings.Contains(got, "of the user") {
		t.Errorf("the client got\n%s", got)
	}
	for _, want := range []string{"HOME=" + o.Home, "ANTHROPIC_BASE_URL=" + o.Network.URL(), "ANTHROPIC_API_KEY=" + dummyKey, "DISABLE_TELEMETRY=1", "GOPROXY=off", "PATH="} {
		if !strings.Contains(got, want) {
			t.Errorf("the client lacks %s", want)
		}
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
}

// A client in its own network reaches the stand-in and nothing else, not even what
// listens on the machine's loopback.
func TestNetwork(t *testing.T) {
	o := options(t)
	isolated, why := o.Network.Isolated()
	if !isolated {
		t.Skipf("no isolation here: %s", why)
	}
	outside, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	s := startFake(t, o)
	if got := say(t, s, "dial "+o.Network.Listener().Addr().String()); got != "<nil>" {
		t.Errorf("the stand-in is not reached: %s", got)
	}
	for _, addr := range []string{outside.Addr().String(), "192.0.2.1:443"} {
		if got := say(t, s, "dial "+addr); got == "<nil>" {
			t.Errorf("%s is reached", addr)
		}
	}
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp4", outside.Addr().String()); err != nil {
		t.Errorf("the test's own network is gone: %v", err)
	} else {
		_ = c.Close()
	}
}

func TestPrint(t *testing.T) {
	events, err := Print(t.Context(), options(t), "say this")
	if err != nil {
		t.Fatal(err)
	}
	if got := events.Results(); len(got) != 1 || got[0].Text != "say this" {
		t.Errorf("got %+v", got)
	}
}

// Without npm, or without a registry, there is one line that says so.
func TestUnavailable(t *testing.T) {
	t.Setenv(CacheVariable, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	_, err := Install(t.Context(), Version)
	if !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), "\n") {
		t.Errorf("without npm: %v", err)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\necho 'npm error code ENOTFOUND'\necho more\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	_, err = Install(t.Context(), Version)
	if !errors.Is(err, ErrUnavailable) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "ENOTFOUND") {
		t.Errorf("without a registry: %v", err)
	}
	left, err := os.ReadDir(os.Getenv(CacheVariable))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
