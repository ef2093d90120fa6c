//go:build e2e

package e2e

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/messages"
)

// last yields requests of a kind, the newest first.
func last(all []messages.Request, kind messages.Kind) iter.Seq[messages.Request] {
	return func(yield func(messages.Request) bool) {
		for _, r := range slices.Backward(all) {
			if r.Kind == kind && !yield(r) {
				return
			}
		}
	}
}

// standing is where the delivery is and what its needs are, as text; equal texts mean
// that nothing moved.
func (w *world) standing() string {
	w.t.Helper()
	s := w.mustStatus()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s at %s\n", s.Delivery.ID, s.Delivery.Status, s.Delivery.Node)
	for _, n := range s.Nodes {
		for _, d := range n.Needs {
			fmt.Fprintf(&b, "%s %s%s: %s\n", n.Name, d.Kind, d.Gate, d.State)
		}
	}
	for _, a := range s.Asks {
		fmt.Fprintf(&b, "ask %s %s %s\n", a.ID, a.Kind, a.Digest)
	}
	return b.String()
}

// around is what lies outside of the delivery's own state and a lie might change: refs
// here and at the remote, Git's configuration, the client's folders.
func (w *world) around() string {
	w.t.Helper()
	var b strings.Builder
	b.WriteString(w.git(w.remote, "for-each-ref") + "\n" + w.git(w.root, "for-each-ref") + "\n" + w.git(w.root, "rev-parse", "HEAD") + "\n")
	state := filepath.Join(w.root, ".claude", "asterweave") // looked at otherwise
	places := []string{filepath.Join(w.root, ".git", "config"), filepath.Join(w.root, ".git", "hooks"), filepath.Join(w.root, ".claude")}
	for _, name := range []string{"settings.json", "settings.local.json", "skills", "agents", "commands"} { // besides, the client keeps its own things there
		places = append(places, filepath.Join(w.home, ".claude", name))
	}
	for _, name := range places {
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case path == state:
				return fs.SkipDir
			case d.IsDir():
				return nil
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return b.String()
}
