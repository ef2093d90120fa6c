package sshsign_test

import (
	"strings"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/sshsign"
)

// TestOpenSSHAndWeAgreeOnWhoIsAllowed: the same list, key and time, side by side with
// ssh-keygen -Y verify. Where this package refuses more, the row says so; it never takes
// what ssh-keygen refuses.
func TestOpenSSHAndWeAgreeOnWhoIsAllowed(t *testing.T) {
	b := newBench(t)
	b.key("id", "-t", "ed25519")
	b.key("other", "-t", "ed25519")
	b.key("weak", "-t", "rsa", "-b", "1024")
	sig := b.signs("id", bundle.Message(payload), "-n", sshsign.Namespace)
	now := time.Date(2026, 3, 4, 12, 30, 15, 0, time.UTC)
	names := strings.NewReplacer("KEY", b.public("id"), "OTHER", b.public("other"), "WEAK", b.public("weak"), "ME", who)
	const (
		yes      = "allowed"
		no       = "not allowed"
		stricter = "refused here alone"
	)
	for _, tt := range []struct{ list, want string }{
		{"ME KEY", yes},
		{"ME KEY comment", yes},
		{"ME KEY a comment of words", yes},
		{"\t ME \t KEY", yes},
		{"ME\tKEY\t", yes},
		{"ME KEY\r\n", yes},
		{"\n\n# a comment\n  # another\nME KEY\n", yes},
		{"# ME KEY", no},
		{"ME OTHER", no},
		{"ME OTHER\nME KEY", yes},
		{"ME KEY\nME OTHER", yes},
		{"", no},
		{"ME,you@example.com KEY", yes},
		{`"ME" KEY`, yes},
		{`"you,ME" KEY`, yes},
		{`"ME KEY`, no},
		{`"ME"KEY`, stricter},
		{`M"E KEY`, no},
		{"*@example.com KEY", yes},
		{"*@exam?le.com KEY", yes},
		{"* KEY", yes},
		{`ME namespaces="asterweave" KEY`, yes},
		{`ME NameSpaces="asterweave" KEY`, yes},
		{`ME namespaces="git,asterweave" KEY`, yes},
		{`ME namespaces="aster*" KEY`, yes},
		{`ME namespaces="aster?eave" KEY`, yes},
		{`ME namespaces="*" KEY`, yes},
		{`ME namespaces="git" KEY`, no},
		{`ME namespaces="asterweave2" KEY`, no},
		{`ME namespaces="Asterweave" KEY`, no},
		{`ME namespaces="!asterweave,*" KEY`, no},
		{`ME namespaces="*,!asterweave" KEY`, no},
		{`ME namespaces="!git,*" KEY`, yes},
		{`ME namespaces="!git" KEY`, no},
		{`ME namespaces="git, asterweave" KEY`, no},
		{`ME namespaces="" KEY`, no},
		{`ME namespaces="git",namespaces="asterweave" KEY`, no},
		{`ME namespaces="git" KEY` + "\n" + `ME namespaces="asterweave" KEY`, yes},
		{`ME namespaces=asterweave KEY`, no},
		{`ME namespaces="asterweave KEY`, no},
		{`ME namespaces="asterweave"x KEY`, no},
		{`ME namespaces="asterweave", KEY`, no},
		{`ME namespaces="a\"b,asterweave" KEY`, yes},
		{`ME valid-after="20260304" KEY`, yes},
		{`ME valid-after="20260304Z" KEY`, yes},
		{`ME valid-after="202603041230Z" KEY`, yes},
		{`ME valid-after="20260304123015Z" KEY`, yes},
		{`ME valid-after="20260304123016Z" KEY`, no},
		{`ME valid-after="20260305" KEY`, no},
		{`ME valid-after="20260304123016" KEY`, no},
		{`ME valid-before="20260304123015Z" KEY`, yes},
		{`ME valid-before="20260304123014Z" KEY`, no},
		{`ME valid-before="20260304" KEY`, no},
		{`ME valid-before="20260305" KEY`, yes},
		{`ME valid-after="20260101",valid-before="20270101",namespaces="asterweave" KEY`, yes},
		{`ME valid-after="20260101",valid-after="20260102" KEY`, no},
		{`ME valid-after="2026" KEY`, no},
		{`ME valid-after="20261301" KEY`, no},
		{`ME valid-after="yesterday" KEY`, no},
		{`ME valid-after="" KEY`, no},
		{`ME valid-after=20260101 KEY`, no},
		{`ME valid-before="20250101" KEY` + "\nME KEY", yes},
		{`ME cert-authority KEY`, no},
		{`ME cert-authority,namespaces="asterweave" KEY`, no},
		{`ME namespaces="asterweave",cert-authority KEY`, no},
		{`ME CERT-AUTHORITY KEY`, no},
		{"ME cert-authority OTHER\nME KEY", yes},
		{`ME cert-authority, KEY`, no},
		{`ME no-touch-required KEY`, no},
		{`ME restrict,namespaces="asterweave" KEY`, no},
		{"ME WEAK\nME KEY", yes},
		{"ME", no},
		{"ME ssh-ed25519", no},
		{"ME ssh-ed25519 AAAA", no},
		{"ME ssh-ed25519 %%%%", no},
		{"ME " + strings.Replace(b.public("id"), "ssh-ed25519", "ssh-rsa", 1), no},
		{"KEY", no},
		{"ME touch KEY\nME KEY", yes},
		{"ME ssh-ed25519 AAAA\nME KEY", yes},
		{"you touch KEY\nME KEY", yes},
		{"ME KEY\nME touch KEY", yes},
	} {
		list := names.Replace(tt.list)
		theirs, said := b.agrees(payload, sig, list, who, "-Overify-time=20260304123015Z")
		verdicts, err := sshsign.Verify(payload, []dsse.Signature{sig}, []byte(list), now)
		ours := err == nil && verdicts[0].Counts()
		if theirs != (tt.want != no) || ours != (tt.want == yes) {
			t.Errorf("%q: ssh-keygen %v (%s), we %v (%v %+v), want %s", tt.list, theirs, strings.TrimSpace(said), ours, err, verdicts, tt.want)
		}
	}
}

// TestALineThatIsNotUnderstoodIsNamed, and takes nothing from the others.
func TestALineThatIsNotUnderstoodIsNamed(t *testing.T) {
	b := newBench(t)
	b.key("id", "-t", "ed25519")
	b.key("weak", "-t", "rsa", "-b", "1024")
	good := who + " " + b.public("id") + "\n"
	sig := b.signs("id", bundle.Message(payload), "-n", sshsign.Namespace)
	for text, want := range map[string]string{
		"someone":                               "it has no key",
		`"x ` + b.public("id"):                  "a quote is not closed",
		`x"y ` + b.public("id"):                 "it does not begin with principals",
		"x namespaces=y " + b.public("id"):      "the value of an option is not quoted",
		`x namespaces="y`:                       "it has no key",
		`x namespaces="" ` + b.public("id"):     "namespaces is empty",
		`x valid-after="now" ` + b.public("id"): `"now" is no time`,
		"x touch " + b.public("id"):             `the option "touch" is not known`,
		"x ssh-dss AAAA":                        `the option "ssh-dss" is not known`,
		"x ssh-ed25519 AAAA":                    "the key: ",
		"x cert-authority " + b.public("id"):    "cert-authority is not supported",
		"x " + b.public("weak"):                 "an RSA key of 1024 bits is too short",
	} {
		a, err := sshsign.ParseAllowed([]byte("\n" + text + "\n" + good))
		if err != nil || len(a.Ignored) != 1 || !strings.HasPrefix(a.Ignored[0], "line 2 allows nobody: ") || !strings.Contains(a.Ignored[0], want) {
			t.Errorf("%.60q: %v %q, want %q", text, err, a.Ignored, want)
			continue
		}
		if v := a.Verify(payload, []dsse.Signature{sig}, time.Now()); !v[0].Counts() {
			t.Errorf("%.60q: %+v", text, v)
		}
	}
	for text, want := range map[string]string{"\x00": "no text", "\xff": "no text", strings.Repeat("#", 1<<20+1): "more than the"} {
		if _, err := sshsign.Verify(payload, []dsse.Signature{sig}, []byte(good+text), time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

// TestTimesWithoutZoneAreTheReaders.
func TestTimesWithoutZoneAreTheReaders(t *testing.T) {
	b := newBench(t)
	b.key("id", "-t", "ed25519")
	sig := b.signs("id", bundle.Message(payload), "-n", sshsign.Namespace)
	list := []byte(who + ` valid-after="202603041200" ` + b.public("id"))
	at := time.Date(2026, 3, 4, 11, 30, 0, 0, time.UTC)
	for zone, want := range map[int]bool{0: false, 3600: true, -3600: false} {
		v, err := sshsign.Verify(payload, []dsse.Signature{sig}, list, at.In(time.FixedZone("x", zone)))
		if err != nil || v[0].Counts() != want {
			t.Errorf("%d: %+v %v", zone, v, err)
		}
	}
}

// FuzzAllowed: what is read says for every line with a key whom it allows, or why
// nobody, and reading a part of the lines reads no more signers than there are lines.
func FuzzAllowed(f *testing.F) {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
	for _, s := range []string{
		who + " " + key, `"a,b" namespaces="x",valid-after="20260101Z",valid-before="20270101" ` + key + " c\n# x\n", "x cert-authority,namespaces=\"a\\\"b\" " + key,
		"x namespaces=\"", "x valid-after=\"2026", "\"", "x y=\"z\",", "!x,* " + key,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := sshsign.ParseAllowed(text)
		if err != nil {
			return
		}
		for _, v := range a.Verify(payload, []dsse.Signature{{Sig: "eA=="}}, time.Unix(1e9, 0)) {
			if v.Counts() {
				t.Fatal("a signature that is none counts")
			}
		}
		if twice, err := sshsign.ParseAllowed(append(append([]byte{}, text...), "\n#\n"...)); err != nil || len(twice.Ignored) != len(a.Ignored) {
			t.Fatalf("a comment behind it changes it: %v", err)
		}
	})
}
