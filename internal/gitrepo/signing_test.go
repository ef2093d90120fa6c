package gitrepo_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func TestTheKeyThatGitSignsWith(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct{ format, key, want string }{
		"nothing":           {"", "", ""},
		"a path":            {"ssh", "/keys/id", "/keys/id"},
		"a path at home":    {"ssh", "~/.ssh/id.pub", filepath.Join(home, ".ssh/id.pub")},
		"a relative path":   {"SSH", "keys/id", "ROOT/keys/id"},
		"a literal":         {"ssh", "key::ecdsa-sha2-nistp256 AAAA", "key::ecdsa-sha2-nistp256 AAAA"},
		"an old literal":    {"ssh", "ssh-ed25519 AAAA", "ssh-ed25519 AAAA"},
		"OpenPGP":           {"openpgp", "0123ABCD", ""},
		"OpenPGP, unsaid":   {"", "0123ABCD", ""},
		"X.509":             {"x509", "0123ABCD", ""},
		"ssh without a key": {"ssh", "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "init", "-q")
			git(t, dir, "config", "gpg.ssh.defaultKeyCommand", "touch "+filepath.Join(dir, "ran"))
			for name, value := range map[string]string{"gpg.format": tt.format, "user.signingkey": tt.key} {
				if value != "" {
					git(t, dir, "config", name, value)
				}
			}
			r, err := gitrepo.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "ROOT/keys/id" {
				want = filepath.Join(r.Root(), "keys/id")
			}
			if got, err := r.SigningKey(t.Context()); err != nil || got != want {
				t.Errorf("%q %v, want %q", got, err, want)
			}
			if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
				t.Error("a command of the configuration was run")
			}
		})
	}
}
