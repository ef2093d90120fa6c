package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	toolTimeout = 20 * time.Second
	toolCap     = 64 << 10
	toolLine    = 200 // bytes of a version line
)

// Tools asks every tool (a command such as "go version") for its version, in dir
// and with env, and returns the first line of each output that is not empty, after
// a line with the operating system and the architecture. A tool that cannot start
// or fails has a line that says so. The digest is of all lines, in lower-case hex
// digits.
func Tools(ctx context.Context, dir string, tools [][]string, env []string) (digest string, lines []string) {
	lines = []string{"os: " + runtime.GOOS + "/" + runtime.GOARCH}
	for _, argv := range tools {
		out := Run(ctx, Spec{Argv: argv, Dir: dir, Env: env, Timeout: toolTimeout, Cap: toolCap})
		lines = append(lines, strings.Join(argv, " ")+": "+toolText(out))
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:]), lines
}

func toolText(out Outcome) string {
	switch {
	case out.StartErr != "":
		return "cannot start: " + out.StartErr
	case out.TimedOut:
		return "timed out"
	case out.Exit != 0:
		return fmt.Sprintf("exit status %d", out.Exit)
	}
	for line := range bytes.Lines(out.Output) {
		text := strings.TrimSpace(strings.ToValidUTF8(string(line), string(utf8.RuneError)))
		if text != "" {
			return text[:min(len(text), toolLine)]
		}
	}
	return "no output"
}
