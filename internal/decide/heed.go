package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// CommentDigest is how many digits of a digest a comment has to have at least. It may lie
// there for long before it is read, and whoever writes the plan can look for one whose
// digest begins alike.
const CommentDigest = 16

// Comment is an approval that was given by a comment on the work item.
type Comment struct {
	Rejects bool // it is the other word
	Author  string
	Digest  string // as it was written, lower case
	URL     string
	Proof   string
	Reader  string // identity that read it
	Refused string // why it counts for nothing, "" when it counts
}

// Heedable returns the open ask that a comment can answer, or says why there is none.
func (d *Draft) Heedable() (state.Ask, error) {
	if err := d.open(); err != nil {
		return state.Ask{}, err
	}
	if list := d.Facts.Config.Approvals; len(list) > 0 && !slices.Contains(list, evidence.ChannelProvider) {
		return state.Ask{}, problem.New(problem.GateShut, "the configuration takes no approval by comment, only by "+strings.Join(list, ", "), "a human approves there; inbox shows what is open")
	}
	if d.State.Delivery.Source == "" {
		return state.Ask{}, problem.New(problem.Conflict, "the delivery has no work item to comment on", "a human approves in the client, or in a terminal of their own")
	}
	if d.Facts.Remote != d.State.Delivery.Remote || d.Facts.URL != d.State.Delivery.URL || d.OtherTransport() {
		return state.Ask{}, problem.New(problem.GateShut, "the remote, or how it is reached, is another one than at the start, and so is whoever answers there", "put it back; or a human approves in the client, or in a terminal of their own")
	}
	for _, kind := range []string{state.AskConfirmation, state.AskApproval} {
		if ask, ok := d.State.AskAbout(kind); ok {
			return ask, nil
		}
	}
	return state.Ask{}, problem.New(problem.Conflict, "nothing waits for an approval", "inbox shows what is open")
}

// Heed approves what is open by the first comment that counts and bears its digest. By
// is its author from then on. Each comment counts once.
func (d *Draft) Heed(list []Comment) error {
	ask, err := d.Heedable()
	if err != nil {
		return err
	}
	if c, rejected := rejectedBy(list, ask.Digest); rejected {
		return problem.New(problem.GateShut, fmt.Sprintf("%s rejects %s: %s", c.Author, ask.ID, c.URL), "do what it asks for; or a human approves in the client, or in a terminal of their own")
	}
	var why []string
	for _, c := range list {
		if c.Rejects {
			continue
		}
		said := fmt.Sprintf("%s by %s", c.URL, c.Author)
		switch {
		case c.Refused != "":
			why = append(why, said+": "+c.Refused)
		case len(c.Digest) < CommentDigest:
			why = append(why, said+fmt.Sprintf(": at least %d digits of the digest are due", CommentDigest))
		case !strings.HasPrefix(ask.Digest, c.Digest):
			why = append(why, said+": it is about another digest")
		case c.Reader == "" || c.Reader != d.State.Delivery.Reader:
			why = append(why, said+fmt.Sprintf(": it is read as %q, and the work item was read as %q at the start; whose account the agent uses is not known", c.Reader, d.State.Delivery.Reader))
		case c.Author == "" || c.URL == "" || c.Proof == "":
			why = append(why, said+": who said it, or where, was not found out")
		case slices.Contains(d.State.Approvers, c.URL):
			why = append(why, said+": it was used before")
		default:
			d.By = evidence.By{Channel: evidence.ChannelProvider, Identity: c.Author}
			d.word = c
			return d.Approve(ask.Digest)
		}
	}
	text := "no comment approves " + ask.ID
	if len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	return problem.New(problem.GateShut, text, "someone with write permission, who is not the agent's account, writes on the work item: /asterweave approve "+ask.Digest)
}

// rejectedBy returns the comment by which somebody rejects what bears the digest, unless
// the same author approved it afterwards. The list is in the order of time.
func rejectedBy(list []Comment, digest string) (Comment, bool) {
	last := map[string]Comment{}
	for _, c := range list {
		if c.Refused == "" && len(c.Digest) >= ShortDigest && strings.HasPrefix(digest, c.Digest) {
			last[c.Author] = c
		}
	}
	for _, c := range list {
		if now, ok := last[c.Author]; ok && now.Rejects {
			return now, true
		}
	}
	return Comment{}, false
}
