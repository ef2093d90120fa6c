//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/bundle"
)

// keys makes SSH keys beside the worktree, and returns the path of a list that allows
// the first.
func (r *repo) keys(names ...string) string {
	r.t.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		r.t.Skip("there is no ssh-keygen to make keys with")
	}
	for _, n := range names {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "x", "-f", filepath.Join(r.base, n)).CombinedOutput(); err != nil {
			r.t.Fatalf("%v %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(r.base, names[0]+".pub"))
	if err != nil {
		r.t.Fatal(err)
	}
	list := filepath.Join(r.base, "allowed")
	r.write(list, "dev@example.com namespaces=\"asterweave\" "+string(public))
	return list
}

// exports returns the envelope that export prints.
func (r *repo) exports(args ...string) string {
	r.t.Helper()
	return r.ok(r.look(append([]string{"export"}, args...)...)).stdout
}

func opened(t testing.TB, envelope string) bundle.Signed {
	t.Helper()
	s, err := bundle.Open([]byte(envelope))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestExportSigns with the key that is named, or with Git's; where Git's cannot be used it
// says so, and where one was asked for it fails.
func TestExportSigns(t *testing.T) {
	r := at(t, "tested")
	r.keys("id")
	id := filepath.Join(r.base, "id")
	missing := filepath.Join(r.base, "nothing")
	set := func(format, key string) {
		r.git("config", "gpg.format", format)
		r.git("config", "user.signingkey", key)
	}
	signed := func(what string, a answer) {
		t.Helper()
		if n := len(opened(t, r.ok(a).stdout).Signatures); n != 1 || a.stderr != "" {
			t.Errorf("%s: %d signatures: %s", what, n, a)
		}
	}
	unsigned := func(what, said string, a answer) {
		t.Helper()
		if n := len(opened(t, r.ok(a).stdout).Signatures); n != 0 || !strings.Contains(a.stderr, said) || said == "" && a.stderr != "" {
			t.Errorf("%s: %d signatures: %s", what, n, a)
		}
	}
	refused := func(what, said string, a answer) {
		t.Helper()
		if a.status == 0 || a.stdout != "" || !strings.Contains(a.stderr, said) {
			t.Errorf("%s: %s", what, a)
		}
	}
	unsigned("git has no key", "", r.look("export"))
	signed("a file", r.look("export", "--sign", id))
	refused("git's, which has none", "git is not set up", r.look("export", "--sign", "git"))
	refused("a file that is not there", "no such file", r.look("export", "--sign", missing))
	set("openpgp", "0123ABCD")
	unsigned("git has a key of OpenPGP", "", r.look("export"))
	set("ssh", id)
	signed("git's", r.look("export"))
	signed("git's, asked for", r.look("export", "--sign", "git"))
	unsigned("none", "", r.look("export", "--sign", "none"))
	set("ssh", missing)
	unsigned("git's, which is not there", "the bundle is unsigned: the key that git signs with cannot be used", r.look("export"))
	refused("git's, asked for, which is not there", "no such file", r.look("export", "--sign", "git"))
	a := r.ok(r.aw("export", "--sign", id, "--out", filepath.Join(r.base, "b"), "--note"))
	if !strings.HasPrefix(a.text("signedBy"), "SHA256:") {
		t.Error(a)
	}
	note := r.git("notes", "--ref=refs/notes/asterweave", "show", "HEAD")
	file, err := os.ReadFile(filepath.Join(r.base, "b"))
	if err != nil || strings.TrimSpace(string(file)) != strings.TrimSpace(note) || len(opened(t, note).Signatures) != 1 {
		t.Errorf("%v, %d bytes in the file and %d in the note", err, len(file), len(note))
	}
}

// TestTheScriptThatIsNotOurs: examples/verify/verify.py knows docs/bundle.md alone, and says
// of honest bundles and of forged ones what this repository's own code would.
func TestTheScriptThatIsNotOurs(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to run the script with")
	}
	// What is on PATH may be a wrapper that takes longer than the script.
	if out, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output(); err == nil && len(out) > 1 {
		python = strings.TrimSpace(string(out))
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "examples", "verify", "verify.py"))
	if err != nil {
		t.Fatal(err)
	}
	r := at(t, "tested")
	allowed := r.keys("id", "other")
	head := r.git("rev-parse", "HEAD")
	signed, unsigned := r.exports("--sign", filepath.Join(r.base, "id"), "--outputs"), r.exports()
	elsewhere := r.base // no repository
	verify := func(dir, envelope string, args ...string) (string, int) {
		t.Helper()
		c := exec.Command(python, append([]string{"-I", script, "-"}, args...)...)
		c.Dir, c.Stdin, c.Env = dir, strings.NewReader(envelope), append(r.environ(), "PATH="+shared.path+":"+filepath.Dir(python), "HOME="+os.Getenv("HOME"))
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	for what, tt := range map[string]struct {
		dir, envelope string
		args          []string
		want          string
	}{
		"signed":              {r.dir, signed, []string{head, "--allowed", allowed}, "ok    signature: by dev@example.com"},
		"signed, not checked": {r.dir, signed, []string{head}, "note  signature: not checked"},
		"unsigned":            {r.dir, unsigned, []string{head}, "note  signature: the bundle is unsigned"},
		"in no repository":    {elsewhere, unsigned, []string{head}, "ok    subject: " + head + "\n"},
		"in the repository":   {r.dir, unsigned, []string{head}, "ok    subject: " + head + ", which is HEAD\n"},
	} {
		t.Run(what, func(t *testing.T) {
			out, status := verify(tt.dir, tt.envelope, tt.args...)
			if status != 0 || !strings.Contains(out, tt.want) || strings.Count(out, "\n") != 6 {
				t.Errorf("status %d\n%s", status, out)
			}
		})
	}
	payload := string(opened(t, signed).Payload)
	changed := func(old, with string) string {
		t.Helper()
		if !strings.Contains(payload, old) {
			t.Fatalf("%q is not in the payload", old)
		}
		return wrapped(t, strings.Replace(payload, old, with, 1))
	}
	statement := func(change func(*bundle.Statement)) string {
		t.Helper()
		s, err := bundle.Decode([]byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		change(&s)
		b, err := bundle.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		return wrapped(t, string(b))
	}
	relined := func(change func([]string) []string) string {
		return statement(func(s *bundle.Statement) {
			lines := change(slices.Collect(strings.Lines(r.ledger())))
			last := lines[len(lines)-1]
			l, err := bundle.Pack(strings.NewReader(strings.Join(lines, "")), int64(len(lines)), last[strings.LastIndex(last, `"hash":"`)+8:][:64])
			if err != nil {
				t.Fatal(err)
			}
			s.Predicate.Ledger = l
		})
	}
	env := func(change func(*dsse.Envelope)) string {
		var e dsse.Envelope
		if err := json.Unmarshal([]byte(signed), &e); err != nil {
			t.Fatal(err)
		}
		change(&e)
		return js(e)
	}
	other := r.exports("--sign", filepath.Join(r.base, "other"))
	sign := []string{head, "--allowed", allowed}
	for what, tt := range map[string]struct {
		dir, envelope string
		args          []string
		want          string
	}{
		"unsigned, where it has to be signed": {r.dir, unsigned, sign, "signature: the bundle is unsigned"},
		"signed by nobody who is allowed":     {r.dir, other, sign, "signature: no signature"},
		"signed over other words":             {r.dir, resigned(t, signed, changed(`"goal":"SUM-1`, `"goal":"SUM-2`)), sign, "signature: no signature"},
		"another payload type":                {r.dir, env(func(e *dsse.Envelope) { e.PayloadType = "text/plain" }), []string{head}, "envelope: other keys"},
		"a key twice in the envelope":         {r.dir, strings.Replace(signed, `"payload":`, `"payload":"","payload":`, 1), []string{head}, "envelope: a key is there twice"},
		"URL-safe base64":                     {r.dir, env(func(e *dsse.Envelope) { e.Payload = "_" + e.Payload[1:] }), []string{head}, "envelope: "},
		"a key twice in the statement":        {r.dir, changed(`"goal":`, `"goal":"","goal":`), []string{head}, "statement: a key is there twice"},
		"another spelling":                    {r.dir, changed(`,"predicate":`, `, "predicate":`), []string{head}, "statement: it is not spelled"},
		"a later version":                     {r.dir, changed(`delivery/v1`, `delivery/v2`), []string{head}, "statement: it is of a type or version"},
		"nested 1000 deep":                    {r.dir, wrapped(t, strings.Repeat("[", 100000)+strings.Repeat("]", 100000)), []string{head}, "statement: "},
		"a document that was replaced": {r.dir, statement(func(s *bundle.Statement) {
			s.Predicate.Documents[s.Predicate.Graph] = []byte("{}")
		}), []string{head}, "documents: one is not"},
		"another digest of the ledger": {r.dir, statement(func(s *bundle.Statement) { s.Predicate.Ledger.Digest = strings.Repeat("0", 64) }), []string{head}, "ledger: the bytes are not"},
		"another head":                 {r.dir, statement(func(s *bundle.Statement) { s.Predicate.Ledger.Head = strings.Repeat("0", 64) }), []string{head}, "ledger: its length or head"},
		"one event more than there is": {r.dir, statement(func(s *bundle.Statement) { s.Predicate.Ledger.Events++ }), []string{head}, "ledger: its length or head"},
		"a packed ledger that is long": {r.dir, statement(func(s *bundle.Statement) { s.Predicate.Ledger.Bytes -= 3 }), []string{head}, "ledger: the bytes are not"},
		"an event that is gone":        {r.dir, relined(func(l []string) []string { return append(l[:3:3], l[4:]...) }), []string{head}, "ledger: event 4 does not continue"},
		"an event that was edited": {r.dir, relined(func(l []string) []string {
			l[4] = strings.Replace(l[4], `"cause":"`, `"cause":"x`, 1)
			return l
		}), []string{head}, "ledger: event 5 has another hash"},
		"events swapped":      {r.dir, relined(func(l []string) []string { l[5], l[6] = l[6], l[5]; return l }), []string{head}, "ledger: event 6 does not continue"},
		"about another head":  {r.dir, unsigned, []string{r.git("rev-parse", "HEAD~1")}, "subject: it is about"},
		"moved to another":    {r.dir, changed(head, r.git("rev-parse", "HEAD~1")), []string{head}, "subject: it is about"},
		"nothing":             {r.dir, "", []string{head}, "envelope: "},
		"an allowed nobody":   {r.dir, signed, []string{head, "--allowed", os.DevNull}, "signature: no signature"},
		"no list of signers":  {r.dir, signed, []string{head, "--allowed", filepath.Join(r.base, "no")}, "signature: no signature"},
		"a tree of elsewhere": {r.dir, statement(func(s *bundle.Statement) { s.Predicate.World.Tree = head }), []string{head}, "subject: HEAD and its tree"},
	} {
		t.Run(what, func(t *testing.T) {
			out, status := verify(tt.dir, tt.envelope, tt.args...)
			if status != 1 || !strings.Contains(out, "FAIL  "+tt.want) {
				t.Errorf("status %d, want %q\n%s", status, tt.want, out)
			}
		})
	}
	r.git("commit", "-q", "--allow-empty", "-m", "on")
	if out, status := verify(r.dir, unsigned, head); status != 1 || !strings.Contains(out, "FAIL  subject: HEAD and its tree") {
		t.Errorf("HEAD has moved on: status %d\n%s", status, out)
	}
}

// wrapped puts a payload into an envelope without signatures.
func wrapped(t testing.TB, payload string) string {
	t.Helper()
	b, err := bundle.Wrap([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// resigned puts the signatures of one envelope over the payload of another.
func resigned(t testing.TB, from, to string) string {
	t.Helper()
	b, err := bundle.Wrap(opened(t, to).Payload, opened(t, from).Signatures...)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
