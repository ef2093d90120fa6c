package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/problem"
)

// ReadInside reads a file of the work tree, at most document.MaxBytes of it. A
// path that leads outside the root, by a link too, is refused.
func (e *Engine) ReadInside(path string) ([]byte, error) {
	root, err := os.OpenRoot(e.o.Root)
	if err != nil {
		return nil, problem.Wrap(problem.Failed, err, "make the work tree readable")
	}
	defer root.Close()
	rel := path
	if filepath.IsAbs(path) {
		if rel, err = filepath.Rel(e.o.Root, path); err != nil || strings.HasPrefix(rel, "..") {
			return nil, problem.New(problem.Usage, fmt.Sprintf("%s is outside the work tree", path), "name a file inside it")
		}
	}
	f, err := root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil, problem.Wrap(problem.Usage, err, "name a file inside the work tree")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, document.MaxBytes+1))
	if err != nil {
		return nil, problem.Wrap(problem.Usage, err, "name a file that can be read")
	}
	if len(data) > document.MaxBytes {
		return nil, problem.New(problem.Invalid, fmt.Sprintf("%s is larger than %d bytes", path, document.MaxBytes), "keep the part that matters in a file of its own")
	}
	return data, nil
}
