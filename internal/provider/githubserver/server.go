// Package githubserver is a stand-in for GitHub, for tests and demonstrations: one
// repository, whose branches and trees are those of a bare repository on disk, so that
// real pushes move its world. It answers reads as the service does, as far as a delivery
// is read back, and it is not the service: what it allows shows nothing about what the
// service allows. Of GraphQL it knows the documents of package github by their names, and
// answers with more than they select.
//
// It refuses and counts every request that is not a read. What people, bots and
// workflows do is done through methods of Server.
package githubserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/asterweave/asterweave/internal/provider/fault"
)

// Actions is the id of the App that runs workflows.
const Actions = 15368

// Options say what is served. The zero values of all but Git and Token have defaults.
type Options struct {
	Git    string // folder of the bare repository
	Token  string // that is accepted
	Scopes string // of a classic token; "" for a fine-grained one, whose grants no answer lists
	Owner  string // "acme"
	Name   string // "widgets"
	ID     int64  // of the repository, 1
	Base   string // default branch, "main"
	Agent  string // login that the token belongs to, "agent"
	Web    string // scheme and host of pages, "https://github.com"
	Now    func() time.Time
}

// Server is the stand-in, an http.Handler. REST lies at its root or below /api/v3, GraphQL
// at /graphql or /api/graphql.
type Server struct {
	fault.Schedule // of its answers

	o  Options
	mu sync.Mutex

	former      []string // "owner/name" that redirect
	pulls       []*pull
	issues      []*issue
	rules       []map[string]any
	classic     []classicCheck
	isProtected bool
	reports     []*report
	awaiting    []string // commits whose workflows wait for a maintainer
	permissions map[string]string
	denied      map[string]bool
	commits     map[string]string // trees by commit
	tips        map[string]string // branches that are elsewhere than in the repository on disk
	ids         int

	writes int
	paths  []string
}

// New returns a server.
func New(o Options) *Server {
	for _, d := range []struct {
		at    *string
		value string
	}{{&o.Owner, "acme"}, {&o.Name, "widgets"}, {&o.Base, "main"}, {&o.Agent, "agent"}, {&o.Web, "https://github.com"}} {
		if *d.at == "" {
			*d.at = d.value
		}
	}
	if o.ID == 0 {
		o.ID = 1
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{o: o, permissions: map[string]string{}, denied: map[string]bool{}, commits: map[string]string{}, tips: map[string]string{}}
}

// Writes counts the requests that were not reads.
func (s *Server) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// Paths returns what was asked for so far: paths with queries, and names of operations.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

// Rename gives the repository another name; the old one redirects.
func (s *Server) Rename(owner, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.former = append(s.former, s.fullName())
	s.o.Owner, s.o.Name = owner, name
}

// Deny takes a grant from the token: checks, actions, statuses, rules; and rollup, which
// hides checks in GraphQL alone.
func (s *Server) Deny(grant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied[grant] = true
}

func (s *Server) fullName() string { return s.o.Owner + "/" + s.o.Name }

func (s *Server) now() string { return s.o.Now().UTC().Format(time.RFC3339) }

func (s *Server) id() int { s.ids++; return s.ids }

// reply is an answer before it is sent.
type reply struct {
	status int
	header http.Header
	body   any
}

func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

func failure(status int, message string) reply {
	return reply{status: status, body: map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)}}
}

func notFound() reply { return failure(http.StatusNotFound, "Not Found") }

// forbidden is the answer to a token that lacks a grant, which it names.
func forbidden(grant string) reply {
	r := failure(http.StatusForbidden, "Resource not accessible by personal access token")
	r.header = http.Header{"X-Accepted-Github-Permissions": {grant + "=read"}}
	return r
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return
	}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3")
	var q query
	isQuery := r.Method == http.MethodPost && (path == "/graphql" || path == "/api/graphql") && json.Unmarshal(raw, &q) == nil && q.reads()

	s.mu.Lock()
	n, f := s.Next()
	what := r.URL.RequestURI()
	if isQuery {
		what = q.OperationName
	}
	s.paths = append(s.paths, what)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !isQuery {
		s.writes++
		s.mu.Unlock()
		s.send(w, r, n, failure(http.StatusMethodNotAllowed, "this stand-in is read-only"), false)
		return
	}
	s.mu.Unlock()

	if serve(f, w, r, n) {
		return
	}
	if refused := s.authorized(r); refused != nil {
		s.send(w, r, n, *refused, false)
		return
	}
	s.mu.Lock()
	s.follow()
	var a reply
	if isQuery {
		a = s.graph(q)
	} else {
		a = s.rest(r, path)
	}
	if body, isMap := a.body.(object); f.Kind == "partial" && isQuery && isMap {
		body["errors"] = []any{object{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "Resource limits for this query exceeded."}}
	}
	s.mu.Unlock()
	s.send(w, r, n, a, f.Kind == "truncated")
	s.Given(n)
}

// authorized refuses what the service refuses before it looks at anything.
func (s *Server) authorized(r *http.Request) *reply {
	var no reply
	switch {
	case r.Header.Get("User-Agent") == "":
		no = failure(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
	case r.Header.Get("Authorization") != "Bearer "+s.o.Token:
		no = failure(http.StatusUnauthorized, "Bad credentials")
	case !strings.Contains(r.Header.Get("Accept"), "json"):
		no = failure(http.StatusUnsupportedMediaType, "Must accept 'application/json'")
	default:
		return nil
	}
	return &no
}

// send writes an answer with the headers that the service gives, or the first half of it.
func (s *Server) send(w http.ResponseWriter, r *http.Request, n int, a reply, half bool) {
	body := bytes.TrimSpace(encode(a.body))
	h := w.Header()
	headers(h, n)
	h.Set("Content-Type", "application/json; charset=utf-8")
	if s.o.Scopes != "" {
		h.Set("X-OAuth-Scopes", s.o.Scopes)
	}
	for k, v := range a.header {
		h[k] = v
	}
	if r.Method == http.MethodGet && a.status == http.StatusOK {
		etag := fmt.Sprintf("W/\"%x\"", sha256.Sum256(body))
		h.Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag && !half {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.status)
	if half {
		body = body[:len(body)/2]
	}
	_, _ = w.Write(body) // a client that is gone hears nothing
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // all of it was made here
	return b.Bytes()
}

func headers(h http.Header, n int) {
	h.Set("X-GitHub-Request-Id", fmt.Sprintf("0000:%06X:0000000:0000000:00000000", n))
	h.Set("X-RateLimit-Limit", "5000")
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(4999-n, 1)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
	h.Set("X-GitHub-Api-Version-Selected", "2022-11-28")
}
