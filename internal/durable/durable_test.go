package durable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/durable"
	"github.com/asterweave/asterweave/internal/durable/faulty"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names lists a folder, so that leftovers show.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// extend adds to a file that is there.
func extend(d durable.Disk, path string, data []byte) error {
	f, err := d.FS.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		err = durable.Extend(f, info.Size(), data, true)
	}
	return errors.Join(err, f.Close())
}

func TestTheStepsOfEachOperation(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(d durable.Disk, dir string) error
		want string
	}{
		"WriteAtomic": {func(d durable.Disk, dir string) error {
			return d.WriteAtomic(filepath.Join(dir, "f"), []byte("new"), 0o600)
		}, "create write sync rename syncdir"},
		"WriteCache": {func(d durable.Disk, dir string) error {
			return d.WriteCache(filepath.Join(dir, "f"), []byte("new"))
		}, "create write rename"},
		"Extend": {func(d durable.Disk, dir string) error {
			return extend(d, filepath.Join(dir, "f"), []byte("new"))
		}, "open write sync"},
		"MkdirAll": {func(d durable.Disk, dir string) error {
			return d.MkdirAll(filepath.Join(dir, "a", "b"), 0o755)
		}, "mkdir syncdir mkdir syncdir"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		disk := faulty.New(faulty.Fault{})
		if err := c.do(durable.Disk{FS: disk}, dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(disk.Calls(), " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestTheOperatingSystem(t *testing.T) {
	var disk durable.Disk
	dir := t.TempDir()
	sub, f := filepath.Join(dir, "a", "b"), filepath.Join(dir, "a", "b", "f")
	if err := disk.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := disk.MkdirAll(sub, 0o755); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := disk.WriteAtomic(f, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := extend(durable.Disk{FS: durable.OS()}, f, []byte(" two")); err != nil || read(t, f) != "one two" {
		t.Errorf("%q, %v", read(t, f), err)
	}
	if err := disk.WriteCache(f, nil); err != nil || read(t, f) != "" {
		t.Errorf("%q, %v", read(t, f), err)
	}
	if names(t, sub) != "f" {
		t.Errorf("leftovers: %s", names(t, sub))
	}
	if err := disk.MkdirAll(filepath.Join(f, "x"), 0o755); err == nil {
		t.Error("made a folder under a file")
	}
	if err := disk.WriteAtomic(filepath.Join(dir, "none", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestAFaultAtEveryStep lets each step fail and checks the contract of the operation.
func TestAFaultAtEveryStep(t *testing.T) {
	const old, data = "old content", "new"
	type outcome struct{ a, b string } // what the file may hold after an error
	for name, c := range map[string]struct {
		do    func(d durable.Disk, path string) error
		steps int
		after outcome
	}{
		"WriteAtomic": {func(d durable.Disk, p string) error { return d.WriteAtomic(p, []byte(data), 0o600) }, 5, outcome{old, data}},
		"WriteCache":  {func(d durable.Disk, p string) error { return d.WriteCache(p, []byte(data)) }, 3, outcome{old, old}},
		"Extend":      {func(d durable.Disk, p string) error { return extend(d, p, []byte(data)) }, 3, outcome{old, old}},
	} {
		for _, err := range []error{syscall.EIO, syscall.ENOSPC, nil} {
			for step := 1; step <= c.steps; step++ {
				disk := faulty.New(faulty.Fault{Call: step, Err: err, Short: true})
				dir := t.TempDir()
				path := filepath.Join(dir, "f")
				if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
					t.Fatal(err)
				}
				label := fmt.Sprintf("%s, %v at step %d (%v)", name, err, step, disk.Calls())
				got := c.do(durable.Disk{FS: disk}, path)
				if got == nil || err != nil && !errors.Is(got, err) {
					t.Errorf("%s: error %v", label, got)
				}
				if now := read(t, path); now != c.after.a && now != c.after.b {
					t.Errorf("%s: the file holds %q", label, now)
				}
				if names(t, dir) != "f" {
					t.Errorf("%s: leftovers: %s", label, names(t, dir))
				}
			}
		}
	}
}

func TestExtendThatCannotBeUndone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	disk := faulty.New(faulty.Fault{Call: 2, Err: syscall.ENOSPC, Short: true, Forever: true})
	f, err := disk.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = durable.Extend(f, 3, []byte("data"), true)
	var torn *durable.TornError
	if !errors.As(err, &torn) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if got := read(t, path); got != "oldda" {
		t.Errorf("the file holds %q", got)
	}
}

func TestReadersNeverSeeAHalfWrittenFile(t *testing.T) {
	var disk durable.Disk
	path := filepath.Join(t.TempDir(), "f")
	contents := [][]byte{bytes.Repeat([]byte("a"), 20000), bytes.Repeat([]byte("b"), 30000)}
	if err := disk.WriteCache(path, contents[0]); err != nil {
		t.Fatal(err)
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done.Store(true)
		for i := range 200 {
			if err := disk.WriteCache(path, contents[i%2]); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for !done.Load() {
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, contents[0]) && !bytes.Equal(b, contents[1]) {
			t.Fatalf("read %d bytes, %v", len(b), err)
		}
	}
	wg.Wait()
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := durable.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err = durable.Lock(ctx, path)
	var timeout *durable.LockTimeoutError
	if !errors.As(err, &timeout) || timeout.Path != path || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if waited := time.Since(started); waited < 30*time.Millisecond {
		t.Errorf("gave up after %v", waited)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = durable.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the lock file was removed: %v", err)
	}
	if _, err := durable.Lock(context.Background(), filepath.Join(path, "x")); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("error %v", err)
	}
}

func TestLockCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	inside, n := atomic.Int32{}, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				unlock, err := durable.Lock(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two are inside")
				}
				n++
				inside.Add(-1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n != 160 {
		t.Errorf("counted %d", n)
	}
}
