//go:build unix

package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C"}
}

func shell(t *testing.T, text string, change func(*Spec)) Outcome {
	t.Helper()
	spec := Spec{Shell: text, Dir: t.TempDir(), Env: environment(), Timeout: time.Minute}
	if change != nil {
		change(&spec)
	}
	return Run(t.Context(), spec)
}

func TestRunReportsWhatHappened(t *testing.T) {
	var stream bytes.Buffer
	out := shell(t, "echo out; echo err >&2; echo more; exit 7", func(s *Spec) { s.Stream = &stream })
	if out.Exit != 7 || out.StartErr != "" || out.TimedOut || out.Left || out.Signal != "" {
		t.Errorf("outcome %+v", out)
	}
	if want := "out\nerr\nmore\n"; string(out.Output) != want || stream.String() != want || out.Total != int64(len(want)) {
		t.Errorf("output %q, stream %q, total %d", out.Output, stream.String(), out.Total)
	}
	if got := strings.Join(out.Argv, " "); got != "bash -o pipefail -c echo out; echo err >&2; echo more; exit 7" {
		t.Errorf("argv %q", got)
	}
	if !filepath.IsAbs(out.Program) || filepath.Base(out.Program) != "bash" || out.Duration <= 0 {
		t.Errorf("program %q, duration %v", out.Program, out.Duration)
	}
}

func TestRunShowsTheHiddenStatusOfAPipe(t *testing.T) {
	if out := shell(t, "false | cat", nil); out.Exit != 1 {
		t.Errorf("exit %d", out.Exit)
	}
}

func TestRunInheritsNothing(t *testing.T) {
	t.Setenv("ASTERWEAVE_LEAK", "1")
	out := shell(t, "env; cat; test -t 0 || echo no terminal", nil)
	if strings.Contains(string(out.Output), "LEAK") || !strings.Contains(string(out.Output), "no terminal") {
		t.Errorf("output %q", out.Output)
	}
	if out := shell(t, "exec 3</dev/tty && echo asked", nil); strings.Contains(string(out.Output), "asked\n") {
		t.Errorf("a terminal was there: %q", out.Output)
	}
	none := Run(t.Context(), Spec{Argv: []string{"/usr/bin/env"}})
	if none.Exit != 0 || len(none.Output) != 0 {
		t.Errorf("without an environment: exit %d, %q", none.Exit, none.Output)
	}
}

func TestRunSaysWhyItCannotStart(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := map[string]struct {
		spec Spec
		exit int
		want string
	}{
		"empty":          {Spec{}, 126, "the command is empty"},
		"both":           {Spec{Argv: []string{"true"}, Shell: "true"}, 126, "both"},
		"unknown name":   {Spec{Argv: []string{"no-such-program"}}, 127, "no-such-program"},
		"unknown path":   {Spec{Argv: []string{"./no-such"}}, 127, "no such file"},
		"below a file":   {Spec{Argv: []string{write("plain", "", 0o644) + "/x"}}, 126, "not a directory"},
		"a folder":       {Spec{Argv: []string{dir}}, 126, "is a directory"},
		"not executable": {Spec{Argv: []string{write("data", "x", 0o644)}}, 126, "permission denied"},
		"no program":     {Spec{Argv: []string{write("garbage", "\x7fnonsense", 0o755)}}, 126, "format"},
		"no interpreter": {Spec{Argv: []string{write("script", "#!/no/such\n", 0o755)}}, 127, "no such file"},
		"no folder":      {Spec{Argv: []string{"true"}, Dir: filepath.Join(dir, "none")}, 127, "folder"},
		"zero byte":      {Spec{Argv: []string{"true", "a\x00b"}}, 126, "invalid argument"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.spec.Env = environment()
			if c.spec.Dir == "" {
				c.spec.Dir = dir
			}
			out := Run(t.Context(), c.spec)
			if out.Exit != c.exit || !strings.Contains(out.StartErr, c.want) {
				t.Errorf("exit %d, %q; want %d, %q", out.Exit, out.StartErr, c.exit, c.want)
			}
		})
	}
}

func TestRunNamesTheSignal(t *testing.T) {
	if out := shell(t, "kill -KILL $$", nil); out.Exit != 137 || out.Signal != "SIGKILL" {
		t.Errorf("exit %d, signal %q", out.Exit, out.Signal)
	}
}

// sleeper starts a child that sleeps, optionally changed by a prefix, and writes
// its process id to the file "pid".
func sleeper(prefix string) string {
	return prefix + ` sh -c 'echo $$ >pid; exec sleep 60' & while ! test -s pid; do :; done;`
}

// ended reports whether the process named in dir/pid ends soon.
func ended(t *testing.T, dir string) bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

func TestRunEndsTheWholeGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	cases := map[string]struct {
		text    string
		timeout time.Duration
		most    time.Duration
		check   func(Outcome) bool
	}{
		"on timeout": {
			sleeper("") + "echo started; wait", 1500 * time.Millisecond, 40 * time.Second,
			func(o Outcome) bool { return o.TimedOut && o.Exit == 143 && string(o.Output) == "started\n" },
		},
		"on timeout, although it ignores the polite signal": {
			`trap "" TERM; ` + sleeper("") + "while :; do sleep 1; done", 1500 * time.Millisecond, 40 * time.Second,
			func(o Outcome) bool { return o.TimedOut && o.Exit == 137 },
		},
		"on timeout, although it stopped itself": {
			sleeper("") + "kill -STOP $$", 1500 * time.Millisecond, 40 * time.Second,
			func(o Outcome) bool { return o.TimedOut },
		},
		"when a child holds the output": {
			sleeper("") + "exit 3", time.Minute, 45 * time.Second,
			func(o Outcome) bool { return o.Exit == 3 && o.Left && !o.TimedOut },
		},
		"when a child is silent": {
			sleeper("") + "exit 0", time.Minute, 45 * time.Second,
			func(o Outcome) bool { return o.Exit == 0 && o.Left },
		},
		"when a child in another session holds the output": {
			sleeper("setsid") + "exit 0", time.Minute, 45 * time.Second,
			func(o Outcome) bool { return o.Exit == 0 && o.Left },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := c.text
			if name == "when a child is silent" {
				text = strings.Replace(text, "sleep 60'", "sleep 60' >/dev/null 2>&1", 1)
			}
			began := time.Now()
			out := Run(t.Context(), Spec{Shell: text, Dir: dir, Env: environment(), Timeout: c.timeout})
			if took := time.Since(began); took > c.most || !c.check(out) {
				t.Errorf("after %v: %+v, output %q", took, out, out.Output)
			}
			if !ended(t, dir) {
				t.Error("the child still lives")
			}
		})
	}
}

func TestRunWaitsForTheLastWordsOfAChild(t *testing.T) {
	out := shell(t, "(sleep 0.3; echo last words) & exit 0", nil)
	if string(out.Output) != "last words\n" || out.Left {
		t.Errorf("left %v, output %q", out.Left, out.Output)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	out := Run(ctx, Spec{Argv: []string{"sleep", "60"}, Env: environment()})
	if !out.Canceled || out.TimedOut || out.Exit != 143 || out.Duration > 40*time.Second {
		t.Errorf("outcome %+v", out)
	}
	out = Run(ctx, Spec{Argv: []string{"true"}, Env: environment()})
	if !out.Canceled || out.StartErr == "" {
		t.Errorf("with a dead context: %+v", out)
	}
}

func TestRunKeepsHeadAndTailOfMuchOutput(t *testing.T) {
	const size = 200 << 20
	var counted countingWriter
	out := shell(t, fmt.Sprintf("echo the head; head -c %d /dev/zero; echo; echo the tail", size),
		func(s *Spec) { s.Cap, s.Stream = 64<<10, &counted })
	text := string(out.Output)
	if out.Exit != 0 || out.Total < size || int64(counted) != out.Total {
		t.Fatalf("exit %d, total %d, streamed %d", out.Exit, out.Total, counted)
	}
	if len(text) > 66<<10 || !strings.HasPrefix(text, "the head\n") || !strings.HasSuffix(text, "\nthe tail\n") {
		t.Errorf("%d bytes kept", len(text))
	}
	cut := out.Total - 64<<10
	if !strings.Contains(text, fmt.Sprintf("%d bytes of output left out", cut)) {
		t.Error("the cut is not stated")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 50<<20 {
		t.Errorf("%d bytes on the heap", m.HeapAlloc)
	}
}

type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

func TestRunKeepsBinaryOutputAndSurvivesABrokenStream(t *testing.T) {
	out := shell(t, `printf '\000\377\n\033[0m'`, func(s *Spec) { s.Stream = brokenWriter{} })
	if out.Exit != 0 || string(out.Output) != "\x00\xff\n\x1b[0m" {
		t.Errorf("exit %d, output %q", out.Exit, out.Output)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestKeeperAgreesWithAPlainBuffer compares the ring with slicing, for every size
// around its edges.
func TestKeeperAgreesWithAPlainBuffer(t *testing.T) {
	for limit := int64(2); limit <= 8; limit += 2 {
		for total := range 30 {
			for chunk := 1; chunk <= 12; chunk++ {
				k := newKeeper(limit, nil)
				var all []byte
				for len(all) < total {
					p := make([]byte, min(chunk, total-len(all)))
					for i := range p {
						p[i] = byte('a' + (len(all)+i)%26)
					}
					k.add(p)
					all = append(all, p...)
				}
				got, n := k.bytes()
				want := string(all)
				if cut := total - int(limit); cut > 0 {
					want = fmt.Sprintf("%s\n[… %d bytes of output left out …]\n%s", all[:limit/2], cut, all[total-int(limit/2):])
				}
				if string(got) != want || n != int64(total) {
					t.Fatalf("limit %d, total %d, chunk %d: %q, want %q", limit, total, chunk, got, want)
				}
			}
		}
	}
}
