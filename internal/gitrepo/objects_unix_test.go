//go:build unix

package gitrepo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// gone reports whether there is neither such a process nor a child of that id left.
func gone(pid int) bool {
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestObjectsCancelled(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	head := git(t, dir, "rev-parse", "HEAD")
	o := open(t, dir).Objects()
	defer o.Close()
	read := func(ctx context.Context, name string) error {
		_, _, err := o.File(ctx, head, name)
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := read(ctx, "README.md"); err != nil {
		t.Fatal(err)
	}
	pid := o.Process()
	if pid == 0 || gone(pid) {
		t.Fatalf("no process: %d", pid)
	}
	// Ended between two calls: the process is for others, too, until the next call.
	cancel()
	if err := read(ctx, "README.md"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !gone(pid) {
		t.Error("the process runs after the context has ended")
	}

	// Git waits for what never comes.
	blob := git(t, dir, "rev-parse", "HEAD:src/a.go")
	file := looseFile(filepath.Join(dir, ".git", "objects"), blob)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := read(t.Context(), "README.md"); err != nil {
		t.Fatal(err)
	}
	pid = o.Process()
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := read(ctx, "src/a.go")
	var e *gitrepo.Error
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &e) {
		t.Error(err)
	}
	if took := time.Since(began); took < 150*time.Millisecond || took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if !gone(pid) {
		t.Error("the process runs after the context has ended")
	}
	if err := read(t.Context(), "README.md"); err != nil {
		t.Errorf("after it: %v", err)
	}
	pid = o.Process()
	if err := o.Close(); err != nil || !gone(pid) {
		t.Errorf("after Close: %v", err)
	}
}

func TestObjectsTogether(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	o := open(t, dir).Objects()
	defer o.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i == 0 {
				cancel()
			}
			for range 20 {
				got, ok, err := o.File(ctx, "HEAD", "README.md")
				if i > 0 && (err != nil || !ok || string(got) != "hello\n") {
					t.Errorf("%q %v %v", got, ok, err)
				}
			}
		})
	}
	wg.Wait()
}
