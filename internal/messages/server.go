package messages

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request, in bytes.
const maxBody = 64 << 20

// Server answers requests of clients until it is closed.
type Server struct {
	model Model
	http  *http.Server
	done  chan struct{}
	serve sync.WaitGroup

	mu       sync.Mutex
	requests []Request
	faults   []fault
	trouble  []error
	closed   bool
}

// NewServer returns a server that serves nowhere yet.
func NewServer(m Model) *Server {
	s := &Server{model: m, done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", s.countTokens)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.report(fmt.Errorf("unexpected request: %s %s", r.Method, r.URL.Path))
		refuse(w, http.StatusNotFound, "not_found_error", r.URL.Path)
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return s
}

// Serve answers on a listener, in the background. It may be called for several
// listeners; each has to be on loopback, since a stand-in is for nobody else.
func (s *Server) Serve(l net.Listener) error {
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok || !addr.IP.IsLoopback() {
		return fmt.Errorf("%s is not on loopback", l.Addr())
	}
	s.serve.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.report(err)
		}
	})
	return nil
}

// Close ends all answers, the stalled ones too, and waits for the listeners.
func (s *Server) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	s.mu.Unlock()
	err := s.http.Close()
	s.serve.Wait()
	return err
}

// Requests returns the requests so far, those that met a fault included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Err returns what was asked that a client was not expected to ask, nil when all
// was understood.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.trouble...)
}

func (s *Server) report(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = append(s.trouble, err)
}

// read reads a request; it has answered when it returns false.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (req Request, size int, stream, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		req, stream, err = readRequest(r.Header, body)
	}
	if err != nil {
		s.report(err)
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return Request{}, 0, false, false
	}
	return req, len(body), stream, true
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	req, size, wantsStream, ok := s.read(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	a := answer{id: newID("msg_"), model: req.Model, in: tokens(size)}
	switch s.due(req.Kind) {
	case Overloaded:
		refuse(w, statusOverloaded, "overloaded_error", "Overloaded")
		return
	case TooLong:
		refuse(w, http.StatusBadRequest, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
		return
	case Stalled:
		s.stall(w, r, a)
		return
	}
	a.reply = s.reply(req)
	if !wantsStream {
		writeJSON(w, http.StatusOK, a.message())
		return
	}
	if err := newStream(w).write(a); err != nil && r.Context().Err() == nil {
		s.report(err)
	}
}

// reply asks the model, or answers what needs none.
func (s *Server) reply(req Request) Reply {
	switch req.Kind {
	case Compact:
		return Reply{Text: "<analysis>Nothing is left out that matters.</analysis>\n<summary>The conversation so far, in short.</summary>"}
	case Title:
		return Reply{Text: `{"title": "A delivery"}`}
	case Classifier:
		return Reply{Text: "<block>no</block>"}
	}
	reply := s.model.Turn(req)
	if reply.Text == "" && len(reply.Uses) == 0 {
		reply.Text = "(nothing)" // a client takes an empty message for a broken answer
	}
	reply.Uses = slices.Clone(reply.Uses)
	for i, u := range reply.Uses {
		if u.ID == "" {
			reply.Uses[i].ID = newID("toolu_")
		}
		if u.Input == nil {
			reply.Uses[i].Input = object{}
		}
	}
	return reply
}

// stall begins an answer and leaves it at that.
func (s *Server) stall(w http.ResponseWriter, r *http.Request, a answer) {
	out := newStream(w)
	out.begin(a)
	out.event("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
	out.event("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": "I "}})
	select {
	case <-r.Context().Done():
	case <-s.done:
	}
}

func (s *Server) countTokens(w http.ResponseWriter, r *http.Request) {
	if _, size, _, ok := s.read(w, r); ok {
		writeJSON(w, http.StatusOK, object{"input_tokens": tokens(size)})
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", newID("req_"))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has hung up; there is nobody to tell
}

// newID returns an id of the API's kind.
func newID(prefix string) string {
	return prefix + strings.ToUpper(hex.EncodeToString(random(12)))
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
