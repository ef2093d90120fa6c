// Package fault is the schedule by which a stand-in for a service breaks its answers. What
// a kind of fault looks like, each stand-in knows for itself.
package fault

import "sync"

// Fault is what is wrong with one answer. The zero value is: nothing.
type Fault struct {
	Kind  string
	Other string // URL of another host, for the kind that needs one
}

// Schedule counts the requests to a stand-in and says which answers to break. The zero
// value breaks none. Its methods may be called at any time.
type Schedule struct {
	mu       sync.Mutex
	requests int
	fault    Fault
	first    int // request from which on the fault is there
	only     bool
	after    map[int]func()
}

// Break breaks answers from the one after the next n on, or only that one. The kinds are
// those of the stand-in; redirected needs the URL of another host.
func (s *Schedule) Break(kind string, n int, only bool, other string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.first, s.only = Fault{Kind: kind, Other: other}, s.requests+n+1, only
}

// After calls then when the answer after the next n ones was given.
func (s *Schedule) After(n int, then func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.after == nil {
		s.after = map[int]func(){}
	}
	s.after[s.requests+n+1] = then
}

// Repair ends what Break and After began.
func (s *Schedule) Repair() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = Fault{}
	clear(s.after)
}

// Requests counts the requests so far.
func (s *Schedule) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Next counts a request. It returns its number, from 1 on, and what is wrong with the
// answer to it.
func (s *Schedule) Next() (n int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.requests == s.first || s.requests > s.first && !s.only {
		f = s.fault
	}
	return s.requests, f
}

// Given does what After asked for, once, when the answer to request n was given.
func (s *Schedule) Given(n int) {
	s.mu.Lock()
	then := s.after[n]
	delete(s.after, n)
	s.mu.Unlock()
	if then != nil {
		then()
	}
}
