package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
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
	Repo   string // owner/name of the repository that is written to, org/project at Azure DevOps; "" where it has none
	Item   string // number of the work item
	Pull   string // number of the pull request
}

// announced reports whether one of the confirmed writes fits a command: one that a text
// makes once, out of the worktree, and to the place that the tool takes by itself.
func (w *walker) announced(e *env, fits func(Write) bool) bool {
	if w.many > 0 || !w.here(e) {
		return false
	}
	i := slices.IndexFunc(w.s.Writes, fits)
	if i < 0 || w.made[i] {
		return false
	}
	if w.mute == 0 {
		if w.made == nil {
			w.made = map[int]bool{}
		}
		w.made[i] = true
	}
	return true
}

// here reports whether a tool of a provider speaks, as far as the text goes, out of the
// worktree and as it always does.
func (w *walker) here(e *env) bool {
	for name := range e.vars {
		if steersTool(name) {
			return false
		}
	}
	return !e.cleared && e.dir.known && !e.dir.vague && within(w.s.Root, e.dir.path)
}

// steersTool reports whether a variable says to whom, as whom and in which way a tool of
// a provider speaks.
func steersTool(name string) bool {
	upper := strings.ToUpper(name)
	switch upper {
	case "GH_PAGER", "GH_PROMPT_DISABLED", "GH_NO_UPDATE_NOTIFIER", "GH_SPINNER_DISABLED", "AZURE_CORE_OUTPUT":
		return false
	}
	for _, prefix := range []string{"GH_", "GITHUB_", "AZURE_", "SYSTEM_", "SSL_", "REQUESTS_", "CURL_"} {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	return strings.HasSuffix(upper, "_PROXY") || slices.Contains([]string{"PATH", "HOME", "XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE"}, upper)
}

// isRemote reports whether gh takes the write's repository by itself: the remote's.
func (c Write) isRemote(url string) bool {
	owner, name, ok := slug(url)
	return ok && c.Repo != "" && strings.EqualFold(owner+"/"+name, c.Repo)
}

// slug returns owner and name of a repository at a forge by the URL of its remote.
func slug(url string) (owner, name string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(strings.TrimRight(strings.ReplaceAll(url, ":", "/"), "/"), ".git"), "/")
	n := len(parts)
	if n < 3 || !strings.Contains(url, "://") && !strings.Contains(url, "@") {
		return "", "", false
	}
	return parts[n-2], parts[n-1], true
}

// foreign reports whether a branch is named as that of another owner than the remote's.
func foreign(branch, url string) bool {
	who, _, named := strings.Cut(branch, ":")
	owner, _, ok := slug(url)
	return named && (!ok || !strings.EqualFold(who, owner))
}

// says reports whether the text is the confirmed one; services and shells differ in
// what ends it.
func (c Write) says(text string) bool {
	plain := func(t string) string { return strings.TrimSpace(strings.ReplaceAll(t, "\r\n", "\n")) }
	return c.Text != "" && plain(text) == plain(c.Text)
}

// only reports whether no option but these is there, and each of them once and to be read.
func only(flags []flag, names ...string) bool {
	for i, f := range flags {
		if !slices.Contains(names, f.name) || f.val.dim() || slices.ContainsFunc(flags[:i], func(o flag) bool { return o.name == f.name }) {
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
		return only(flags, "body", "b", "body-file", "F") && w.announced(e, func(c Write) bool {
			return c.Kind == WriteReply && c.Pull != "" && number == c.Pull && c.isRemote(w.s.RemoteURL) && w.carries(c, flags, e, body, file)
		})
	case "issue comment":
		return only(flags, "body", "b", "body-file", "F") && w.announced(e, func(c Write) bool {
			return c.ofItem(number) && c.State == "" && c.isRemote(w.s.RemoteURL) && w.carries(c, flags, e, body, file)
		})
	case "issue close", "issue reopen":
		to := map[string]string{"close": "closed", "reopen": "open"}[words[1].text]
		return only(flags, "comment", "c", "reason", "r") && plainReason(flags) && w.announced(e, func(c Write) bool {
			said, has := value1(flags, "comment", "c")
			return c.ofItem(number) && c.isRemote(w.s.RemoteURL) && strings.EqualFold(c.State, to) && (has && c.says(said.text) || !has && c.Text == "")
		})
	}
	return false
}

// plainReason reports whether a close says no more than that: as not planned or as a
// duplicate is another word than the confirmed one.
func plainReason(flags []flag) bool {
	v, ok := value1(flags, "reason", "r")
	return !ok || strings.EqualFold(v.text, "completed")
}

// ofItem reports whether it is an update of the work item with this number.
func (c Write) ofItem(number string) bool {
	return c.Kind == WriteWorkItem && c.Item != "" && number == c.Item
}

// announcedAPI reports whether a request is a confirmed reply to a comment on a line.
func (w *walker) announcedAPI(words []arg, flags []flag, e *env) bool {
	if w.announcedThread(words, flags, e) {
		return true
	}
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
	return w.announced(e, func(c Write) bool {
		if c.Kind != WriteReply || c.Pull == "" || c.Target == "" || c.Repo == "" {
			return false
		}
		tail := fmt.Sprintf("/pulls/%s/comments/%s/replies", c.Pull, c.Target)
		named, filled := path == "repos/"+c.Repo+tail, path == "repos/{owner}/{repo}"+tail
		if !named && (!filled || !c.isRemote(w.s.RemoteURL)) {
			return false
		}
		if file, at := strings.CutPrefix(text, "@"); at && magic {
			return w.isText(c, file, e)
		}
		return c.says(text)
	})
}

// threadReply is the one mutation that is let through: an answer in a review thread, which
// GitHub takes by the thread's id in GraphQL alone.
const threadReply = `mutation($thread: ID!, $body: String!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $thread, body: $body}) { comment { url } } }`

// announcedThread reports whether a request is a confirmed answer in a review thread.
func (w *walker) announcedThread(words []arg, flags []flag, e *env) bool {
	if len(words) != 2 || words[1].text != "graphql" || len(flags) != 3 {
		return false
	}
	given, file := map[string]string{}, ""
	for _, f := range flags {
		key, value, ok := strings.Cut(f.val.text, "=")
		if _, twice := given[key]; !ok || twice || f.val.dim() {
			return false
		}
		switch f.name {
		case "f", "raw-field":
		case "F", "field": // gh makes numbers, files and names out of what these say
			if file, ok = strings.CutPrefix(value, "@"); !ok || key != "body" {
				return false
			}
		default:
			return false
		}
		given[key] = value
	}
	if strings.Join(strings.Fields(given["query"]), " ") != threadReply {
		return false
	}
	return w.announced(e, func(c Write) bool {
		return c.Kind == WriteReply && c.Target != "" && given["thread"] == c.Target && (file != "" && w.isText(c, file, e) || file == "" && c.says(given["body"]))
	})
}

// announcedAz reports whether a command of az is a confirmed update.
func (w *walker) announcedAz(words []arg, flags []flag, e *env) bool {
	if len(words) != 3 || words[0].text != "boards" || words[1].text != "work-item" || words[2].text != "update" || !only(flags, "id", "state", "s", "discussion", "output", "o") {
		return false
	}
	id, ok := value1(flags, "id")
	state, hasState := value1(flags, "state", "s")
	said, hasText := value1(flags, "discussion")
	return ok && w.announced(e, func(c Write) bool {
		return c.ofItem(id.text) && hasState == (c.State != "") && hasText == (c.Text != "") &&
			(!hasState || strings.EqualFold(state.text, c.State)) && (!hasText || c.says(said.text))
	})
}

// announcedMCP reports whether a tool of a provider's server is a confirmed comment: all
// that it is given names the place, or is the text. What is there already it does not touch.
func (s Situation) announcedMCP(words []string, azure bool, in map[string]any) bool {
	if len(words) == 0 || !slices.Contains(words, "comment") && !slices.Contains(words, "reply") || slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"update", "edit", "delete", "remove", "resolve", "unresolve", "hide", "minimize", "dismiss", "replace", "set", "write"}, w)
	}) {
		return false
	}
	given := map[string]string{}
	for key, v := range in {
		name, known := map[string]string{
			"body": "text", "content": "text", "text": "text", "comment": "text", "commentid": "target", "threadid": "target", "inreplyto": "target",
			"issuenumber": "item", "workitemid": "item", "pullnumber": "pull", "pullrequestid": "pull", "owner": "owner", "repo": "repo", "project": "", "repositoryid": "", "format": "",
		}[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))]
		if _, twice := given[name]; !known || twice && name != "" {
			return false
		}
		given[name] = fmt.Sprint(v)
		if n, ok := v.(float64); ok {
			given[name] = strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	item, pull, target := given["item"], given["pull"], given["target"]
	return slices.ContainsFunc(s.Writes, func(c Write) bool {
		if !c.says(given["text"]) || !azure && !strings.EqualFold(given["owner"]+"/"+given["repo"], c.Repo) {
			return false
		}
		if c.Kind == WriteReply { // numbers of threads are those of one pull request
			return item == "" && target != "" && target == c.Target && pull != "" && pull == c.Pull
		}
		return target == "" && pull == "" && c.State == "" && c.ofItem(item)
	})
}
