package githooks

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// state is the program that judges.
const state = "asterweave-state"

// Program returns the full path of the program that judges: the one beside the program
// that is running, else the first on PATH.
func Program() (string, error) {
	name := state
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if to, err := filepath.EvalSymlinks(self); err == nil {
			self = to
		}
		if beside := filepath.Join(filepath.Dir(self), name); runnable(beside) {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return "", errors.New("the program that judges pushes, " + state + ", is neither beside this one nor on PATH")
	}
	return found, nil
}

// Named returns the program that a hook of ours asks, "" where the file names none that
// could judge: another build than the one that looks may have written it.
func Named(hook string) string {
	b, err := os.ReadFile(hook)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		word, ok := strings.CutPrefix(lines.Text(), "program='")
		if !ok || !strings.HasSuffix(word, "'") {
			continue
		}
		program := strings.ReplaceAll(strings.TrimSuffix(word, "'"), `'\''`, "'")
		if strings.TrimSuffix(filepath.Base(program), ".exe") == state {
			return program
		}
		return ""
	}
	return ""
}
