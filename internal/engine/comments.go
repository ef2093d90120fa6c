package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/redact"
	"github.com/asterweave/asterweave/internal/state"
)

// Bounds of what the fold keeps of comments.
const (
	keptComments = 200
	keptNames    = 20
)

// textDigest names a text as it is compared: without secrets, which are not stored, and
// without what providers change on their own (line ends, white space at the ends).
func textDigest(r *redact.Redactor, text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(r.String(text))) {
		lines = append(lines, strings.TrimRight(line, " \t\r\n"))
	}
	return canon.Hash([]byte(strings.Join(lines, "\n")))
}

// comments stores what was read and what later decisions need of it.
func (e *Engine) comments(v View, list []provider.Comment, in *decide.Read) error {
	r, err := redactor(v.Facts)
	if err != nil {
		return err
	}
	whole, err := json.Marshal(list)
	if err == nil {
		whole, err = redactJSON(r, whole)
	}
	if err != nil {
		return fmt.Errorf("comments: %w", err)
	}
	path, err := e.log.PutArtifact(whole)
	if err != nil {
		return ledgerError(err)
	}
	out := &state.Comments{Path: path, Items: []state.Comment{}}
	own := ownReplies(v.State)
	for _, c := range list {
		digest := textDigest(r, c.Text)
		if c.Own && own[digest] {
			continue // a reply of ours that the provider shows as a comment of its own
		}
		out.Total++
		one := compact(v.State, r, c, digest, in)
		switch {
		case c.Resolved:
		case len(out.Items) == keptComments:
			out.More++
		default:
			out.Items = append(out.Items, one)
		}
	}
	in.Comments = out
	return nil
}

// ownReplies returns the texts of all confirmed replies.
func ownReplies(s *state.State) map[string]bool {
	out := map[string]bool{}
	for _, texts := range s.Replies {
		for _, t := range texts {
			out[t] = true
		}
	}
	return out
}

// compact reduces a comment. What the reading identity wrote is ours only when a human
// confirmed exactly that reply to it: the same account may well be a person's.
func compact(s *state.State, r *redact.Redactor, c provider.Comment, digest string, in *decide.Read) state.Comment {
	one := state.Comment{ID: c.ID, Kind: c.Kind, Blocks: c.Blocks}
	said := []string{digest}
	for _, reply := range c.Replies {
		text := textDigest(r, reply.Text)
		one.Ours = reply.Own && slices.Contains(s.Replies[c.ID], text)
		if !one.Ours {
			said = append(said, text)
			continue
		}
		in.Shown = append(in.Shown, decide.Shown{Target: c.ID, Text: text})
		one.Names = commitWords(reply.Text)
	}
	if !one.Ours {
		one.Names = nil
	}
	one.Said = canon.Hash([]byte(strings.Join(said, "\n")))
	return one
}

// commitWords returns the words of a text that may be ids of commits.
func commitWords(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(text, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		word = strings.ToLower(word)
		if len(word) < 7 || len(word) > 64 || strings.Trim(word, "0123456789abcdef") != "" || slices.Contains(out, word) {
			continue
		}
		if out = append(out, word); len(out) == keptNames {
			break
		}
	}
	return out
}

// itemComments notes what the work item shows that the reading identity wrote.
func (e *Engine) itemComments(v View, list []provider.Comment, in *decide.Read) error {
	r, err := redactor(v.Facts)
	if err != nil {
		return err
	}
	for _, c := range list {
		if !c.Own {
			continue
		}
		in.Shown = append(in.Shown, decide.Shown{Text: textDigest(r, c.Text)})
		if c.Kept != "" {
			in.Shown = append(in.Shown, decide.Shown{Text: textDigest(r, c.Kept)})
		}
	}
	return nil
}

// said reads the comments as they were read last, for prompts.
func (e *Engine) said(s *state.State, f *gate.Facts) {
	if s.Comments == nil {
		return
	}
	b, err := e.log.Artifact(s.Comments.Path)
	if err != nil {
		return // the prompt says where they are
	}
	_ = json.Unmarshal(b, &f.Said) // likewise
}
