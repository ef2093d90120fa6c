// Package follow reads what next says is due, as an agent would that knows nothing else.
// Tests are built on it which end agents at every point and let others go on.
package follow

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/prompt"
)

// Kind is what there is to do.
type Kind string

// The kinds of steps, in the order of a delivery's end.
const (
	Complete     Kind = "complete the step"
	Confirm      Kind = "a person confirms"
	LookForPull  Kind = "read whether there is a pull request"
	AnnouncePull Kind = "announce the pull request"
	WritePull    Kind = "read, then push and open what is not there"
	ReadComments Kind = "read the comments"
	Triage       Kind = "read the comments and say what each asks for"
	AnnounceWord Kind = "announce a reply"
	WriteReplies Kind = "read, then post the replies that are not there"
	AnnounceItem Kind = "read the work item, and announce its update unless it passes"
	WriteItem    Kind = "read, then write what the work item lacks"
	ReadItem     Kind = "read the work item"
)

// Step is one thing to do. Which fields it has depends on its kind.
type Step struct {
	Kind     Kind
	Remote   string   // of WritePull
	Notes    string   // of WritePull: ref that is exported to, and pushed with the branch
	Pull     Pull     // of WritePull
	Writes   []Write  // of WriteReplies and WriteItem
	Comments []string // of Triage: what is to be triaged
	Target   string   // of AnnounceWord: the comment; of AnnounceItem: the state
}

// Pull is a pull request that was confirmed.
type Pull struct{ Branch, Base, Title, Text string }

// Write is a reply or an update that was confirmed.
type Write struct {
	ID     string
	Target string // the comment that is answered, the state that is set, or ""
	Text   string // file that holds it, below the worktree; "" for none
}

// Read takes the whole of what next prints. It is an error where that cannot be followed.
func Read(next string) (Step, error) {
	_, due, found := strings.Cut(next, "## What is due\n")
	if !found {
		return Step{}, fmt.Errorf("next does not say what is due:\n%s", next)
	}
	if strings.HasPrefix(due, "Every need is met") {
		return Step{Kind: Complete}, nil
	}
	const program = prompt.Program + " "
	for _, c := range []struct {
		words string
		read  func(due string) (Step, bool)
	}{
		{"a human confirms", only(Confirm)},
		{"is confirmed and not read back", writePull},
		{"then " + program + "read pr: a pull request", only(LookForPull)},
		{program + "intend pr", only(AnnouncePull)},
		{"is posted once", writeReplies},
		{program + "triage put", triage},
		{program + "intend reply", announceWord},
		{"write what is missing of it, once", writeItem},
		{program + "intend work-item", announceItem},
		{program + "read comments", only(ReadComments)},
		{program + "read work-item", only(ReadItem)},
	} {
		if !strings.Contains(due, c.words) {
			continue
		}
		if s, ok := c.read(due); ok {
			return s, nil
		}
		break
	}
	return Step{}, fmt.Errorf("next says nothing that can be followed:\n%s", due)
}

func only(k Kind) func(string) (Step, bool) {
	return func(string) (Step, bool) { return Step{Kind: k}, true }
}

// text finds the file of a text that was confirmed.
func text(s string) string {
	return regexp.MustCompile(regexp.QuoteMeta(document.StateFolder) + `/artifacts/[0-9a-f]+`).FindString(s)
}

// writePull demands that something is read before anything is written.
func writePull(due string) (Step, bool) {
	_, steps, numbered := strings.Cut(due, "1. "+prompt.Program+" read pr\n")
	push := regexp.MustCompile(`2\. unless it passed: ` + regexp.QuoteMeta(prompt.Program) + ` export --note, then git push (\S+) (\S+) (\S+) `).FindStringSubmatch(steps)
	open := regexp.MustCompile(`fail without a url: open one, once: base (\S+), title (".*)`).FindStringSubmatch(steps)
	if !numbered || push == nil || open == nil {
		return Step{}, false
	}
	quoted, err := strconv.QuotedPrefix(open[2])
	if err != nil {
		return Step{}, false
	}
	title, err := strconv.Unquote(quoted)
	p := Pull{Branch: push[2], Base: open[1], Title: title, Text: text(open[2])}
	return Step{Kind: WritePull, Remote: push[1], Notes: push[3], Pull: p}, err == nil && p.Text != ""
}

func writeReplies(due string) (Step, bool) {
	s := Step{Kind: WriteReplies}
	for _, m := range regexp.MustCompile(`(?m)^  (I\d+): a reply to (\S+), (text in .*)$`).FindAllStringSubmatch(due, -1) {
		s.Writes = append(s.Writes, Write{ID: m[1], Target: m[2], Text: text(m[3])})
	}
	return s, len(s.Writes) > 0 && readsFirst(due, "read comments")
}

func writeItem(due string) (Step, bool) {
	m := regexp.MustCompile(`first: (I\d+) \((?:state ("(?:[^"\\]|\\.)*"))?(.*)\) is confirmed`).FindStringSubmatch(due)
	if m == nil || !readsFirst(due, "read work-item") {
		return Step{}, false
	}
	w := Write{ID: m[1], Text: text(m[3])}
	if m[2] != "" {
		var err error
		if w.Target, err = strconv.Unquote(m[2]); err != nil {
			return Step{}, false
		}
	}
	return Step{Kind: WriteItem, Writes: []Write{w}}, true
}

// readsFirst reports whether the first command that is named is a read.
func readsFirst(due, read string) bool {
	at := strings.Index(due, prompt.Program+" ")
	return at >= 0 && strings.HasPrefix(due[at:], prompt.Program+" "+read+"   first: ")
}

func triage(due string) (Step, bool) {
	s := Step{Kind: Triage}
	for _, m := range regexp.MustCompile(`"id":"([^"]+)"`).FindAllStringSubmatch(due, -1) {
		s.Comments = append(s.Comments, m[1])
	}
	return s, len(s.Comments) > 0
}

func announceWord(due string) (Step, bool) {
	m := regexp.MustCompile(`--thread (\S+)`).FindStringSubmatch(due)
	if m == nil {
		return Step{}, false
	}
	return Step{Kind: AnnounceWord, Target: m[1]}, true
}

// announceItem takes the state that the plan names.
func announceItem(due string) (Step, bool) {
	m := regexp.MustCompile(`intend work-item --state ("(?:[^"\\]|\\.)*")`).FindStringSubmatch(due)
	if m == nil {
		return Step{}, false
	}
	state, err := strconv.Unquote(m[1])
	return Step{Kind: AnnounceItem, Target: state}, err == nil
}
