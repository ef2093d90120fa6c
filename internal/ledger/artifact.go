package ledger

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/canon"
)

// ArtifactError says that an artifact is missing or is not what its digest says.
type ArtifactError struct {
	Digest string
	What   string
}

func (e *ArtifactError) Error() string {
	return fmt.Sprintf("artifact %.12s %s", e.Digest, e.What)
}

// ArtifactPath returns where the artifact with a digest lies.
func (l *Log) ArtifactPath(digest string) string {
	return filepath.Join(l.dir, artifactsName, digest)
}

// PutArtifact stores data under its digest, durably, and returns the digest. It
// needs no lock. Store an artifact before the event that names it.
func (l *Log) PutArtifact(data []byte) (digest string, err error) {
	if err := l.ensureDir(); err != nil {
		return "", err
	}
	dir := filepath.Join(l.dir, artifactsName)
	if err := l.disk.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("store an artifact: %w", err)
	}
	digest = canon.Hash(data)
	if _, err := l.Artifact(digest); err == nil {
		// The writer that put it there may not have come to this step.
		if err := l.o.FS.SyncDir(dir); err != nil {
			return "", fmt.Errorf("store an artifact: %w", err)
		}
		return digest, nil
	}
	if err := l.disk.WriteAtomic(l.ArtifactPath(digest), data, 0o644); err != nil {
		return "", fmt.Errorf("store an artifact: %w", err)
	}
	return digest, nil
}

// Artifact returns the bytes with a digest, checked. The error is an
// *ArtifactError when they are missing or others.
func (l *Log) Artifact(digest string) ([]byte, error) {
	if !canon.IsHash(digest) {
		return nil, &ArtifactError{Digest: digest, What: "has no digest for a name"}
	}
	if err := l.checkDir(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(l.ArtifactPath(digest))
	switch {
	case isMissing(err):
		return nil, &ArtifactError{Digest: digest, What: "is missing"}
	case err != nil:
		return nil, fmt.Errorf("read an artifact: %w", err)
	case canon.Hash(data) != digest:
		return nil, &ArtifactError{Digest: digest, What: "is not what its digest says"}
	}
	return data, nil
}
