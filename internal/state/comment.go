package state

import (
	"fmt"
	"maps"
	"slices"
)

// Comments is what the last whole read of the pull request's comments found, without
// their texts: those are in the artifact.
type Comments struct {
	Path  string    `json:"path"`           // artifact: everything that was read
	Total int       `json:"total"`          // resolved ones included
	Items []Comment `json:"items"`          // those that are not resolved, in the provider's order, capped
	More  int       `json:"more,omitempty"` // unresolved ones beyond the cap; outstanding, whatever they are
}

// Comment is one unresolved comment.
type Comment struct {
	ID     string   `json:"id"`
	Kind   string   `json:"kind"`
	Said   string   `json:"said"`             // digest of what others said in it
	Ours   bool     `json:"ours,omitempty"`   // the newest text is a reply that was announced, confirmed and read back
	Names  []string `json:"names,omitempty"`  // words of that reply that may be commit ids
	Blocks bool     `json:"blocks,omitempty"` // a review that asks for changes and stands
}

// Classes of comments.
const (
	Actionable       = "actionable"        // leads back to implement
	Informational    = "informational"     // is answered by a reply
	ChangesBehaviour = "changes-behaviour" // leads to another plan
)

// Triage says what a comment asks for.
type Triage struct {
	Class   string `json:"class"`
	Because string `json:"because"`
	Said    string `json:"said"`           // digest of what others had said by then; with another one it ends
	Head    string `json:"head"`           // submitted commit of that time; what addresses the comment comes after it
	Plan    string `json:"plan,omitempty"` // plan of that time
	Seq     int64  `json:"seq,omitempty"`
}

// Triaged stores triage.json and what follows from it.
type Triaged struct {
	Digest string            `json:"digest"` // artifact
	Items  map[string]Triage `json:"items"`
}

// Settled says that an announced write was read back.
type Settled struct {
	Intent string `json:"intent"`
	Part   string `json:"part,omitempty"` // of an update: the part that was read back, while another was not
}

// Comment returns the unresolved comment with this id.
func (c *Comments) Comment(id string) (Comment, bool) {
	if c == nil {
		return Comment{}, false
	}
	i := slices.IndexFunc(c.Items, func(one Comment) bool { return one.ID == id })
	if i < 0 {
		return Comment{}, false
	}
	return c.Items[i], true
}

// commented takes down what was read. Comments that are resolved need no triage, and
// another one when they are opened again.
func (s *State) commented(c Comments) {
	s.Comments = &c
	if c.More > 0 {
		return
	}
	maps.DeleteFunc(s.Triage, func(id string, _ Triage) bool {
		_, open := c.Comment(id)
		return !open
	})
}

// intended takes an announced write down. One about the same target that was
// announced before is dropped: what a human sees last is what may be written.
func (s *State) intended(in Intent) {
	s.Counts.Intents++
	if in.Text != "" { // of a version that drops
		for i, old := range s.Intents {
			if same := old.Kind == in.Kind && (in.Kind != "reply" || old.Target == in.Target); same && !old.Settled {
				s.Intents[i].Dropped = true
			}
		}
	}
	s.Intents = last(append(s.Intents, in), keptIntents)
}

// replied remembers the text of a confirmed reply, which makes it ours when it is read.
func (s *State) replied(in Intent) {
	if in.Kind != "reply" || in.Text == "" || slices.Contains(s.Replies[in.Target], in.Text) {
		return
	}
	if s.Replies == nil {
		s.Replies = map[string][]string{}
	}
	s.Replies[in.Target] = append(s.Replies[in.Target], in.Text)
}

func (s *State) settled(c Settled) error {
	for i := range s.Intents {
		if s.Intents[i].ID == c.Intent {
			if c.Part != "" {
				s.Intents[i].Shown = append(s.Intents[i].Shown, c.Part)
				return nil
			}
			s.Intents[i].Settled = true
			return nil
		}
	}
	return fmt.Errorf("intent %s is not known", c.Intent)
}

func (s *State) triaged(e Entry, c Triaged) {
	s.Docs[DocTriage] = c.Digest
	if s.Triage == nil {
		s.Triage = map[string]Triage{}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Items)) {
		t := c.Items[id]
		t.Seq = e.Seq
		s.Triage[id] = t
	}
	s.Idle = 0
}

// keptApprovers bounds the comments that are remembered as used.
const keptApprovers = 200

// heeded remembers a comment that approved something, so that it never does again.
func (s *State) heeded(url string) {
	if url != "" && !slices.Contains(s.Approvers, url) {
		s.Approvers = last(append(s.Approvers, url), keptApprovers)
	}
}
