package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
)

// object is what a tree has at a path. The zero value stands for nothing.
type object struct {
	mode string // six octal digits
	oid  string // 40 or 64 hex digits
}

// final is a path of a tree with its object.
type final struct {
	path string
	object
}

// newHash returns the hash of a repository whose ids have that many hex digits.
func newHash(idLength int) hash.Hash {
	if idLength == len(emptyTree64) {
		return sha256.New()
	}
	return sha1.New()
}

// The index format, version 2 (gitformat-index): a header, the entries sorted by
// path, and a checksum. An entry has 40 bytes of stat data of which the mode is at
// 24, the id, 16 bits of flags with the path's length, and the path, padded with 1 to
// 8 NULs to a multiple of eight bytes.
const (
	indexStat    = 40
	indexMode    = 24
	indexMaxName = 0xfff
)

// encodeIndex returns an index file with these entries, which are sorted by path. It
// has neither stat data nor flags, so that git reads every file that it is asked about.
func encodeIndex(entries []final, idLength int) ([]byte, error) {
	b := make([]byte, 0, 64+len(entries)*(indexStat+idLength/2+64))
	b = append(b, "DIRC"...)
	b = binary.BigEndian.AppendUint32(b, 2)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	for _, e := range entries {
		begin := len(b)
		mode, err := strconv.ParseUint(e.mode, 8, 32)
		if err != nil || len(e.oid) != idLength {
			return nil, fmt.Errorf("index entry %q: mode %q, id %q", e.path, e.mode, e.oid)
		}
		b = append(b, make([]byte, indexStat)...)
		binary.BigEndian.PutUint32(b[begin+indexMode:], uint32(mode))
		if b, err = hex.AppendDecode(b, []byte(e.oid)); err != nil {
			return nil, fmt.Errorf("index entry %q: id %q", e.path, e.oid)
		}
		b = binary.BigEndian.AppendUint16(b, uint16(min(len(e.path), indexMaxName)))
		b = append(b, e.path...)
		b = append(b, make([]byte, 8-(len(b)-begin)%8)...)
	}
	h := newHash(idLength)
	h.Write(b)
	return h.Sum(b), nil
}

var errIndex = errors.New("unexpected index format")

// decodeIndex returns the entries of an index file that git made of one of ours.
func decodeIndex(b []byte, idLength int) ([]final, error) {
	fixed := indexStat + idLength/2 + 2
	if len(b) < 12 || string(b[:4]) != "DIRC" || binary.BigEndian.Uint32(b[4:]) != 2 {
		return nil, errIndex
	}
	count := binary.BigEndian.Uint32(b[8:])
	b = b[12:]
	if uint64(count) > uint64(len(b)/fixed) {
		return nil, errIndex
	}
	entries := make([]final, count)
	for i := range entries {
		if len(b) < fixed {
			return nil, errIndex
		}
		n := bytes.IndexByte(b[fixed:], 0)
		if n <= 0 {
			return nil, errIndex
		}
		entries[i] = final{
			path: string(b[fixed : fixed+n]),
			object: object{
				mode: fmt.Sprintf("%06o", binary.BigEndian.Uint32(b[indexMode:])),
				oid:  hex.EncodeToString(b[indexStat : indexStat+idLength/2]),
			},
		}
		size := (fixed + n + 8) / 8 * 8
		if len(b) < size {
			return nil, errIndex
		}
		b = b[size:]
	}
	return entries, nil
}
