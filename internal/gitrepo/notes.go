package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Note returns the note of a commit under a ref of notes, nil where there is none.
func (r *Repo) Note(ctx context.Context, ref, commit string) ([]byte, error) {
	if err := checkRevision(commit); err != nil {
		return nil, err
	}
	id, err := r.git(ctx, "notes", "--ref="+ref, "list", commit)
	var e *Error
	if errors.As(err, &e) && e.Exit == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "cat-file", "blob", strings.TrimSpace(id))
	return []byte(out), err
}

// AddNoteLine puts one line into the note of a commit, beside those that are there; a
// line that is there is not put in again.
func (r *Repo) AddNoteLine(ctx context.Context, ref, commit string, line []byte) error {
	old, err := r.Note(ctx, ref, commit)
	if err != nil {
		return err
	}
	for l := range bytes.Lines(old) {
		if bytes.Equal(bytes.TrimSuffix(l, []byte("\n")), line) {
			return nil
		}
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	text := append(append(old, line...), '\n')
	_, err = r.run(ctx, call{args: []string{"notes", "--ref=" + ref, "add", "--force", "--file=-", commit}, stdin: bytes.NewReader(text)})
	return err
}

// FetchNotes brings the notes of a remote, a name or a URL, together with those that
// are here: a commit that has one on both sides keeps the lines of both. A remote
// without such notes changes nothing.
func (r *Repo) FetchNotes(ctx context.Context, ref, remote string) error {
	if err := checkRemote(remote); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, RemoteTimeout, fmt.Errorf("the remote did not answer in %s", RemoteTimeout))
	defer cancel()
	out, err := r.git(ctx, "ls-remote", "--quiet", uploadPack, "--", remote, ref)
	if err != nil || strings.TrimSpace(out) == "" {
		return err
	}
	theirs := ref + "-of-remote"
	if _, err := r.git(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", uploadPack, "--", remote, "+"+ref+":"+theirs); err != nil {
		return err
	}
	_, err = r.git(ctx, "notes", "--ref="+ref, "merge", "--quiet", "--strategy=cat_sort_uniq", theirs)
	_, gone := r.git(ctx, "update-ref", "-d", theirs)
	return errors.Join(err, gone)
}
