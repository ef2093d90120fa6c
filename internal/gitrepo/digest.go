package gitrepo

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"os"
)

// digest is a SHA-256 over fields, each with its length, so that no two lists of
// fields have the same bytes.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(fields ...string) {
	for _, f := range fields {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		d.h.Write(n[:])
		d.h.Write([]byte(f))
	}
}

// addFile adds a file's content, or that there is none, or that it cannot be read.
func (d digest) addFile(label, name string) {
	if name == "" {
		d.add(label, "none")
		return
	}
	switch b, err := os.ReadFile(name); {
	case err == nil:
		d.add(label, "content", string(b))
	case os.IsNotExist(err):
		d.add(label, "none")
	default:
		d.add(label, "unreadable")
	}
}

func (d digest) addFingerprint(label string, f fingerprint) {
	w := encoder{}
	w.fingerprint(f)
	d.add(label, string(w.buf))
}

// sum returns 64 lower-case hex digits.
func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }
