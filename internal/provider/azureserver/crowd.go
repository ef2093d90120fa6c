package azureserver

import (
	"fmt"
	"strings"
)

// Crowd surrounds a pull request with what takes pages to read: so many required builds,
// check-000 and so on, all of which succeeded, and so many threads, all of them fixed.
func (s *Server) Crowd(id, builds, threads int) {
	s.mu.Lock()
	branch := strings.TrimPrefix(s.pull(id).source, "refs/heads/")
	s.mu.Unlock()
	for i := range builds {
		s.Run(branch, fmt.Sprintf("check-%03d", i), "completed", "succeeded")
	}
	for i := range threads {
		s.Settle(id, s.Say(id, Writer(), "file.txt", fmt.Sprintf("remark %d", i)), "fixed")
	}
}
