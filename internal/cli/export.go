package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/spf13/cobra"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/engine"
	"github.com/asterweave/asterweave/internal/export"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/sshsign"
)

func (a *app) exportCommand() *cobra.Command {
	var (
		out  string
		key  string
		note bool
		req  = export.Request{Version: Version}
	)
	c := a.engineVerb("export", "write the delivery as a bundle about the head commit", cobra.NoArgs, func(c *cobra.Command, e *engine.Engine, _ []string) error {
		s, err := export.Statement(c.Context(), e, req)
		if err != nil {
			return err
		}
		payload, err := bundle.Encode(s)
		if err != nil {
			return problem.Wrap(problem.Failed, err, "leave the outputs out; a ledger that is too long travels as a file of its own")
		}
		signatures, err := a.sign(c.Context(), e, key, payload)
		if err != nil {
			return err
		}
		envelope, err := bundle.Wrap(payload, signatures...)
		if err != nil {
			return err
		}
		if note {
			if err := export.Note(c.Context(), e, s.Commit(), envelope); err != nil {
				return err
			}
		}
		switch {
		case out == "-" || out == "" && !note:
			_, err := fmt.Fprintf(a.stdout, "%s\n", envelope)
			return err
		case out != "":
			if err := os.WriteFile(out, append(envelope, '\n'), 0o644); err != nil {
				return problem.Wrap(problem.Failed, err, "name a file in a folder that can be written")
			}
		}
		return a.exported(s, signatures, len(envelope), out, note)
	})
	c.Flags().StringVar(&out, "out", "", "file that the bundle is written to; - is standard output, which is where it goes without --note")
	c.Flags().BoolVar(&note, "note", false, "put it into the note of the head commit, beside those that are there")
	c.Flags().BoolVar(&req.Outputs, "outputs", false, "take in what the runs printed, as far as it fits")
	c.Flags().StringVar(&key, "sign", "", "SSH key to sign with: a file, git for the one that Git signs with, none; without it Git's, where there is one that can be used")
	return c
}

// Words for --sign beside files; a file of such a name is ./git or ./none.
const (
	signGit  = "git"
	signNone = "none"
)

// sign returns what a payload is signed with: nothing, or one signature. Where no key was
// asked for, one that cannot be used leaves the bundle unsigned, and says so.
func (a *app) sign(ctx context.Context, e *engine.Engine, key string, payload []byte) ([]dsse.Signature, error) {
	asked := key
	if key == signNone {
		return nil, nil
	}
	if key == "" || key == signGit {
		var err error
		if key, err = e.SigningKey(ctx); err != nil {
			return nil, err
		}
		if key == "" && asked == "" {
			return nil, nil
		}
		if key == "" {
			return nil, problem.New(problem.Usage, "git is not set up to sign with an SSH key of its own: gpg.format is to be ssh, and user.signingkey a key", "name the file of a key, or leave --sign out")
		}
	}
	s, err := signed(key, a.getenv("SSH_AUTH_SOCK"), payload)
	switch {
	case err == nil:
		return []dsse.Signature{s}, nil
	case asked == "":
		fmt.Fprintf(a.stderr, "asterweave: the bundle is unsigned: the key that git signs with cannot be used: %v\n", err)
		return nil, nil
	}
	return nil, problem.Wrap(problem.Failed, err, "name the file of a key without passphrase, or one that ssh-agent holds")
}

func signed(key, agent string, payload []byte) (s dsse.Signature, err error) {
	signer, err := sshsign.Open(key, agent)
	if err != nil {
		return s, err
	}
	s, err = signer.Sign(payload)
	return s, errors.Join(err, signer.Close())
}

// exported says what was written where.
func (a *app) exported(s bundle.Statement, signatures []dsse.Signature, size int, out string, note bool) error {
	p := s.Predicate
	by := ""
	if len(signatures) > 0 {
		by = signatures[0].KeyID
	}
	a.answer(map[string]any{
		"ok": true, "commit": s.Commit(), "signedBy": by, "bytes": size, "note": note, "file": out,
		"ledger": map[string]any{"events": p.Ledger.Events, "head": p.Ledger.Head}, "leftOut": p.LeftOut,
	})
	a.say("a bundle of %d bytes about %s: %d events, %d records, head %s", size, s.Commit(), p.Ledger.Events, len(p.Evidence), p.Ledger.Head)
	if by != "" {
		a.say("signed with %s", by)
	} else {
		a.say("it is unsigned")
	}
	if note {
		a.say("it is in the commit's note; it travels when %s is pushed with the branch", bundle.NotesRef)
	}
	if n := len(p.LeftOut); n > 0 {
		a.say("%d outputs are left out and named by their digests", n)
	}
	return nil
}
