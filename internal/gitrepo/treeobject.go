package gitrepo

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// treeBuilder computes the ids of trees and stores some of them.
type treeBuilder struct {
	idLength int
	objects  string          // folder
	tmp      string          // folder on the same file system
	store    map[string]bool // the folders whose trees are not stored yet: "" or with a slash at the end
}

var errConflict = errors.New("a path is both a file and a folder")

// build returns the id of the tree with these paths, which are sorted and all begin
// with dir ("" or with a slash at the end).
//
// The order of full paths is the order of tree entries: a folder sorts as if its name
// ended in a slash.
func (t *treeBuilder) build(list []final, dir string) (string, error) {
	if len(list) == 0 {
		return EmptyTree(strings.Repeat("0", t.idLength)), nil
	}
	var body []byte
	for i := 0; i < len(list); {
		rest := list[i].path[len(dir):]
		mode, name, oid := list[i].mode, rest, list[i].oid
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			mode, name = "40000", rest[:slash]
			sub := list[i].path[:len(dir)+slash+1]
			if _, found := slices.BinarySearchFunc(list, sub[:len(sub)-1], func(f final, n string) int { return strings.Compare(f.path, n) }); found {
				return "", fmt.Errorf("%w: %s", errConflict, sub)
			}
			n := 1
			for i+n < len(list) && strings.HasPrefix(list[i+n].path, sub) {
				n++
			}
			var err error
			if oid, err = t.build(list[i:i+n], sub); err != nil {
				return "", err
			}
			i += n
		} else {
			i++
		}
		body = append(body, mode...)
		body = append(body, ' ')
		body = append(body, name...)
		body = append(body, 0)
		var err error
		if body, err = hex.AppendDecode(body, []byte(oid)); err != nil {
			return "", err
		}
	}
	header := "tree " + strconv.Itoa(len(body)) + "\x00"
	h := newHash(t.idLength)
	h.Write([]byte(header))
	h.Write(body)
	id := hex.EncodeToString(h.Sum(nil))
	if t.store[dir] {
		if err := t.write(id, header, body); err != nil {
			return "", err
		}
	}
	return id, nil
}

// write stores a tree as a loose object. Whoever stores the same one at the same time
// writes the same bytes.
func (t *treeBuilder) write(id, header string, body []byte) error {
	folder := filepath.Join(t.objects, id[:2])
	name := filepath.Join(folder, id[2:])
	if lstat(name).kind == regular {
		return nil
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, herr := z.Write([]byte(header))
	_, berr := z.Write(body)
	if err := errors.Join(herr, berr, z.Close()); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	tmp := filepath.Join(t.tmp, id)
	if err := os.WriteFile(tmp, packed.Bytes(), 0o444); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}

// folders returns the folders that hold paths, directly or not, as build names them.
func folders(paths []string) map[string]bool {
	dirs := map[string]bool{}
	for _, name := range paths {
		for i := len(name); i >= 0; {
			i = strings.LastIndexByte(name[:i], '/')
			if dirs[name[:i+1]] {
				break
			}
			dirs[name[:i+1]] = true
		}
	}
	return dirs
}
