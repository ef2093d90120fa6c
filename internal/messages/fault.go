package messages

import (
	"net/http"
	"slices"
)

// Fault is what goes wrong with a request. The model does not hear of it.
type Fault int

// Faults.
const (
	// Overloaded refuses with status 529; a client tries again.
	Overloaded Fault = iota + 1
	// TooLong refuses with status 400, as a conversation that has outgrown the model;
	// a client compacts it and goes on.
	TooLong
	// Stalled begins an answer and never ends it, until the client hangs up or the
	// server is closed.
	Stalled
)

// statusOverloaded is no status of net/http.
const statusOverloaded = 529

// fault is one that is laid in.
type fault struct {
	on   Kind
	what Fault
}

// Fail lays a fault in for the next request of a kind. Several are met in the order
// in which they were laid in.
func (s *Server) Fail(on Kind, what Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fault{on, what})
}

// due takes the fault for a request out, 0 when there is none.
func (s *Server) due(kind Kind) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(f fault) bool { return f.on == kind })
	if i < 0 {
		return 0
	}
	what := s.faults[i].what
	s.faults = slices.Delete(s.faults, i, i+1)
	return what
}

// refuse writes the API's form of an error.
func refuse(w http.ResponseWriter, status int, kind, text string) {
	writeJSON(w, status, object{"type": "error", "error": object{"type": kind, "message": text}})
}
