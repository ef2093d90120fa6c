package engine

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"

	"github.com/asterweave/asterweave/internal/ledger"
)

// OpenLedger returns the bytes of the ledger up to its tail, as it was looked at.
func (e *Engine) OpenLedger(t ledger.Tail) (io.ReadCloser, error) {
	f, err := os.Open(e.log.Path())
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, t.End), f}, nil
}

// Carry returns the objects of those trees, by their Git ids, that differ from another
// one: they were never committed, and without them nobody could compare. A tree that is
// gone, or that differs in too much, is left out.
func (e *Engine) Carry(ctx context.Context, trees []string, other string) (map[string][]byte, error) {
	objects := e.repo.Objects()
	defer func() { _ = objects.Close() }() // what it could not read was said in an answer
	out := map[string][]byte{}
	for _, tree := range trees {
		if _, done := out[tree]; done || tree == other {
			continue
		}
		if more, err := objects.Carry(ctx, tree, other); err == nil {
			maps.Copy(out, more)
		}
	}
	return out, ctx.Err()
}

// SigningKey returns the SSH key that Git is set up to sign with, "" for none.
func (e *Engine) SigningKey(ctx context.Context) (string, error) {
	key, err := e.repo.SigningKey(ctx)
	if err != nil {
		return "", gitError(err)
	}
	return key, nil
}
