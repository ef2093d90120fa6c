package gitrepo

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// entry is a tracked path, as the index has it, and what the tree has there.
type entry struct {
	tracked
	work   object      // zero: nothing
	fp     fingerprint // when its content was read; unread: it must be read
	sparse bool        // outside of the sparse checkout's patterns
}

// extra is a path of the tree that the index does not have: a file, or a nested
// repository, which has no fingerprint.
type extra struct {
	final
	fp fingerprint
}

// ambientSeen is an ambient path whose content was read.
type ambientSeen struct {
	path   string
	fp     fingerprint
	digest string
}

// cache is what a computation leaves for the next one. Losing it costs time only.
type cache struct {
	index      fingerprint // of the user's index; unread: it must be listed
	conversion string      // digest of what decides how content is stored
	sparse     string      // digest of the sparse checkout's patterns, "" when off
	tree       string      // id that came of all this; all its trees can be read
	entries    []entry     // sorted by path
	extras     []extra     // likewise
	ambient    []ambientSeen
}

const cacheMagic = "asterweave tree cache 1\n"

// errCache says that the cache is missing, damaged or of another version.
var errCache = errors.New("no usable cache of the tree")

func castagnoli(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}

// encode returns the cache as bytes: magic, fields, and a checksum of both.
func (c *cache) encode() []byte {
	w := encoder{buf: make([]byte, 0, 4096+160*len(c.entries))}
	w.buf = append(w.buf, cacheMagic...)
	w.fingerprint(c.index)
	for _, s := range []string{c.conversion, c.sparse, c.tree} {
		w.string(s)
	}
	w.uint(uint64(len(c.entries)))
	for i := range c.entries {
		e := &c.entries[i]
		w.string(e.path)
		w.object(object{e.mode, e.oid})
		// Most paths are as in the index.
		w.bool(e.work.mode == e.mode && e.work.oid == e.oid)
		if e.work.mode != e.mode || e.work.oid != e.oid {
			w.object(e.work)
		}
		w.fingerprint(e.fp)
		w.bool(e.sparse)
	}
	w.uint(uint64(len(c.extras)))
	for _, e := range c.extras {
		w.string(e.path)
		w.object(e.object)
		w.fingerprint(e.fp)
	}
	w.uint(uint64(len(c.ambient)))
	for _, a := range c.ambient {
		w.string(a.path)
		w.fingerprint(a.fp)
		w.string(a.digest)
	}
	return binary.BigEndian.AppendUint32(w.buf, castagnoli(w.buf))
}

// decodeCache returns what encode was given, without the checksum.
func decodeCache(body string) (*cache, error) {
	rest, ok := strings.CutPrefix(body, cacheMagic)
	if !ok {
		return nil, errCache
	}
	r := decoder{rest: rest}
	c := &cache{index: r.fingerprint()}
	for _, s := range []*string{&c.conversion, &c.sparse, &c.tree} {
		*s = r.string()
	}
	c.entries = make([]entry, r.count())
	for i := range c.entries {
		e := &c.entries[i]
		e.path = r.string()
		e.work = r.object()
		e.mode, e.oid = e.work.mode, e.work.oid
		if !r.bool() {
			e.work = r.object()
		}
		e.fp = r.fingerprint()
		e.sparse = r.bool()
	}
	c.extras = make([]extra, r.count())
	for i := range c.extras {
		c.extras[i] = extra{final{r.string(), r.object()}, r.fingerprint()}
	}
	c.ambient = make([]ambientSeen, r.count())
	for i := range c.ambient {
		c.ambient[i] = ambientSeen{path: r.string(), fp: r.fingerprint(), digest: r.string()}
	}
	if r.short || r.rest != "" {
		return nil, errCache
	}
	return c, nil
}

type encoder struct{ buf []byte }

func (w *encoder) uint(v uint64) { w.buf = binary.AppendUvarint(w.buf, v) }

func (w *encoder) string(s string) {
	w.uint(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *encoder) object(o object) {
	w.string(o.mode)
	w.string(o.oid)
}

func (w *encoder) bool(b bool) {
	if b {
		w.buf = append(w.buf, 1)
	} else {
		w.buf = append(w.buf, 0)
	}
}

func (w *encoder) fingerprint(f fingerprint) {
	w.buf = append(w.buf, byte(f.kind))
	w.uint(uint64(f.mode))
	w.uint(uint64(f.size))
	w.uint(uint64(f.mtime))
	w.uint(uint64(f.ctime))
	w.uint(f.inode)
}

// decoder reads what encoder wrote. After short is set, all it returns is zero.
type decoder struct {
	rest  string
	short bool
}

func (r *decoder) byte() byte {
	if r.rest == "" {
		r.short = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *decoder) uint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.short = true
	return 0
}

// count returns the length of a list, never more than there are bytes left.
func (r *decoder) count() int {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.short, r.rest = true, ""
		return 0
	}
	return int(n)
}

func (r *decoder) string() string {
	n := r.count()
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *decoder) object() object { return object{r.string(), r.string()} }

func (r *decoder) bool() bool { return r.byte() == 1 }

func (r *decoder) fingerprint() fingerprint {
	return fingerprint{
		kind: kind(r.byte()), mode: uint32(r.uint()), size: int64(r.uint()),
		mtime: int64(r.uint()), ctime: int64(r.uint()), inode: r.uint(),
	}
}

func loadCache(store string) *cache {
	c, err := readCache(filepath.Join(store, "cache"))
	if err != nil {
		return &cache{}
	}
	return c
}

func readCache(name string) (*cache, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < 4 {
		return nil, errors.Join(err, errCache)
	}
	// The strings of the cache are parts of one that is read without copying it.
	var body strings.Builder
	body.Grow(int(info.Size()) - 4)
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.CopyN(io.MultiWriter(&body, sum), f, info.Size()-4); err != nil {
		return nil, err
	}
	var want [4]byte
	if _, err := io.ReadFull(f, want[:]); err != nil || binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return nil, errors.Join(err, errCache)
	}
	return decodeCache(body.String())
}

// save replaces the cache. A reader sees the old one or the new one, whole; after
// a loss of power perhaps none, which its checksum shows.
func (c *cache) save(store, tmp string) error {
	file := filepath.Join(tmp, "cache")
	if err := os.WriteFile(file, c.encode(), 0o600); err != nil {
		return err
	}
	return os.Rename(file, filepath.Join(store, "cache"))
}

// sweep removes what killed computations left behind: nothing that could still be in
// use, since no computation lasts for an hour.
func sweep(store string) {
	list, err := os.ReadDir(store)
	if err != nil {
		return
	}
	for _, d := range list {
		if !strings.HasPrefix(d.Name(), "tmp-") {
			continue
		}
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(filepath.Join(store, d.Name())) // the next sweep tries again
		}
	}
}
