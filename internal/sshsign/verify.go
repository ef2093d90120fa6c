// Package sshsign signs bundles with SSH keys, and says who signed them. Formats are those
// of OpenSSH: PROTOCOL.sshsig for signatures, ssh-keygen(1) for allowed signers.
//
// A key never counts for being there: neither the one inside a signature nor the name
// that an envelope gives it. It counts when a list of allowed signers names it.
package sshsign

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/hiddeco/sshsig"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"golang.org/x/crypto/ssh"

	"github.com/asterweave/asterweave/internal/bundle"
)

// Namespace is that of the signatures, so that none made for another purpose, such
// as a commit's, is one over a bundle.
const Namespace = "asterweave"

// maxSignature bounds a signature, in bytes of armoured text.
const maxSignature = 16 << 10

// Verdict is what one signature of an envelope says.
type Verdict struct {
	Principals  string `json:"principals"`  // whom the list allows to sign with the key, as it names them; "" when the signature does not count
	Fingerprint string `json:"fingerprint"` // of the key that signed, "" when that is not known
	Because     string `json:"because"`     // why the signature does not count; "" when it does
}

// Counts reports whether the signature is one of an allowed signer.
func (v Verdict) Counts() bool { return v.Because == "" }

// Verify says for each signature over a payload who made it, or why it does not count.
// now has the zone in which the list's times are meant that name none. The error is
// that the list cannot be read.
func Verify(payload []byte, signatures []dsse.Signature, allowedSigners []byte, now time.Time) ([]Verdict, error) {
	allowed, err := ParseAllowed(allowedSigners)
	if err != nil {
		return nil, err
	}
	return allowed.Verify(payload, signatures, now), nil
}

// Verify is the function of that name, with a list that was read already.
func (a Allowed) Verify(payload []byte, signatures []dsse.Signature, now time.Time) []Verdict {
	message := bundle.Message(payload)
	verdicts := make([]Verdict, 0, len(signatures))
	for _, s := range signatures {
		verdicts = append(verdicts, a.verify(message, s.Sig, now))
	}
	return verdicts
}

func (a Allowed) verify(message []byte, text string, now time.Time) Verdict {
	sig, err := decodeSignature(text)
	if err != nil {
		return Verdict{Because: err.Error()}
	}
	v := Verdict{Fingerprint: ssh.FingerprintSHA256(sig.PublicKey)}
	principals, because := a.allows(sig.PublicKey, Namespace, now)
	switch {
	case sig.Namespace != Namespace:
		v.Because = fmt.Sprintf("the signature is for the namespace %.60q and not for %q", sig.Namespace, Namespace)
	case because != "":
		v.Because = because
	case sshsig.Verify(bytes.NewReader(message), sig, sig.PublicKey, sig.HashAlgorithm, Namespace) != nil:
		v.Because = "the signature is not over this payload, or not by this key"
	default:
		v.Principals = principals
	}
	return v
}

// decodeSignature reads the base64 of an armoured signature.
func decodeSignature(text string) (*sshsig.Signature, error) {
	if base64.StdEncoding.DecodedLen(len(text)) > maxSignature {
		return nil, fmt.Errorf("the signature is longer than the %d bytes that one may have", maxSignature)
	}
	armoured, err := base64.StdEncoding.DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(armoured) != text {
		return nil, errors.New("the signature is not spelled in base64 as RFC 4648 says")
	}
	block, rest := pem.Decode(armoured)
	if !bytes.HasPrefix(armoured, []byte("-----BEGIN "+sshsig.PEMType+"-----\n")) || block == nil || block.Type != sshsig.PEMType ||
		len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("the signature is no armoured SSH signature")
	}
	sig, err := sshsig.ParseSignature(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the signature cannot be read: %w", err)
	}
	if err := strong(sig.PublicKey); err != nil {
		return nil, fmt.Errorf("the signature: %w", err)
	}
	if err := sig.HashAlgorithm.Available(); err != nil {
		return nil, fmt.Errorf("the signature: %w", err)
	}
	return sig, nil
}
