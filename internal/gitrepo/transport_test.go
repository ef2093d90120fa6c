package gitrepo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/gitrepo"
)

func transport(t *testing.T, dir, remote string) gitrepo.Transport {
	t.Helper()
	r := open(t, dir)
	settings, err := r.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tr, err := r.Transport(settings, remote)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// What decides how the remote is reached changes the digest, and only that.
func TestTransport(t *testing.T) {
	global := filepath.Join(os.Getenv("HOME"), ".gitconfig")
	t.Cleanup(func() { _ = os.Remove(global) })
	for _, c := range []struct {
		what string
		name string // that is listed, "" where the digest has to stay
		set  func(t *testing.T, dir string)
	}{
		{"nothing", "", func(*testing.T, string) {}},
		{"an ssh command", "core.sshcommand", config("core.sshCommand", "x")},
		{"a proxy program", "core.gitproxy", config("core.gitProxy", "x")},
		{"the variant of ssh", "ssh.variant", config("ssh.variant", "simple")},
		{"a header", "http.extraheader", config("http.extraHeader", "x")},
		{"no check of certificates for one host", "http.https://example.com.sslverify", config("http.https://example.com/.sslVerify", "false")},
		{"a protocol", "protocol.ext.allow", config("protocol.ext.allow", "always")},
		{"a rewritten URL", "url.https://evil.example.insteadof", config("url.https://evil.example/x.insteadOf", "https://good.example/")},
		{"the URL", "remote.origin.url", config("remote.origin.url", "/elsewhere")},
		{"one more URL", "remote.origin.url", func(t *testing.T, dir string) { git(t, dir, "config", "--add", "remote.origin.url", "/elsewhere") }},
		{"the URL for pushes", "remote.origin.pushurl", config("remote.origin.pushurl", "/elsewhere")},
		{"a helper", "remote.origin.vcs", config("remote.origin.vcs", "evil")},
		{"the program at the other side", "remote.origin.uploadpack", config("remote.origin.uploadpack", "evil")},
		{"the user's", "core.sshcommand", func(t *testing.T, _ string) {
			if err := os.WriteFile(global, []byte("[core]\n\tsshCommand = x\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(global) })
		}},
		{"an included file", "core.sshcommand", func(t *testing.T, dir string) {
			write(t, dir, ".git/more", "[core]\n\tsshCommand = x\n")
			git(t, dir, "config", "include.path", "more")
		}},
		{"of the worktree alone", "core.sshcommand", func(t *testing.T, dir string) {
			git(t, dir, "config", "extensions.worktreeConfig", "true")
			git(t, dir, "config", "--worktree", "core.sshCommand", "x")
		}},
		{"GIT_SSH", "GIT_SSH", variable("GIT_SSH", "x")},
		{"GIT_SSH_COMMAND", "GIT_SSH_COMMAND", variable("GIT_SSH_COMMAND", "x")},
		{"GIT_SSH_COMMAND, empty", "GIT_SSH_COMMAND", variable("GIT_SSH_COMMAND", "")},
		{"GIT_SSH_VARIANT", "GIT_SSH_VARIANT", variable("GIT_SSH_VARIANT", "simple")},
		{"GIT_PROXY_COMMAND", "GIT_PROXY_COMMAND", variable("GIT_PROXY_COMMAND", "x")},
		{"GIT_SSL_NO_VERIFY", "GIT_SSL_NO_VERIFY", variable("GIT_SSL_NO_VERIFY", "1")},
		{"SSL_CERT_FILE", "SSL_CERT_FILE", variable("SSL_CERT_FILE", "/tmp/ca.pem")},

		{"a refspec", "", func(t *testing.T, dir string) {
			git(t, dir, "config", "--add", "remote.origin.fetch", "+refs/x/*:refs/x/*")
		}},
		{"another remote", "", config("remote.fork.url", "/elsewhere")},
		{"a remote whose name begins alike", "", config("remote.origin.x.url", "/elsewhere")},
		{"the remote of a branch", "", config("branch.main.remote", "fork")},
		{"a helper for credentials", "", config("credential.helper", "store")},
		{"a proxy", "", variable("https_proxy", "http://127.0.0.1:1")},
		{"somebody who asks", "", variable("GIT_ASKPASS", "x")},
		{"settings that git does not get", "", func(t *testing.T, _ string) {
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "core.sshCommand")
			t.Setenv("GIT_CONFIG_VALUE_0", "x")
		}},
		{"variables that git does not get", "", variable("GIT_SSL_CIPHER_LIST", "x")},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Setenv("GIT_CONFIG_GLOBAL", "") // not handed on: HOME decides
			dir := newRepo(t)
			git(t, dir, "remote", "add", "origin", "/nowhere")
			before := transport(t, dir, "origin")
			if diff := cmp.Diff([]string{"remote.origin.url"}, before.Names); diff != "" || len(before.Digest) != 64 {
				t.Fatal(before.Digest, diff)
			}
			c.set(t, dir)
			after := transport(t, dir, "origin")
			if changed := after.Digest != before.Digest; changed != (c.name != "") {
				t.Errorf("changed: %v", changed)
			}
			want := before.Names
			if c.name != "" && !slices.Contains(want, c.name) {
				want = append(want, c.name)
				slices.Sort(want)
			}
			if diff := cmp.Diff(want, after.Names); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func config(key, value string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { git(t, dir, "config", key, value) }
}

func variable(name, value string) func(*testing.T, string) {
	return func(t *testing.T, _ string) { t.Setenv(name, value) }
}

// Values differ, so do digests; order counts; a key alone is no empty value.
func TestTransportDigest(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, text := range []string{
		"", "[ssh]\n\tvariant = a\n", "[ssh]\n\tvariant = b\n", "[ssh]\n\tvariant\n", "[ssh]\n\tvariant =\n",
		"[ssh]\n\tvariant = a\n\tvariant = b\n", "[ssh]\n\tvariant = b\n\tvariant = a\n", "[ssh]\n\tvariant = \"a\\nssh.variant\\nb\"\n",
	} {
		dir := newRepo(t)
		git(t, dir, "config", "include.path", "more")
		write(t, dir, ".git/more", text)
		got := transport(t, dir, "origin").Digest
		if other, ok := seen[got]; ok {
			t.Errorf("%q is the same as %q", text, other)
		}
		seen[got] = text
	}
}

// Values and the secret parts of keys are not shown.
func TestTransportSecrets(t *testing.T) {
	t.Setenv("GIT_SSH_COMMAND", "ssh -o ProxyCommand=hush")
	dir := newRepo(t)
	for key, value := range map[string]string{
		"http.extraHeader": "Authorization: hush",
		"http.https://user:hush@example.com:8443/a.extraHeader": "hush",
		"url.https://hush@example.com/.insteadOf":               "https://example.com/",
		"url.hush@example.com:x.insteadOf":                      "x:",
		"url.https://example.com/?token=hush.insteadOf":         "y:",
		"url.https://example.com/hush/x.insteadOf":              "z:",
		"url.https://%zz:hush@x/.insteadOf":                     "w:",
		"remote.origin.url":                                     "https://user:hush@example.com/x",
	} {
		git(t, dir, "config", key, value)
	}
	tr := transport(t, dir, "origin")
	if text := strings.Join(tr.Names, " "); strings.Contains(text, "hush") || strings.Contains(text, "user") {
		t.Error(text)
	}
	want := []string{
		"GIT_SSH_COMMAND", "http.extraheader", "http.https://example.com:8443.extraheader", "remote.origin.url",
		"url.https://example.com.insteadof", "url.….insteadof",
	}
	if diff := cmp.Diff(want, tr.Names); diff != "" {
		t.Error(diff)
	}
	for _, remote := range []string{"", "-x", "a\nb"} {
		if _, err := open(t, dir).Transport(gitrepo.Settings{}, remote); err == nil {
			t.Errorf("%q is a remote", remote)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	dir := newRepo(t)
	r := open(t, dir)
	expect := func(fetch string, push ...string) {
		t.Helper()
		got, pushed, err := r.URLs(t.Context(), "origin")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]string{fetch}, push...), append([]string{got}, pushed...)); diff != "" {
			t.Error(diff)
		}
		if got, err := r.RemoteURL(t.Context(), "origin"); err != nil || got != fetch {
			t.Errorf("%q %v", got, err)
		}
	}
	refused := func(what, remote string) {
		t.Helper()
		if fetch, push, err := r.URLs(t.Context(), remote); err == nil {
			t.Errorf("%s: %q %q", what, fetch, push)
		}
	}
	refused("no remote", "origin")
	git(t, dir, "remote", "add", "origin", "/a b")
	git(t, dir, "remote", "add", "origin2", "/other")
	expect("/a b", "/a b")
	git(t, dir, "config", "url./c.pushInsteadOf", "/a")
	expect("/a b", "/c b")
	git(t, dir, "remote", "set-url", "--push", "origin", "/d")
	git(t, dir, "remote", "set-url", "--push", "--add", "origin", "/e")
	expect("/a b", "/d", "/e")
	git(t, dir, "config", "url./f.insteadOf", "/a")
	expect("/f b", "/d", "/e")
	refused("an option", "--all")
	git(t, dir, "config", "remote.origin.promisor", "true")
	git(t, dir, "config", "remote.origin.partialclonefilter", "blob:none")
	expect("/f b", "/d", "/e")
	for _, url := range []string{"/x (push) [y]", "/x (fetch)", "/x\ty"} {
		git(t, dir, "config", "remote.origin.url", url)
		expect(url, "/d", "/e")
	}
	git(t, dir, "config", "remote.origin.url", "/x\norigin\t/y")
	refused("a URL of two lines", "origin")
	git(t, dir, "config", "remote.origin.url", "/x")
	git(t, dir, "config", "remote.origin2.url", "/x\norigin\t/y")
	refused("another remote that says what this one is", "origin")
}
