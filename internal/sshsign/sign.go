package sshsign

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/asterweave/asterweave/internal/bundle"
)

// maxKey bounds a key's file, in bytes.
const maxKey = 64 << 10

// agentPatience is how long the agent may take, since it may ask for a touch or a word.
const agentPatience = 60 * time.Second

// Signer signs with one key, which is in a file or in an ssh-agent.
type Signer struct {
	key  ssh.Signer
	conn net.Conn // of the agent, nil for a file
}

// ErrNotFound says that the private half of a key is neither in its file nor in the agent.
var ErrNotFound = errors.New("the private half of the key is not in a file without passphrase, and not in ssh-agent")

// Open finds a key: a path of its private or public half, or the public key itself, as
// in Git's user.signingkey ("key::ssh-ed25519 AAAA…"). agent is the path of ssh-agent's socket,
// $SSH_AUTH_SOCK, "" for none. A passphrase is never asked for.
func Open(name, agent string) (*Signer, error) {
	public, private, err := find(name)
	if err != nil {
		return nil, err
	}
	if private != nil {
		public = private.PublicKey()
	}
	if err := strong(public); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	if private != nil {
		return &Signer{key: private}, nil
	}
	return ask(public, agent)
}

// find reads the file, or the text, that a key is named by. The private half is nil
// where it is not there, or has a passphrase.
func find(name string) (ssh.PublicKey, ssh.Signer, error) {
	literal, prefixed := strings.CutPrefix(name, "key::")
	if prefixed || strings.HasPrefix(name, "ssh-") && strings.Contains(name, " ") {
		public, err := parsePublic([]byte(literal))
		return public, nil, err
	}
	text, err := read(name)
	if err != nil {
		return nil, nil, err
	}
	private, err := ssh.ParsePrivateKey(text)
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return nil, private, nil
	case errors.As(err, &locked) && locked.PublicKey != nil:
		return locked.PublicKey, nil, nil
	case errors.As(err, &locked):
		if text, err = read(name + ".pub"); err != nil {
			return nil, nil, fmt.Errorf("%w; the key has a passphrase, and nothing says what its public half is", err)
		}
	}
	public, err := parsePublic(text)
	if err != nil {
		return nil, nil, err
	}
	// Beside a public half the private one may lie, as ssh-keygen leaves them.
	if half, ok := strings.CutSuffix(name, ".pub"); ok {
		if text, err := read(half); err == nil {
			if private, err := ssh.ParsePrivateKey(text); err == nil && bytes.Equal(private.PublicKey().Marshal(), public.Marshal()) {
				return public, private, nil
			}
		}
	}
	return public, nil, nil
}

func read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKey))
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return text, nil
}

func parsePublic(text []byte) (ssh.PublicKey, error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil, errors.New("signing key: it is neither a private key nor a public one that can be read")
	}
	return public, nil
}

// ask finds the private half in the agent.
func ask(public ssh.PublicKey, socket string) (*Signer, error) {
	if socket == "" {
		return nil, ErrNotFound
	}
	conn, err := net.DialTimeout("unix", socket, agentPatience)
	if err != nil {
		return nil, fmt.Errorf("%w, which does not answer", ErrNotFound)
	}
	if err = conn.SetDeadline(time.Now().Add(agentPatience)); err == nil {
		var signers []ssh.Signer
		if signers, err = agent.NewClient(conn).Signers(); err == nil {
			for _, s := range signers {
				if bytes.Equal(s.PublicKey().Marshal(), public.Marshal()) {
					return &Signer{key: s, conn: conn}, nil
				}
			}
			err = ErrNotFound
		}
	}
	return nil, errors.Join(err, conn.Close())
}

// Fingerprint names the key, as ssh-keygen -l does.
func (s *Signer) Fingerprint() string { return ssh.FingerprintSHA256(s.key.PublicKey()) }

// Sign returns a signature over a payload, for its envelope.
func (s *Signer) Sign(payload []byte) (dsse.Signature, error) {
	sig, err := sshsig.Sign(bytes.NewReader(bundle.Message(payload)), s.key, sshsig.HashSHA512, Namespace)
	if err != nil {
		return dsse.Signature{}, fmt.Errorf("sign with %s: %w", s.Fingerprint(), err)
	}
	return dsse.Signature{KeyID: s.Fingerprint(), Sig: base64.StdEncoding.EncodeToString(sshsig.Armor(sig))}, nil
}

// Close lets go of the agent.
func (s *Signer) Close() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}
