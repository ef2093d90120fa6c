package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxObject bounds an object, which is read into memory as a whole; in bytes.
const maxObject = 32 << 20

// ObjectError says that an object cannot be had, or is not what its id says.
type ObjectError struct {
	ID   string
	What string // what is wrong with it
	Err  error  // how git ended over it, may be nil
}

func (e *ObjectError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("object %s %s: %v", e.ID, e.What, e.Err)
	}
	return fmt.Sprintf("object %s %s", e.ID, e.What)
}

// Unwrap returns how git ended over the object.
func (e *ObjectError) Unwrap() error { return e.Err }

// Objects reads objects and believes none of them: git hands out what lies in an
// object's file without looking whether it is what the name says, so that whoever can
// write the file can make a tree or a commit say anything. Each object is hashed here,
// and one that does not have its id is an [*ObjectError].
//
// What an id cannot tell is not looked at: which commit a ref points to, and which one
// an expression such as HEAD~1 or HEAD:folder leads to, are git's word. Nor is a
// collision of SHA-1 noticed.
//
// One git process answers all calls. It starts with the first one and is ended by
// [Objects.Close], and by a context that ends during a call; the next call starts
// another. Objects is safe for concurrent use; one call is answered at a time.
type Objects struct {
	repo *Repo

	mu     sync.Mutex
	batch  *batch // nil while no process runs
	closed bool
	reads  int // how many objects git was asked for
}

// Objects returns a reader of the repository's objects and of the trees that were
// computed for it. It has to be closed.
func (r *Repo) Objects() *Objects { return &Objects{repo: r} }

// Close ends the process.
func (o *Objects) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.end()
	return nil
}

// end ends the process, if one runs. The caller holds the lock.
func (o *Objects) end() *Error {
	if o.batch == nil {
		return nil
	}
	err := o.batch.end()
	o.batch = nil
	return err
}

// object returns the content of the object with this full id, which must be of the
// type want.
func (o *Objects) object(ctx context.Context, id, want string) ([]byte, error) {
	kind, content, err := o.read(ctx, id)
	if err == nil && kind != want {
		err = &ObjectError{ID: id, What: fmt.Sprintf("is a %s, not a %s", kind, want)}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// read returns type and content of the object with this full id.
func (o *Objects) read(ctx context.Context, id string) (kind string, content []byte, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return "", nil, fmt.Errorf("read object %s: %w", id, os.ErrClosed)
	}
	if !isID(id) {
		return "", nil, &ObjectError{ID: id, What: "has no full id"}
	}
	if ctx.Err() != nil {
		o.end()
		return "", nil, &Error{Args: batchArgs(), Exit: -1, Err: context.Cause(ctx)}
	}
	if err := o.start(ctx); err != nil {
		return "", nil, err
	}
	o.reads++
	stop := context.AfterFunc(ctx, o.batch.kill)
	kind, content, err = o.batch.ask(id)
	if !stop() {
		o.end()
		return "", nil, &Error{Args: batchArgs(), Exit: -1, Err: context.Cause(ctx)}
	}
	var refused *ObjectError
	switch {
	case err == nil:
	case errors.As(err, &refused) && !errors.Is(err, errTooLarge):
		return "", nil, err
	case errors.Is(err, errTooLarge):
		o.batch.kill() // rather than to read what nobody wants
		o.end()
		return "", nil, err
	default:
		e := &ObjectError{ID: id, What: "cannot be read"}
		if gerr := o.end(); gerr != nil {
			e.Err = gerr
		} else {
			e.Err = err
		}
		return "", nil, e
	}
	h := newHash(len(id))
	fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	h.Write(content)
	if hex.EncodeToString(h.Sum(nil)) != id {
		return "", nil, &ObjectError{ID: id, What: "was altered: its content does not have that id"}
	}
	return kind, content, nil
}

// start starts the process where none runs, or where the one that runs does not know
// of a tree computation's object folder.
func (o *Objects) start(ctx context.Context) error {
	env := o.repo.storesEnv()
	if o.batch != nil && slices.Equal(o.batch.stores, env) {
		return nil
	}
	o.end()
	b, err := o.repo.startBatch(ctx, env)
	if err == nil {
		o.batch = b
	}
	return err
}

// isID reports whether id is a full one, as git prints it.
func isID(id string) bool {
	return (len(id) == len(emptyTree40) || len(id) == len(emptyTree64)) && strings.Trim(id, "0123456789abcdef") == ""
}

// batch is one git process that hands out objects.
type batch struct {
	cmd    *exec.Cmd
	kill   context.CancelFunc
	stores []string // the part of its environment that can become out of date
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer // to be read when the process has ended
}

func batchArgs() []string { return []string{"cat-file", "--batch"} }

func (r *Repo) startBatch(ctx context.Context, stores []string) (*batch, error) {
	// The process outlives the call that happens to be the first one.
	ctx, kill := context.WithCancel(context.WithoutCancel(ctx))
	b := &batch{kill: kill, stores: stores}
	var err error
	if b.cmd, err = r.command(ctx, call{args: batchArgs(), env: stores}); err != nil {
		kill()
		return nil, err
	}
	b.cmd.Stderr = &b.stderr
	in, ierr := b.cmd.StdinPipe()
	out, oerr := b.cmd.StdoutPipe()
	err = errors.Join(ierr, oerr)
	if err == nil {
		b.in, b.out = in, bufio.NewReaderSize(out, 64<<10)
		err = b.cmd.Start() // closes the pipes when it fails
	}
	if err != nil {
		kill()
		return nil, &Error{Args: batchArgs(), Exit: -1, Err: err}
	}
	return b, nil
}

var errTooLarge = errors.New("too large")

// ask returns type and content of an object as git has them. After an error other than
// an [*ObjectError], and after errTooLarge, the process is of no more use.
//
// Git answers "id type size" or "id why-not", each on a line; after the former the
// content follows, and a line end. An id is all that is asked for, so that no name can
// be taken for something else.
func (b *batch) ask(id string) (kind string, content []byte, err error) {
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return "", nil, err
	}
	line, err := b.out.ReadSlice('\n')
	if err != nil {
		return "", nil, err
	}
	f := strings.Fields(string(line))
	switch {
	case len(f) == 2 && f[0] == id:
		return "", nil, &ObjectError{ID: id, What: "is " + f[1] + ", or cannot be read"} // missing
	case len(f) != 3 || f[0] != id:
		return "", nil, fmt.Errorf("git cat-file: unexpected line %q", line)
	}
	size, err := strconv.ParseUint(f[2], 10, 63)
	if err != nil {
		return "", nil, fmt.Errorf("git cat-file: unexpected line %q", line)
	}
	if size > maxObject {
		return "", nil, &ObjectError{ID: id, What: fmt.Sprintf("has %d bytes, more than the %d that are read", size, maxObject), Err: errTooLarge}
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(b.out, content); err != nil {
		return "", nil, err
	}
	if end, err := b.out.ReadByte(); err != nil || end != '\n' {
		return "", nil, errors.Join(err, errors.New("git cat-file: no line end after an object"))
	}
	return f[1], content, nil
}

// end ends the process and waits for it. The error says how it ended if it failed by
// itself.
func (b *batch) end() *Error {
	_ = b.in.Close() // at the end of its input git exits
	slow := time.AfterFunc(2*time.Second, b.kill)
	err := b.cmd.Wait()
	slow.Stop()
	b.kill()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return &Error{Args: batchArgs(), Exit: exit.ExitCode(), Stderr: b.stderr.String()}
	}
	return nil
}
