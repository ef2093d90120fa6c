// Package azureserver is a stand-in for Azure DevOps, for tests and demonstrations: one
// project with one repository, whose branches and trees are those of a bare repository
// on disk, so that real pushes move its world. It answers reads as the service does, as far
// as a delivery is read back, and it is not the service: what it allows shows nothing about what
// the service allows.
//
// It refuses and counts every request that is not a read. What people, bots and
// pipelines do is done through methods of Server.
package azureserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/asterweave/asterweave/internal/provider/fault"
)

// Options say what is served. The zero values of all but Git and Token have defaults.
type Options struct {
	Git        string // folder of the bare repository
	Token      string // that is accepted, as a personal access token and as a bearer
	Collection string // path of the organisation or collection, "acme"
	Project    string // "Widgets App"
	Repository string // "widgets"
	Latest     string // newest version of the API that is understood, "7.1"
	Now        func() time.Time
}

// Server is the stand-in, an http.Handler.
type Server struct {
	fault.Schedule // of its answers

	o  Options
	mu sync.Mutex

	pulls    []*pull
	policies []*policy
	builds   []*buildRun
	items    []*item
	pushes   []map[string]any
	commits  map[string]string // trees by commit
	denied   []string
	ids      int // last one of statuses, threads and comments
	most     int // evaluations in a page, 0 where the server does not page

	writes int
	paths  []string
}

// New returns a server. Its token belongs to Agent.
func New(o Options) *Server {
	for _, d := range []struct {
		at    *string
		value string
	}{{&o.Collection, "acme"}, {&o.Project, "Widgets App"}, {&o.Repository, "widgets"}, {&o.Latest, "7.1"}} {
		if *d.at == "" {
			*d.at = d.value
		}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{o: o, most: 100, commits: map[string]string{}}
}

// Writes counts the requests that were not reads.
func (s *Server) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// Paths returns the paths and queries of the requests so far.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n, f := s.Next()
	s.paths = append(s.paths, r.URL.RequestURI())
	id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", n)
	w.Header().Set("X-VSS-E2EID", id)
	w.Header().Set("ActivityId", id)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.writes++
		s.mu.Unlock()
		problem(w, http.StatusMethodNotAllowed, "ReadOnlyException", "this stand-in is read-only")
		return
	}
	s.mu.Unlock()

	if serve(f, w, r) {
		return
	}
	if !s.authorized(w, r) {
		return
	}
	s.mu.Lock()
	status, body := s.answer(r)
	if b, err := json.Marshal(body); err == nil {
		body = json.RawMessage(b) // what it is made of may change from here on
	}
	if f.Kind == "truncated" {
		s.mu.Unlock()
		truncate(w, body)
		return
	}
	s.mu.Unlock()
	write(w, status, body)
	s.Given(n)
}

// authorized answers those who have no token as the service does: with a page to sign
// in, unless the client says that it is no browser.
func (s *Server) authorized(w http.ResponseWriter, r *http.Request) bool {
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+s.o.Token))
	if got := r.Header.Get("Authorization"); got != basic && got != "Bearer "+s.o.Token {
		if r.Header.Get("X-TFS-FedAuthRedirect") == "Suppress" {
			w.Header().Set("WWW-Authenticate", `Basic realm="stand-in"`)
			problem(w, http.StatusUnauthorized, "UnauthorizedRequestException", "TF400813: The user 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa' is not authorized to access this resource.")
		} else {
			signIn(w)
		}
		return false
	}
	if r.Header.Get("User-Agent") == "" || !strings.Contains(r.Header.Get("Accept"), "application/json") {
		problem(w, http.StatusNotAcceptable, "StandInException", "send User-Agent and Accept")
		return false
	}
	return true
}

type answerFunc func(q url.Values, path []string) (int, any)

// answer finds what a path is about. The caller holds the lock.
func (s *Server) answer(r *http.Request) (int, any) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	at := slices.Index(path, "_apis")
	if at < 0 {
		return failure(http.StatusNotFound, "VssResourceNotFoundException", "no such path")
	}
	place, path := path[:at], path[at+1:]
	collection := strings.Split(strings.Trim(s.o.Collection, "/"), "/")
	if len(place) < len(collection) || !slices.EqualFunc(place[:len(collection)], collection, strings.EqualFold) {
		return failure(http.StatusNotFound, "OrganizationNotFoundException", "no such organization or collection")
	}
	if rest := place[len(collection):]; len(rest) > 1 || len(rest) == 1 && !strings.EqualFold(rest[0], s.o.Project) && !strings.EqualFold(rest[0], ProjectID) {
		return failure(http.StatusNotFound, "ProjectDoesNotExistWithNameException", "TF200016: The following project does not exist: "+strings.Join(rest, "/"))
	}
	area := strings.ToLower(strings.Join(path, "/"))
	q := r.URL.Query()
	if status, body := s.version(area, q.Get("api-version")); status != 0 {
		return status, body
	}
	for _, d := range s.denied {
		if strings.HasPrefix(area, d) {
			return failure(http.StatusForbidden, "AccessCheckException", "TF401027: You need the permission to read this resource.")
		}
	}
	s.follow()
	for _, route := range []struct {
		prefix string
		answer answerFunc
	}{
		{"connectiondata", s.connectionData},
		{"git/repositories/", s.repository},
		{"policy/evaluations", s.evaluations},
		{"build/builds", s.listBuilds},
		{"wit/workitems/", s.workItem},
		{"wit/workitemtypes", s.workItemTypes},
	} {
		if strings.HasPrefix(area+"/", route.prefix) || area == route.prefix {
			return route.answer(q, path)
		}
	}
	return failure(http.StatusNotFound, "VssResourceNotFoundException", "no such resource: "+area)
}

// version refuses what the service refuses: no version, one that is too new, and a plain
// one where the resource is in preview.
func (s *Server) version(area, v string) (int, any) {
	number, preview, isPreview := strings.Cut(v, "-preview")
	asked, err := strconv.ParseFloat(number, 64)
	latest, _ := strconv.ParseFloat(s.o.Latest, 64)
	switch {
	case v == "" || err != nil:
		return failure(http.StatusBadRequest, "VssVersionNotSpecifiedException", "No api-version was supplied for the request.")
	case asked > latest:
		return failure(http.StatusBadRequest, "VssVersionOutOfRangeException",
			fmt.Sprintf("The requested REST API version of %s is out of range for this server. The latest REST API version this server supports is %s.", number, s.o.Latest))
	case !isPreview && (strings.HasPrefix(area, "policy/evaluations") || area == "connectiondata" || strings.HasSuffix(area, "/comments")):
		return failure(http.StatusBadRequest, "VssInvalidPreviewVersionException",
			fmt.Sprintf("The requested version %q of the resource is under preview. The -preview flag must be supplied in the api-version for such requests. For example: %q", v, number+"-preview"))
	case strings.HasPrefix(area, "policy/evaluations") && preview != "" && preview != ".1":
		return failure(http.StatusBadRequest, "VssVersionOutOfRangeException", "there is no such revision of the preview")
	}
	return 0, nil
}

// Most bounds a page of evaluations, whatever a client asks for; 0 gives all of them
// each time, as a server that knows no pages.
func (s *Server) Most(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = n
}

// Deny takes a grant from the token: paths below "code" (git and policies), "build" or
// "work" are forbidden from now on.
func (s *Server) Deny(scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied = append(s.denied, map[string][]string{
		"code": {"git/", "policy/"}, "build": {"build/"}, "work": {"wit/"},
	}[scope]...)
}

func failure(status int, key, message string) (int, any) {
	return status, map[string]any{
		"$id": "1", "innerException": nil, "message": message, "typeName": "Microsoft.StandIn." + key, "typeKey": key, "errorCode": 0, "eventId": 3000,
	}
}

func problem(w http.ResponseWriter, status int, key, message string) {
	status, body := failure(status, key, message)
	write(w, status, body)
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8; api-version=7.1")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone hears nothing
}

func values(all []any) map[string]any {
	if all == nil {
		all = []any{}
	}
	return map[string]any{"count": len(all), "value": all}
}

// page cuts $skip and $top out of a list, with the number that is given where the
// client asks for none or for more.
func page(all []any, q url.Values, most int) []any {
	skip, _ := strconv.Atoi(q.Get("$skip"))
	top, err := strconv.Atoi(q.Get("$top"))
	if err != nil || top > most {
		top = most
	}
	all = all[min(max(skip, 0), len(all)):]
	return all[:min(max(top, 0), len(all))]
}
