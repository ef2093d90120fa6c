package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// DefaultLockTimeout ends the wait for a lock when the context has no deadline.
const DefaultLockTimeout = 10 * time.Second

// lockPoll is the pause between two tries. Lock holders sync a disk, which takes
// about as long.
const lockPoll = 5 * time.Millisecond

// LockTimeoutError says that somebody else held a lock for too long.
type LockTimeoutError struct {
	Path   string
	Waited time.Duration
	Err    error // context.DeadlineExceeded or context.Canceled
}

func (e *LockTimeoutError) Error() string {
	return fmt.Sprintf("another process holds %s; gave up after %s", e.Path, e.Waited.Round(time.Millisecond))
}

// Unwrap returns the error of the context.
func (e *LockTimeoutError) Unwrap() error { return e.Err }

// Lock takes the exclusive lock on path, creating the file when it does not
// exist, and waits until ctx ends, or [DefaultLockTimeout] when it has no
// deadline; then the error is a [*LockTimeoutError]. The operating system
// releases the lock when the process ends, however it ends. The file is never
// removed: a process that waits on a removed file would share the lock with one
// that created it anew. The lock excludes other processes and other calls in
// this one.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultLockTimeout)
		defer cancel()
	}
	started := time.Now()
	l := flock.New(path, flock.SetPermissions(0o644), flock.SetFlag(os.O_CREATE|os.O_RDONLY|nonblock))
	ok, err := l.TryLockContext(ctx, lockPoll)
	switch {
	case ok:
		return l.Unlock, nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil, &LockTimeoutError{Path: path, Waited: time.Since(started), Err: err}
	}
	return nil, fmt.Errorf("lock: %w", err)
}
