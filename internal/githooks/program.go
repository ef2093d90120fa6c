package githooks

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
