package gitrepo

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Modes of tree entries, as numbers: the type of a file, and the types that there are.
const (
	typeMask    = 0o170000
	typeRegular = 0o100000
	typeSymlink = 0o120000
	typeFolder  = 0o040000
	typeGitlink = 0o160000
)

// treeEntry is an entry of a tree object.
type treeEntry struct {
	name string
	mode uint32 // one of those that git writes today
	raw  string // the id's bytes
}

func (e treeEntry) id() string      { return hex.EncodeToString([]byte(e.raw)) }
func (e treeEntry) kind() uint32    { return e.mode & typeMask }
func (e treeEntry) isFolder() bool  { return e.kind() == typeFolder }
func (e treeEntry) octal() string   { return fmt.Sprintf("%06o", e.mode) }
func (e treeEntry) isContent() bool { return e.kind() == typeRegular || e.kind() == typeSymlink }

// compare orders entries as trees do: a folder's name ends in a slash. A file and a
// folder of the same name are different entries.
func (e treeEntry) compare(other treeEntry) int {
	n := min(len(e.name), len(other.name))
	if c := strings.Compare(e.name[:n], other.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(e.at(n), other.at(n))
}

// at returns the byte of the name at n, which is at most its length.
func (e treeEntry) at(n int) byte {
	switch {
	case n < len(e.name):
		return e.name[n]
	case e.isFolder():
		return '/'
	}
	return 0
}

// canonical returns the mode that git takes mode for. Old trees have permissions that
// mean nothing today.
func canonical(mode uint32) uint32 {
	switch mode & typeMask {
	case typeRegular:
		if mode&0o100 != 0 {
			return typeRegular | 0o755
		}
		return typeRegular | 0o644
	case typeSymlink, typeFolder:
		return mode & typeMask
	}
	return typeGitlink
}

var errTreeFormat = errors.New("not in the format of a tree")

// parseTree returns the entries of a tree object. One with entries that are out of
// order, that repeat a name or that could lead out of their folder is refused: git's
// commands do not agree on what it holds.
func parseTree(content string, idLength int) ([]treeEntry, error) {
	var entries []treeEntry
	for rest := content; rest != ""; {
		octal, after, ok := strings.Cut(rest, " ")
		mode, err := strconv.ParseUint(octal, 8, 24)
		if !ok || err != nil || strings.HasPrefix(octal, "+") {
			return nil, errTreeFormat
		}
		name, after, ok := strings.Cut(after, "\x00")
		if !ok || len(after) < idLength/2 {
			return nil, errTreeFormat
		}
		if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
			return nil, fmt.Errorf("%w: an entry %q", errTreeFormat, name)
		}
		e := treeEntry{name: name, mode: canonical(uint32(mode)), raw: after[:idLength/2]}
		rest = after[idLength/2:]
		if n := len(entries); n > 0 && entries[n-1].compare(e) >= 0 {
			return nil, fmt.Errorf("%w: the entry %q is out of order", errTreeFormat, name)
		}
		if e.isFolder() {
			// A file of that name would have been before it.
			if _, found := slices.BinarySearchFunc(entries, treeEntry{name: name, mode: typeRegular}, treeEntry.compare); found {
				return nil, fmt.Errorf("%w: %w: %q", errTreeFormat, errConflict, name)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}
