package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/problem"
)

// wider lets asterweave-state, which has the clients of all providers and lies beside
// this program, answer an event that needs one.
func wider(ctx context.Context, event string, payload []byte) ([]byte, error) {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	if err != nil {
		return nil, problem.Wrap(problem.Failed, err, "doctor says what is missing")
	}
	c := exec.CommandContext(ctx, filepath.Join(filepath.Dir(own), "asterweave-state"+filepath.Ext(own)), "hook", event)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(payload), &out, &errs
	if err := c.Run(); err != nil {
		return nil, problem.Wrap(problem.Provider, fmt.Errorf("asterweave-state could not answer: %w: %s", err, strings.TrimSpace(errs.String())), "doctor says what is missing")
	}
	return out.Bytes(), nil
}
