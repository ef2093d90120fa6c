package bundle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// ledgerFormat is the format of docs/ledger-format.md that Pack packs.
const ledgerFormat = 1

// Pack returns the ledger that r reads, of which the last event has this hash.
func Pack(r io.Reader, events int64, head string) (Ledger, error) {
	var packed bytes.Buffer
	sum := sha256.New()
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return Ledger{}, fmt.Errorf("bundle: %w", err)
	}
	n, err := io.Copy(io.MultiWriter(z, sum), io.LimitReader(r, MaxLedger+1))
	if err = errors.Join(err, z.Close()); err != nil {
		return Ledger{}, fmt.Errorf("bundle: %w", err)
	}
	if n > MaxLedger {
		return Ledger{}, fmt.Errorf("bundle: the ledger is longer than the %d bytes that one may have", MaxLedger)
	}
	return Ledger{Format: ledgerFormat, Events: events, Bytes: n, Head: head, Digest: hex.EncodeToString(sum.Sum(nil)), Gzip: packed.Bytes()}, nil
}

// Unpack returns a reader of the ledger's bytes. Its last Read is an error where they
// are not those that the ledger says: their number and digest.
func (l Ledger) Unpack() (io.Reader, error) {
	if l.Format != ledgerFormat {
		return nil, fmt.Errorf("the ledger is of format %d, which this version does not know", l.Format)
	}
	if l.Bytes < 0 || l.Bytes > MaxLedger {
		return nil, fmt.Errorf("the ledger says that it has %d bytes; it may have %d", l.Bytes, MaxLedger)
	}
	packed := bytes.NewReader(l.Gzip)
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("the ledger cannot be unpacked: %w", err)
	}
	z.Multistream(false)
	return &unpacking{l: l, packed: packed, in: z, sum: sha256.New()}, nil
}

type unpacking struct {
	l      Ledger
	packed *bytes.Reader
	in     io.Reader
	sum    interface {
		io.Writer
		Sum(b []byte) []byte
	}
	n int64
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	u.n += int64(n)
	_, _ = u.sum.Write(p[:n]) // a hash takes everything
	switch {
	case u.n > u.l.Bytes, errors.Is(err, io.EOF) && u.n < u.l.Bytes:
		return n, fmt.Errorf("the ledger has not the %d bytes that it says", u.l.Bytes)
	case errors.Is(err, io.EOF) && u.packed.Len() > 0:
		return n, errors.New("there are bytes behind the packed ledger")
	case errors.Is(err, io.EOF) && hex.EncodeToString(u.sum.Sum(nil)) != u.l.Digest:
		return n, errors.New("the ledger has not the digest that it says")
	case err != nil && !errors.Is(err, io.EOF):
		return n, fmt.Errorf("the ledger cannot be unpacked: %w", err)
	}
	return n, err
}
