package sshsign_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/sshsign"
)

const who = "dev@example.com"

var payload = []byte(`{"_type":"https://in-toto.io/Statement/v1"}`)

func one(t testing.TB, s dsse.Signature, allowed string) sshsign.Verdict {
	t.Helper()
	list, err := sshsign.Verify(payload, []dsse.Signature{s}, []byte(allowed), time.Now())
	if err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	return list[0]
}

// TestOpenSSHAndWeAgreeOnSignatures: each verifies what the other signed, and neither
// what was signed over something else.
func TestOpenSSHAndWeAgreeOnSignatures(t *testing.T) {
	for name, args := range map[string][]string{
		"ed25519": {"-t", "ed25519"}, "ecdsa256": {"-t", "ecdsa", "-b", "256"}, "ecdsa384": {"-t", "ecdsa", "-b", "384"},
		"ecdsa521": {"-t", "ecdsa", "-b", "521"}, "rsa": {"-t", "rsa", "-b", "2048"}, "pem": {"-t", "rsa", "-b", "2048", "-m", "PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			signer, err := sshsign.Open(b.key("id", args...), "")
			if err != nil {
				t.Fatal(err)
			}
			defer signer.Close()
			allowed := who + " " + b.public("id") + "\n"
			ours, err := signer.Sign(payload)
			if err != nil {
				t.Fatal(err)
			}
			if ours.KeyID != signer.Fingerprint() {
				t.Error(ours.KeyID)
			}
			if ok, out := b.agrees(payload, ours, allowed, who); !ok {
				t.Errorf("ssh-keygen says of ours: %s", out)
			}
			if ok, _ := b.agrees([]byte("{}"), ours, allowed, who); ok {
				t.Error("ssh-keygen takes ours for another payload")
			}
			for _, hash := range []string{"sha512", "sha256"} {
				theirs := b.signs("id", bundle.Message(payload), "-n", sshsign.Namespace, "-O", "hashalg="+hash)
				for _, s := range []dsse.Signature{ours, theirs} {
					if v := one(t, s, allowed); !v.Counts() || v.Principals != who || v.Fingerprint != signer.Fingerprint() {
						t.Errorf("%s: %+v", hash, v)
					}
				}
			}
			list, err := sshsign.Verify([]byte("{}"), []dsse.Signature{ours}, []byte(allowed), time.Now())
			if err != nil || list[0].Counts() || list[0].Principals != "" {
				t.Errorf("over another payload: %+v %v", list, err)
			}
		})
	}
}

// TestSignaturesThatDoNotCount: for each, the reason is the right one.
func TestSignaturesThatDoNotCount(t *testing.T) {
	b := newBench(t)
	b.key("id", "-t", "ed25519")
	b.key("other", "-t", "ed25519")
	b.key("ca", "-t", "ed25519")
	allowed := who + " " + b.public("id") + "\n"
	message := bundle.Message(payload)
	good := b.signs("id", message, "-n", sshsign.Namespace)
	armoured, _ := base64.StdEncoding.DecodeString(good.Sig)
	in64 := func(text string) dsse.Signature {
		return dsse.Signature{Sig: base64.StdEncoding.EncodeToString([]byte(text))}
	}
	if v := one(t, good, allowed); !v.Counts() {
		t.Fatal(v.Because)
	}
	cert := func() dsse.Signature {
		if out, err := b.tool(nil, "ssh-keygen", "-q", "-s", "ca", "-I", "x", "-n", who, "other.pub"); err != nil {
			t.Fatal(out)
		}
		b.write("cert", b.read("other"))
		b.write("cert.pub", b.read("other-cert.pub"))
		return b.signs("cert.pub", message, "-n", sshsign.Namespace)
	}
	for what, tt := range map[string]struct {
		s       dsse.Signature
		allowed string
		want    string
	}{
		"nobody is allowed":        {good, "", "no allowed signer"},
		"only comments":            {good, "# " + allowed, "no allowed signer"},
		"another key":              {b.signs("other", message, "-n", sshsign.Namespace), allowed, "no allowed signer"},
		"another key, its keyid":   {dsse.Signature{KeyID: one(t, good, allowed).Fingerprint, Sig: b.signs("other", message, "-n", sshsign.Namespace).Sig}, allowed, "no allowed signer"},
		"another namespace":        {b.signs("id", message, "-n", "git"), allowed, `namespace "git"`},
		"the payload itself":       {b.signs("id", payload, "-n", sshsign.Namespace), allowed, "not over this payload"},
		"another payload":          {b.signs("id", bundle.Message([]byte("{}")), "-n", sshsign.Namespace), allowed, "not over this payload"},
		"a certificate":            {cert(), who + " cert-authority " + b.public("ca") + "\n" + who + " " + b.public("other"), "not supported"},
		"nothing":                  {dsse.Signature{}, allowed, "no armoured SSH signature"},
		"no base64":                {dsse.Signature{Sig: "%"}, allowed, "base64"},
		"base64 with a line end":   {dsse.Signature{Sig: good.Sig[:4] + "\n" + good.Sig[4:]}, allowed, "base64"},
		"the bytes without armour": {in64("SSHSIG\x00\x00\x00\x01"), allowed, "no armoured SSH signature"},
		"text before it":           {in64("x\n" + string(armoured)), allowed, "no armoured SSH signature"},
		"text behind it":           {in64(string(armoured) + "x"), allowed, "no armoured SSH signature"},
		"two of them":              {in64(string(armoured) + string(armoured)), allowed, "no armoured SSH signature"},
		"a header":                 {in64(strings.Replace(string(armoured), "\n", "\nA: b\n\n", 1)), allowed, "no armoured SSH signature"},
		"another armour":           {in64(strings.ReplaceAll(string(armoured), "SSH SIGNATURE", "SSH MESSAGE")), allowed, "no armoured SSH signature"},
		"cut":                      {in64("-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n"), allowed, "cannot be read"},
		"too long":                 {in64(string(armoured) + strings.Repeat("\n", 20<<10)), allowed, "longer than"},
	} {
		t.Run(what, func(t *testing.T) {
			v := one(t, tt.s, tt.allowed)
			if v.Counts() || v.Principals != "" || !strings.Contains(v.Because, tt.want) {
				t.Errorf("%+v, want %q", v, tt.want)
			}
		})
	}
}

// TestOneOfSeveralCounts: a signature that does not count takes nothing from one that does.
func TestOneOfSeveralCounts(t *testing.T) {
	b := newBench(t)
	b.key("id", "-t", "ed25519")
	b.key("other", "-t", "ed25519")
	message := bundle.Message(payload)
	list, err := sshsign.Verify(payload, []dsse.Signature{
		b.signs("other", message, "-n", sshsign.Namespace), b.signs("id", message, "-n", sshsign.Namespace), {Sig: "x"},
	}, []byte(who+" "+b.public("id")), time.Now())
	if err != nil || len(list) != 3 || list[0].Counts() || !list[1].Counts() || list[2].Counts() {
		t.Errorf("%+v %v", list, err)
	}
}

// TestWhereKeysAre: files, public halves, literals of Git's configuration, the agent.
func TestWhereKeysAre(t *testing.T) {
	b := newBench(t)
	b.key("id", "-t", "ed25519")
	b.key("held", "-t", "rsa", "-b", "2048")
	b.key("locked", "-t", "ed25519", "-N", "secret")
	b.key("lockedpem", "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "secret")
	b.key("weak", "-t", "rsa", "-b", "1024")
	b.key("alone", "-t", "ed25519")
	b.write("renamed.pub", b.read("alone.pub"))
	b.write("wrong.pub", b.read("alone.pub"))
	b.write("wrong", b.read("id"))
	agent := b.agent("held", "locked", "lockedpem")
	for what, tt := range map[string]struct {
		name, agent, key, want string
	}{
		"a private half":               {b.path("id"), "", "id", ""},
		"a public half":                {b.path("id.pub"), "", "id", ""},
		"a public half, alone":         {b.path("renamed.pub"), "", "", "not in ssh-agent"},
		"a public half beside another": {b.path("wrong.pub"), "", "", "not in ssh-agent"},
		"with a passphrase":            {b.path("locked"), "", "", "without passphrase"},
		"with a passphrase, held":      {b.path("locked"), agent, "locked", ""},
		"PEM with a passphrase, held":  {b.path("lockedpem"), agent, "lockedpem", ""},
		"a public half, held":          {b.path("held.pub"), agent, "held", ""},
		"a literal, held":              {"key::" + b.public("held") + " comment", agent, "held", ""},
		"an old literal, held":         {b.public("held"), agent, "held", ""},
		"a literal, not held":          {"key::" + b.public("id"), agent, "", "not in ssh-agent"},
		"a literal, no agent":          {"key::" + b.public("held"), "", "", "not in ssh-agent"},
		"a literal, dead agent":        {"key::" + b.public("held"), b.path("nothing"), "", "does not answer"},
		"a broken literal":             {"key::ssh-ed25519 AAAA", agent, "", "neither a private key"},
		"no key":                       {b.write("text", "hello\n"), agent, "", "neither a private key"},
		"no file":                      {b.path("nothing"), agent, "", "no such file"},
		"a folder":                     {b.dir, agent, "", "signing key"},
		"a weak key":                   {b.path("weak"), agent, "", "1024 bits is too short"},
		"a weak literal":               {"key::" + b.public("weak"), agent, "", "1024 bits is too short"},
	} {
		t.Run(what, func(t *testing.T) {
			signer, err := sshsign.Open(tt.name, tt.agent)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("%v, want %q", err, tt.want)
				}
				if strings.Contains(tt.want, "ssh-agent") && !errors.Is(err, sshsign.ErrNotFound) {
					t.Error("it is not ErrNotFound")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer signer.Close()
			s, err := signer.Sign(payload)
			if err != nil {
				t.Fatal(err)
			}
			allowed := who + " " + b.public(tt.key)
			if v := one(t, s, allowed); !v.Counts() {
				t.Error(v.Because)
			}
			if ok, out := b.agrees(payload, s, allowed, who); !ok {
				t.Error(out)
			}
		})
	}
}

// agent starts an ssh-agent that holds these keys, and returns its socket.
func (b bench) agent(keys ...string) string {
	b.t.Helper()
	for _, name := range []string{"ssh-agent", "ssh-add"} {
		if _, err := exec.LookPath(name); err != nil {
			b.t.Skipf("there is no %s", name)
		}
	}
	socket := b.path("s")
	c := exec.Command("ssh-agent", "-D", "-a", socket)
	c.Dir = b.dir
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	b.write("ask", "#!/bin/sh\necho secret\n")
	if err := os.Chmod(b.path("ask"), 0o700); err != nil {
		b.t.Fatal(err)
	}
	for _, k := range keys {
		var out []byte
		var err error
		for range 50 {
			add := exec.Command("ssh-add", "-q", k)
			add.Dir, add.Env = b.dir, []string{"PATH=/usr/bin:/bin", "HOME=" + b.dir, "SSH_AUTH_SOCK=" + socket, "SSH_ASKPASS=" + b.path("ask"), "SSH_ASKPASS_REQUIRE=force", "DISPLAY=:0"}
			if out, err = add.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("connect")) && !bytes.Contains(out, []byte("agent")) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			b.t.Fatalf("%s: %v %s", k, err, out)
		}
	}
	return socket
}
