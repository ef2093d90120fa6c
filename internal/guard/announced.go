package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of announced writes.
const (
	WriteReply    = "reply"     // to a comment on the pull request
	WriteWorkItem = "work-item" // a state, a comment, or both
)

// Write is a reply or an update that a person confirmed and that no read has shown
// yet. Exactly that write is let through, in the forms that can be compared with it.
type Write struct {
	Kind   string
	Target string // comment that is answered
	State  string // that the work item is to have, "" for none
	Text   string // "" for none
	Path   string // full path of the file that holds the text
	Repo   string // owner/name of the work item, "" where it has none
	Item   string // number of the work item
	Pull   string // number of the pull request
}

// announced reports whether one of the confirmed writes fits.
func (s Situation) announced(fits func(Write) bool) bool {
	return slices.ContainsFunc(s.Writes, fits)
}

// says reports whether the text is the confirmed one; services and shells differ in
// what ends it.
func (c Write) says(text string) bool {
	plain := func(t string) string { return strings.TrimSpace(strings.ReplaceAll(t, "\r\n", "\n")) }
	return c.Text != "" && plain(text) == plain(c.Text)
}

// only reports whether no option but these is there, and each of them can be read.
func only(flags []flag, names ...string) bool {
	for _, f := range flags {
		if !slices.Contains(names, f.name) || f.val.dim() {
			return false
		}
	}
	return true
}

// carries reports whether the text that the options bring is the confirmed one: given as
// it is, or by the file of the ledger's, which nobody else writes.
func (w *walker) carries(c Write, flags []flag, e *env, text, file []string) bool {
	given, byText := value1(flags, text...)
	name, byFile := value1(flags, file...)
	switch {
	case byText && !byFile:
		return c.says(given.text)
	case byFile && !byText:
		return w.isText(c, name.text, e)
	}
	return false
}

func (w *walker) isText(c Write, name string, e *env) bool {
	p, full := e.at(name, w.s.Home)
	if !full || c.Path == "" || p != filepath.Clean(c.Path) {
		return false
	}
	_, changed := w.files[p]
	return !changed
}

// announcedGH reports whether a command of gh is a confirmed write.
func (w *walker) announcedGH(words []arg, flags []flag, e *env) bool {
	if n := len(words); n == 4 && !words[3].dim() && len(flags) > 0 && flags[len(flags)-1].name == "comment" && !flags[len(flags)-1].has {
		// gh reads the word behind it as its value here, and as none elsewhere.
		flags = append(slices.Clone(flags[:len(flags)-1]), flag{name: "comment", val: words[3], has: true})
		words = words[:3]
	}
	if len(words) != 3 || words[2].dim() {
		return false
	}
	number := words[2].text
	body, file := []string{"body", "b"}, []string{"body-file", "F"}
	switch words[0].text + " " + words[1].text {
	case "pr comment":
		return only(flags, "body", "b", "body-file", "F") && w.s.announced(func(c Write) bool {
			return c.Kind == WriteReply && c.Pull != "" && number == c.Pull && w.carries(c, flags, e, body, file)
		})
	case "issue comment":
		return only(flags, "body", "b", "body-file", "F") && w.s.announced(func(c Write) bool {
			return c.ofItem(number) && c.State == "" && w.carries(c, flags, e, body, file)
		})
	case "issue close", "issue reopen":
		to := map[string]string{"close": "closed", "reopen": "open"}[words[1].text]
		return only(flags, "comment", "c", "reason", "r") && w.s.announced(func(c Write) bool {
			said, has := value1(flags, "comment", "c")
			return c.ofItem(number) && strings.EqualFold(c.State, to) && (has && c.says(said.text) || !has && c.Text == "")
		})
	}
	return false
}

// ofItem reports whether it is an update of the work item with this number.
func (c Write) ofItem(number string) bool {
	return c.Kind == WriteWorkItem && c.Item != "" && number == c.Item
}

// announcedAPI reports whether a request is a confirmed reply to a comment on a line.
func (w *walker) announcedAPI(words []arg, flags []flag, e *env) bool {
	if len(words) != 2 || words[1].dim() || !only(flags, "method", "X", "field", "F", "raw-field", "f") {
		return false
	}
	if m, ok := value1(flags, "method", "X"); ok && !strings.EqualFold(m.text, "POST") {
		return false
	}
	var fields []flag
	for _, f := range flags {
		if f.name != "method" && f.name != "X" {
			fields = append(fields, f)
		}
	}
	if len(fields) != 1 {
		return false
	}
	text, ok := strings.CutPrefix(fields[0].val.text, "body=")
	if !ok {
		return false
	}
	magic := fields[0].name == "field" || fields[0].name == "F"
	path := strings.Trim(words[1].text, "/")
	return w.s.announced(func(c Write) bool {
		if c.Kind != WriteReply || c.Pull == "" || c.Target == "" || c.Repo == "" && !strings.HasPrefix(path, "repos/{owner}/{repo}/") {
			return false
		}
		tail := fmt.Sprintf("/pulls/%s/comments/%s/replies", c.Pull, c.Target)
		if path != "repos/{owner}/{repo}"+tail && path != "repos/"+c.Repo+tail {
			return false
		}
		if file, at := strings.CutPrefix(text, "@"); at && magic {
			return w.isText(c, file, e)
		}
		return c.says(text)
	})
}

// announcedAz reports whether a command of az is a confirmed update.
func (w *walker) announcedAz(words []arg, flags []flag) bool {
	if len(words) != 3 || words[0].text != "boards" || words[1].text != "work-item" || words[2].text != "update" || !only(flags, "id", "state", "s", "discussion", "output", "o") {
		return false
	}
	id, ok := value1(flags, "id")
	state, hasState := value1(flags, "state", "s")
	said, hasText := value1(flags, "discussion")
	return ok && w.s.announced(func(c Write) bool {
		return c.ofItem(id.text) && hasState == (c.State != "") && hasText == (c.Text != "") &&
			(!hasState || strings.EqualFold(state.text, c.State)) && (!hasText || c.says(said.text))
	})
}

// announcedMCP reports whether a tool of a provider's server is a confirmed comment: all
// that it is given names the place, or is the text.
func (s Situation) announcedMCP(words []string, in map[string]any) bool {
	if !slices.Contains(words, "comment") && !slices.Contains(words, "reply") {
		return false
	}
	text, target, item, pull, repo := "", "", "", "", []string{"", ""}
	for key, v := range in {
		given := fmt.Sprint(v)
		if n, ok := v.(float64); ok {
			given = fmt.Sprintf("%.0f", n)
		}
		switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key)) {
		case "body", "content", "text", "comment":
			if text != "" {
				return false
			}
			text = given
		case "commentid", "threadid", "inreplyto":
			target = given
		case "issuenumber", "workitemid":
			item = given
		case "pullnumber", "pullrequestid":
			pull = given
		case "owner":
			repo[0] = given
		case "repo":
			repo[1] = given
		case "project", "repositoryid", "format":
		default:
			return false
		}
	}
	place := strings.Join(repo, "/")
	return s.announced(func(c Write) bool {
		if !c.says(text) || c.Repo != "" && place != "/" && !strings.EqualFold(place, c.Repo) {
			return false
		}
		if c.Kind == WriteReply {
			return item == "" && target != "" && target == c.Target && (pull == "" || pull == c.Pull)
		}
		return target == "" && pull == "" && c.State == "" && c.ofItem(item)
	})
}
