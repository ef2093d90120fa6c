package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

// files of the repository that trees are measured on.
const files = 50_000

func treeRow(dir string) ([]row, error) {
	root := filepath.Join(dir, "large")
	for i := range files {
		name := filepath.Join(root, fmt.Sprintf("d%03d", i%500), fmt.Sprintf("f%05d.txt", i))
		if i < 500 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return nil, err
			}
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, "file %d\n", i), 0o644); err != nil {
			return nil, err
		}
	}
	if err := repository(root, programs{}, false); err != nil {
		return nil, err
	}
	repo, err := gitrepo.Open(root)
	if err != nil {
		return nil, err
	}
	tree := func() error {
		t, err := repo.Tree(context.Background(), gitrepo.TreeOptions{})
		if err == nil && t.ID == "" {
			err = fmt.Errorf("the tree is not known: %v", t.Unknown)
		}
		return err
	}
	status := func() error { return in(root, nil, "git", "status", "--porcelain") }
	for range 2 { // warm: the first computation hashes every file
		if err := tree(); err != nil {
			return nil, err
		}
		if err := status(); err != nil {
			return nil, err
		}
	}
	a, b, err := byTurns(11, tree, status)
	if err != nil {
		return nil, err
	}
	return []row{{what: "tree of 50,000 files, warm / git status --porcelain", value: ratio(a, b), unit: "x", bar: 1.5}}, nil
}
