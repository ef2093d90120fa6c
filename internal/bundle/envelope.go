package bundle

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/canon"
)

// Encode returns the statement's bytes: canonical JSON as RFC 8785 defines it, so that
// one statement has one spelling. They are what an envelope holds and what is signed.
func Encode(s Statement) ([]byte, error) {
	b, err := json.Marshal(s)
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
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil {
		return Signed{}, fmt.Errorf("envelope: payload: %w", err)
	}
	return Signed{Payload: payload, Signatures: e.Signatures}, nil
}
