package fault_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/asterweave/asterweave/internal/provider/fault"
)

func TestSchedule(t *testing.T) {
	kinds := func(s *fault.Schedule, n int) (got []string) {
		for range n {
			_, f := s.Next()
			got = append(got, f.Kind)
		}
		return got
	}
	var s fault.Schedule
	for _, c := range []struct {
		what string
		do   func()
		want []string
	}{
		{"nothing was asked for", func() {}, []string{"", ""}},
		{"only the second from now", func() { s.Break("404", 1, true, "") }, []string{"", "404", "", ""}},
		{"from the second on", func() { s.Break("502", 1, false, "") }, []string{"", "502", "502"}},
		{"until it is repaired", s.Repair, []string{"", ""}},
		{"repaired before it came", func() { s.Break("404", 1, true, ""); s.Repair() }, []string{"", ""}},
	} {
		c.do()
		if diff := cmp.Diff(c.want, kinds(&s, len(c.want))); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
	if n := s.Requests(); n != 13 {
		t.Errorf("%d requests", n)
	}
	s.Break("redirected", 0, true, "http://other.example")
	if n, f := s.Next(); n != 14 || f.Other != "http://other.example" {
		t.Errorf("request %d: %+v", n, f)
	}
}

func TestAfter(t *testing.T) {
	var s fault.Schedule
	var called int
	give := func() { n, _ := s.Next(); s.Given(n) }
	s.After(1, func() { called++; s.Repair() }) // what is called may change the schedule
	for i, want := range []int{0, 1, 1} {
		if give(); called != want {
			t.Errorf("after answer %d: called %d times, want %d", i+1, called, want)
		}
	}
	s.After(0, func() { called++ })
	s.Next() // its answer was broken, and not given
	give()
	s.After(0, func() { called++ })
	s.Repair()
	if give(); called != 1 {
		t.Errorf("called %d times", called)
	}
}
