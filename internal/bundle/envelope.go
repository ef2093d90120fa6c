package bundle

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/gowebpki/jcs"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/canon"
)

// Encode returns the statement's bytes: canonical JSON as RFC 8785 defines it, so that
// one statement has one spelling. They are what an envelope holds and what is signed.
func Encode(s Statement) ([]byte, error) {
	b, err := json.Marshal(s)
	if err == nil {
		err = exact(b)
	}
	if err == nil {
		b, err = jcs.Transform(b)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	if len(b) > MaxPayload {
		return nil, fmt.Errorf("bundle: %d bytes are more than the %d that one may have", len(b), MaxPayload)
	}
	return b, nil
}

// exact refuses numbers that RFC 8785, which knows doubles alone, would change.
func exact(text []byte) error {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c >= '0' && c <= '9':
			start := i
			for i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				i++
			}
			if n, err := strconv.ParseUint(string(text[start:i+1]), 10, 64); err != nil || n >= 1<<53 {
				return fmt.Errorf("the number %.40s is 2^53 or more", text[start:i+1])
			}
		}
	}
	return nil
}

// Wrap puts a payload into an envelope, as one line of JSON without a line end.
// signatures may be empty.
func Wrap(payload []byte, signatures ...dsse.Signature) ([]byte, error) {
	if signatures == nil {
		signatures = []dsse.Signature{}
	}
	b, err := json.Marshal(dsse.Envelope{PayloadType: PayloadType, Payload: base64.StdEncoding.EncodeToString(payload), Signatures: signatures})
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return b, nil
}

// Signed is a payload with what was signed over it.
type Signed struct {
	Payload    []byte
	Signatures []dsse.Signature
}

// Message returns the bytes that signatures are about: the pre-authentication encoding
// of https://github.com/secure-systems-lab/dsse/blob/master/protocol.md.
func Message(payload []byte) []byte { return dsse.PAE(PayloadType, payload) }

// Open reads an envelope. Anything that two readers could understand differently is
// an error: repeated or unknown keys, another base64 alphabet, another payload type.
func Open(envelope []byte) (Signed, error) {
	var e dsse.Envelope
	if err := canon.Decode(envelope, MaxEnvelope, &e); err != nil {
		return Signed{}, fmt.Errorf("envelope: %w", err)
	}
	if e.PayloadType != PayloadType {
		return Signed{}, fmt.Errorf("envelope: the payload type is %.100q and not %q", e.PayloadType, PayloadType)
	}
	switch n := len(e.Signatures); {
	case e.Signatures == nil:
		return Signed{}, errors.New("envelope: it has no list of signatures; an unsigned one has an empty list")
	case n > MaxSignatures:
		return Signed{}, fmt.Errorf("envelope: %d signatures are more than the %d that one may have", n, MaxSignatures)
	}
	payload, err := base64.StdEncoding.DecodeString(e.Payload)
	if err != nil {
		return Signed{}, fmt.Errorf("envelope: payload: %w", err)
	}
	// The decoder passes over line ends and unused bits.
	if base64.StdEncoding.EncodeToString(payload) != e.Payload {
		return Signed{}, errors.New("envelope: payload: the base64 is not spelled as RFC 4648 says")
	}
	return Signed{Payload: payload, Signatures: e.Signatures}, nil
}
