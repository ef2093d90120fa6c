package engine

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/githooks"
	"github.com/asterweave/asterweave/internal/testrun"
)

// keyFile holds the key of the hashes of surroundings, beside the anchor in the
// worktree's own Git folder. Without it a value of little variety could be guessed from
// its hash in the ledger.
const keyFile = "surroundings.key"

// Surroundings finds what surrounds the commands that run in the worktree, and in the
// clones of a local pipeline.
func (e *Engine) Surroundings() (evidence.Surroundings, error) {
	key, err := e.surroundingsKey()
	if err != nil {
		return evidence.Surroundings{}, fmt.Errorf("the key of the environment's hashes: %w", err)
	}
	// The shell of an agent is pointed at hooks of ours that run the repository's own, the
	// shell of a person is not; a gate runs in both.
	environ := githooks.Without(e.o.Environ, githooks.Folder(e.repo.GitDir()))
	around := command.Surround(environ, e.o.Root, filepath.Join(os.TempDir(), "clone"))
	s := evidence.Surroundings{Digest: around.Digest(), Hashes: map[string]string{}, Settings: map[string]string{}}
	for label, value := range around {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(label + "\x00" + value))
		s.Hashes[label] = hex.EncodeToString(h.Sum(nil)[:8])
		if _, steers := testrun.Steers(label); steers && label != "PATH" {
			s.Settings[label] = value
		}
	}
	return s, nil
}

// surroundingsKey returns the key, which the first call makes.
func (e *Engine) surroundingsKey() ([]byte, error) {
	path := filepath.Join(filepath.Dir(anchorPath(e.repo)), keyFile)
	key, err := os.ReadFile(path)
	if err == nil && len(key) == sha256.Size || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	if err := e.disk().MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	// Of two at a time one stays; the other's run differs, and asks.
	return key, e.disk().WriteAtomic(path, key, 0o600)
}
