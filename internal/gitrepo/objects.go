package gitrepo

import (
	"bufio"
	"bytes"
	"cmp"
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
	reads  int                 // how many objects git was asked for
	added  map[string]verified // trees that Git need not have
}

// Objects returns a reader of the repository's objects and of the trees that were
// computed for it. It has to be closed.
func (r *Repo) Objects() *Objects { return &Objects{repo: r} }

// Close ends the process. The error says that it had failed since the last answer.
func (o *Objects) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.end()
}

// end ends the process, if one runs, and returns how it had failed, if it had. The
// caller holds the lock.
func (o *Objects) end() error {
	if o.batch == nil {
		return nil
	}
	err := o.batch.end()
	o.batch = nil
	return err
}

// verified is an object that has its id.
type verified struct {
	id      string
	kind    string // blob, tree, commit or tag
	content []byte
}

// must returns an error when the object is of another type.
func (v verified) must(kind string) error {
	if v.kind != kind {
		return &ObjectError{ID: v.id, What: fmt.Sprintf("is a %s, not a %s", v.kind, kind)}
	}
	return nil
}

// verify returns an error when the object does not have its id.
func (v verified) verify() error {
	h := newHash(len(v.id))
	fmt.Fprintf(h, "%s %d\x00", v.kind, len(v.content))
	h.Write(v.content)
	if hex.EncodeToString(h.Sum(nil)) != v.id {
		return &ObjectError{ID: v.id, What: "was altered: its content does not have that id"}
	}
	return nil
}

// maxAsked is how many objects git is asked for at a time, so that it reads one while
// another is hashed. Their ids fit into any pipe: writing them waits for nobody.
const maxAsked = 32

// read returns the objects with these full ids, at most maxAsked.
func (o *Objects) read(ctx context.Context, ids ...string) ([]verified, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(ids) == 0 {
		return nil, nil
	}
	if o.closed {
		return nil, fmt.Errorf("read objects: %w", os.ErrClosed)
	}
	for _, id := range ids {
		if !isID(id) {
			return nil, &ObjectError{ID: id, What: "has no full id"}
		}
	}
	if ctx.Err() != nil {
		_ = o.end()
		return nil, &Error{Args: batchArgs(), Exit: -1, Err: context.Cause(ctx)}
	}
	asked := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, here := o.added[id]; return here })
	if len(asked) == 0 {
		return o.withAdded(ids, nil), nil
	}
	if err := o.start(ctx); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, o.batch.kill)
	read, err := o.ask(asked)
	if !stop() {
		_ = o.end()
		return nil, &Error{Args: batchArgs(), Exit: -1, Err: context.Cause(ctx)}
	}
	if err != nil {
		return nil, err
	}
	return o.withAdded(ids, read), nil
}

// withAdded puts what was added between what was read, in the order of ids. The caller
// holds the lock.
func (o *Objects) withAdded(ids []string, read []verified) []verified {
	if len(read) == len(ids) {
		return read
	}
	out := make([]verified, 0, len(ids))
	for _, id := range ids {
		if v, here := o.added[id]; here {
			out = append(out, v)
			continue
		}
		out, read = append(out, read[0]), read[1:]
	}
	return out
}

// ask asks the process for objects. After an error, the process has ended if answers
// are outstanding.
func (o *Objects) ask(ids []string) ([]verified, error) {
	o.reads += len(ids)
	read := make([]verified, 0, len(ids))
	err := o.batch.ask(ids)
	for _, id := range ids {
		v := verified{id: id}
		if err == nil {
			v.kind, v.content, err = o.batch.answer(id)
		}
		var refused *ObjectError
		switch {
		case err == nil:
			err = v.verify()
		case !errors.As(err, &refused):
			return nil, &ObjectError{ID: id, What: "cannot be read", Err: cmp.Or(o.end(), err)}
		}
		if err != nil {
			if len(read) < len(ids)-1 || errors.Is(err, errTooLarge) {
				o.batch.kill() // rather than to read what nobody wants
				_ = o.end()
			}
			return nil, err
		}
		read = append(read, v)
	}
	return read, nil
}

// start starts the process where none runs, or where the one that runs does not know
// of a tree computation's object folder.
func (o *Objects) start(ctx context.Context) error {
	env := o.repo.storesEnv()
	if o.batch != nil && slices.Equal(o.batch.stores, env) {
		return nil
	}
	_ = o.end() // what it was asked for it has answered
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

// ask writes the request for objects. An id is all that it consists of, so that no name
// can be taken for something else.
func (b *batch) ask(ids []string) error {
	_, err := io.WriteString(b.in, strings.Join(ids, "\n")+"\n")
	return err
}

// answer returns type and content of the next object that was asked for, as git has
// them. After an error other than an [*ObjectError], and after errTooLarge, the process
// is of no more use.
//
// Git answers "id type size" or "id why-not", each on a line; after the former the
// content follows, and a line end.
func (b *batch) answer(id string) (kind string, content []byte, err error) {
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

// end ends the process and waits for it. The error is an [*Error] that says how it ended
// if it failed by itself.
func (b *batch) end() error {
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
