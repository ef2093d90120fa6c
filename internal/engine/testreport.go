package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/asterweave/asterweave/internal/document"
)

// maxReport bounds the report of a test runner, in bytes.
const maxReport = 64 << 20

// stamp tells whether a report was written between two looks.
type stamp struct {
	there bool
	size  int64
	at    time.Time
	info  os.FileInfo
}

func (s stamp) same(o stamp) bool {
	return s.there && o.there && s.size == o.size && s.at.Equal(o.at) && os.SameFile(s.info, o.info)
}

// reportStamp looks at the report that the gate names, if it names one.
func reportStamp(dir string, g *document.Gate) stamp {
	if g == nil || g.Report == nil {
		return stamp{}
	}
	f, err := openReport(dir, g)
	if err != nil {
		return stamp{}
	}
	defer f.Close()
	return stampOf(f)
}

func stampOf(f *os.File) stamp {
	info, err := f.Stat()
	if err != nil {
		return stamp{}
	}
	return stamp{there: true, size: info.Size(), at: info.ModTime(), info: info}
}

func openReport(dir string, g *document.Gate) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.FromSlash(g.Report.Path)
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", g.Report.Path) // a pipe would be waited for
	}
	if err != nil {
		return nil, err
	}
	return root.Open(name)
}

// freshReport reads the report that this run wrote; one that was there before, and
// is as it was, is no witness.
func freshReport(dir string, g *document.Gate, before stamp) ([]byte, error) {
	f, err := openReport(dir, g)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	now := stampOf(f)
	if !now.there || now.same(before) {
		return nil, fmt.Errorf("%s is from before the run", g.Report.Path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if len(data) > maxReport {
		err = errors.Join(err, fmt.Errorf("%s is larger than %d bytes", g.Report.Path, maxReport))
	}
	return data, err
}
