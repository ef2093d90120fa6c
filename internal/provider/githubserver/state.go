package githubserver

import "slices"

// Required returns the names that a ruleset requires.
func (s *Server) Required() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.required()
}

func (s *Server) required() []string {
	var names []string
	for _, r := range s.rules {
		parameters, _ := r["parameters"].(map[string]any)
		checks, _ := parameters["required_status_checks"].([]any)
		for _, c := range checks {
			if check, isMap := c.(map[string]any); isMap {
				if name, isText := check["context"].(string); isText {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Finished ends the runs of a name that have not ended, as a re-run of them does.
func (s *Server) Finished(commit, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports = slices.DeleteFunc(s.reports, func(p *report) bool {
		return p.isRun && p.commit == commit && p.name == name && p.status != "COMPLETED"
	})
}
