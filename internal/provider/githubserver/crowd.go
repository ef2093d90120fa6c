package githubserver

import (
	"fmt"
	"strings"
)

// Crowd surrounds a pull request with what takes pages to read. There are so many required
// checks, in rules behind a hundred others and in classic protection, as runs, as runs that
// failed before they passed, and as statuses, all of which pass; and so many resolved
// threads, the first with 130 replies.
func (s *Server) Crowd(number, checks, threads int) {
	head := s.Head(number)
	for i := range 100 {
		s.Rule("commit_message_pattern", map[string]any{"operator": "starts_with", "pattern": fmt.Sprint(i)})
	}
	for i := range checks {
		name := fmt.Sprintf("job (%d)", i)
		switch {
		case i%2 == 0:
			s.Require(name, Actions)
			s.Report(head, Run{Name: name, Conclusion: "SUCCESS"})
		case i%4 == 1:
			s.Protect(name, Actions)
			s.Report(head, Run{Name: name, Conclusion: "FAILURE"})
			s.Report(head, Run{Name: name, Conclusion: "SUCCESS"})
		default:
			s.Protect(name, 0)
			s.Status(head, name, "SUCCESS")
		}
	}
	for i := range threads {
		id := s.Thread(number, "writer", "file.txt", i+1, strings.Repeat("text ", 20))
		if i == 0 {
			for range 130 {
				s.Reply(id, "writer", "more", false)
			}
		}
		s.Resolve(id)
	}
}
