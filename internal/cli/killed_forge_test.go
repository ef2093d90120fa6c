//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/asterweave/asterweave/internal/provider/azureserver"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

// service is a stand-in with what people and their tools do at it. Each number that it
// gives is the same in every world.
type service interface {
	http.Handler
	Writes() int // requests to its API that were not reads
	open(branch, base, title, text string)
	check() // the pipeline passes
	ask(text string)
	reply(target, text string)
	comment(text string)
	state(to string)
}

// hub is the stand-in for GitHub: the issue is 1, the pull request 2.
type hub struct{ *githubserver.Server }

func newHub(bare, host string) service {
	h := hub{githubserver.New(githubserver.Options{Git: bare, Token: killedToken, Web: "http://" + host})}
	h.NewIssue("lead", "Add adds", "It subtracts.")
	h.Require("unit", githubserver.Actions)
	return h
}

func (h hub) open(branch, base, title, text string) { h.Open(branch, base, title, text) }
func (h hub) check() {
	h.Report(h.Head(2), githubserver.Run{Name: "unit", Conclusion: "SUCCESS"})
}
func (h hub) ask(text string)           { h.Thread(2, "lead", "sum.go", 4, text) }
func (h hub) reply(target, text string) { h.Reply(target, "agent", text, false) }
func (h hub) comment(text string)       { h.Comment(1, "agent", text) }
func (h hub) state(to string)           { h.SetIssue(1, to, "completed") }

// azure is the stand-in for Azure DevOps: the work item is 101, the pull request 22.
type azure struct{ *azureserver.Server }

func newAzure(bare, _ string) service {
	a := azure{azureserver.New(azureserver.Options{Git: bare, Token: killedToken, Project: "Widgets"})}
	a.AddItem("User Story", "Add adds", "It subtracts.")
	return a
}

func (a azure) open(branch, base, title, text string) {
	n := a.OpenPull(branch, base, title, azureserver.Agent())
	if strings.Contains(text, "#101") {
		a.Link(101, n)
	}
}
func (a azure) check()          { a.Run("fix", "unit", "completed", "succeeded") }
func (a azure) ask(text string) { a.Say(22, azureserver.Writer(), "sum.go", text) }
func (a azure) reply(target, text string) {
	if n, err := strconv.Atoi(target); err == nil {
		a.Reply(22, n, azureserver.Agent(), text)
	}
}
func (a azure) comment(text string) { a.CommentAs(101, azureserver.Agent(), "html", text) }
func (a azure) state(to string)     { a.Move(101, to) }

const killedToken = "killed-0123456789abcdefghij"

// Points at which a write is held.
const (
	heldBefore   = "before it is applied"
	heldApplied  = "after it is applied and before the answer"
	heldAnswered = "after the answer"
)

// front is one address for one world after another, so that what was set up at it can be
// copied. Git is served there, the stand-in's API, and below /hands what writes.
type front struct {
	host string // and port
	git  string // path of the repository

	mu      sync.Mutex
	bare    string
	service service
	made    map[string]int // writes that were applied
	log     []string       // what arrived, in its order: read, fetch, push, write WHAT
	what    string         // write that is to be held, or any request where it is "*"
	point   string
	held    chan struct{} // gets one when something is held
	free    chan struct{} // is closed when it may end
}

// enter makes a world the one that is served.
func (f *front) enter(bare string, s service) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bare, f.service, f.made, f.log = bare, s, map[string]int{}, nil
	f.what, f.held, f.free = "", make(chan struct{}, 1), make(chan struct{})
}

// hold lets the next request of a kind wait at a point, once.
func (f *front) hold(what, point string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.what, f.point = what, point
}

// arrived notes a request.
func (f *front) arrived(kind string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, kind)
}

func (f *front) since(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.log[min(n, len(f.log)):]
}

// waits holds a request if it is the one, until whoever sent it is dead. The connection
// ends without an answer then.
func (f *front) waits(what, point string) {
	f.mu.Lock()
	is := (f.what == what || f.what == "*") && f.point == point
	if is {
		f.what = ""
	}
	held, free := f.held, f.free
	f.mu.Unlock()
	if is {
		held <- struct{}{}
		<-free
		panic(http.ErrAbortHandler)
	}
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	s, bare := f.service, f.bare
	f.mu.Unlock()
	path := r.URL.Path
	rest, isGit := strings.CutPrefix(path, f.git)
	switch {
	case strings.HasPrefix(path, "/hands/"):
		f.hand(w, r, s, path[strings.LastIndexByte(path, '/')+1:])
	case isGit:
		kind := "fetch"
		if strings.Contains(r.URL.RequestURI(), "git-receive-pack") {
			kind = "push"
		}
		f.arrived(kind)
		f.waits(kind, heldBefore)
		r.URL.Path = "/" + filepath.Base(bare) + rest
		backend(bare).ServeHTTP(w, r)
	default:
		f.arrived("read")
		f.waits("read", heldBefore)
		s.ServeHTTP(w, r)
	}
}

// backend is Git's own server.
func backend(bare string) http.Handler {
	git, err := exec.LookPath("git")
	if err != nil {
		return http.NotFoundHandler()
	}
	folder := filepath.Dir(bare)
	return &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Dir: folder,
		Env: []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + shared.home(), "GIT_CONFIG_NOSYSTEM=1"},
	}
}

// hand makes a write, as the service does for a person's client.
func (f *front) hand(w http.ResponseWriter, r *http.Request, s service, what string) {
	var in map[string]string
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&in) != nil {
		http.Error(w, "that is no write", http.StatusBadRequest)
		return
	}
	f.arrived("write " + what)
	f.waits(what, heldBefore)
	f.mu.Lock()
	f.made[what]++
	f.mu.Unlock()
	switch what {
	case "pull":
		s.open(in["branch"], in["base"], in["title"], in["text"])
	case "reply":
		s.reply(in["target"], in["text"])
	case "comment", "state", "item":
		if in["text"] != "" {
			s.comment(in["text"])
		}
		if in["state"] != "" {
			s.state(in["state"])
		}
	}
	f.waits(what, heldApplied)
	fmt.Fprintln(w, "done")
}

// killedAt is a provider at which agents are killed.
type killedAt struct {
	name    string
	make    func(bare, host string) service
	git     string // path of the repository
	item    string
	state   string // that the plan names for the work item
	hands   string // path below which the client writes
	environ func(host string) []string
	writes  []string // of the last step
}

func killedProviders() []killedAt {
	return []killedAt{
		{"github", newHub, "/acme/widgets.git", "acme/widgets#1", "closed", "/hands/parts", func(host string) []string {
			return []string{"GH_HOST=" + host, "GH_ENTERPRISE_TOKEN=" + killedToken}
		}, []string{"comment", "state"}},
		{"azure-devops", newAzure, "/acme/Widgets/_git/widgets", "acme/Widgets#101", "Closed", "/hands/whole", func(host string) []string {
			return []string{"AZURE_DEVOPS_ORG_SERVICE_URL=" + host, "AZURE_DEVOPS_EXT_PAT=" + killedToken}
		}, []string{"item"}},
	}
}
