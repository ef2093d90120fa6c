package sshsign_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/sshsign"
)

// bench is a folder in which ssh-keygen works.
type bench struct {
	t   testing.TB
	dir string
}

func newBench(t testing.TB) bench {
	t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen to compare with")
	}
	return bench{t, t.TempDir()}
}

func (b bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b bench) write(name, text string) string {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return b.path(name)
}

func (b bench) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// tool runs ssh-keygen, or another program of OpenSSH, in UTC.
func (b bench) tool(stdin []byte, name string, args ...string) (string, error) {
	b.t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Stdin, c.Env = b.dir, bytes.NewReader(stdin), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TZ=UTC"}
	out, err := c.CombinedOutput()
	return string(out), err
}

// key makes a key and returns the path of its private half.
func (b bench) key(name string, args ...string) string {
	b.t.Helper()
	if out, err := b.tool(nil, "ssh-keygen", append([]string{"-q", "-N", "", "-C", "dev@example.com", "-f", name}, args...)...); err != nil {
		b.t.Fatalf("%v %s", err, out)
	}
	return b.path(name)
}

// public returns type and base64 of a key.
func (b bench) public(name string) string {
	b.t.Helper()
	fields := strings.Fields(b.read(name + ".pub"))
	return fields[0] + " " + fields[1]
}

// signs has ssh-keygen sign a message, in place of the program.
func (b bench) signs(key string, message []byte, args ...string) dsse.Signature {
	b.t.Helper()
	c := exec.Command("ssh-keygen", append([]string{"-Y", "sign", "-q", "-f", key}, args...)...)
	c.Dir, c.Stdin = b.dir, bytes.NewReader(message)
	out, err := c.Output()
	if err != nil {
		b.t.Fatalf("%v", err)
	}
	return dsse.Signature{Sig: base64.StdEncoding.EncodeToString(out)}
}

// agrees has ssh-keygen verify a signature.
func (b bench) agrees(payload []byte, s dsse.Signature, allowed, principal string, args ...string) (bool, string) {
	b.t.Helper()
	armoured, err := base64.StdEncoding.DecodeString(s.Sig)
	if err != nil {
		b.t.Fatal(err)
	}
	b.write("sig", string(armoured))
	b.write("allowed", allowed)
	out, err := b.tool(bundle.Message(payload), "ssh-keygen", append([]string{"-Y", "verify", "-f", "allowed", "-I", principal, "-n", sshsign.Namespace, "-s", "sig"}, args...)...)
	return err == nil, out
}
