package state

import "fmt"

// How the delivery moves through its nodes: attempts begin and end, budgets and
// evidence begin anew.

func (s *State) entered(e Entry, c Entered) error {
	n := s.Nodes[c.Node]
	if s.Node != c.Node || n.Status == NodeRunning {
		return fmt.Errorf("node %q cannot be entered while %q is %s", c.Node, s.Node, s.Nodes[s.Node].Status)
	}
	n.Status = NodeRunning
	n.Attempts++
	n.Visits++
	n.Tree, n.Hypothesis, n.EnteredSeq = c.Tree, c.Hypothesis, e.Seq
	s.Nodes[c.Node] = n
	s.Retry = ""
	s.forgetAgents()
	return nil
}

// forgetAgents drops what no later decision needs: only that an agent wrote, or
// gave its verdict, outlives an attempt.
func (s *State) forgetAgents() {
	for id, a := range s.Agents {
		if !a.Wrote && !a.Gave {
			delete(s.Agents, id)
			continue
		}
		a.Seen = nil
		s.Agents[id] = a
	}
}

func (s *State) completed(e Entry, c Completed) error {
	n, ok := s.Nodes[c.Node]
	if !ok || s.Node != c.Node || n.Status != NodeRunning {
		return fmt.Errorf("node %q cannot be completed: it is not under way", c.Node)
	}
	switch {
	case c.Outcome == "pass":
		n.Status = NodePassed
	case c.To == c.Node && c.Failure == nil:
		n.Status = NodePaused
	default:
		n.Status = NodeFailed
	}
	if c.Refund {
		if n.Attempts == 0 {
			return fmt.Errorf("node %q has no attempt to give back", c.Node)
		}
		n.Attempts--
	}
	s.Nodes[c.Node] = n
	s.restart(e, c.Node, c.Reset, c.Invalidate)
	if c.Failure != nil {
		s.Retry = c.Failure.Signature
		s.Failures = last(append(s.Failures, *c.Failure), keptFailures)
	}
	if c.Branch != "" {
		s.Branch = c.Branch
	}
	return s.goTo(c.To)
}

func (s *State) moved(e Entry, c Moved) error {
	if s.Nodes[s.Node].Status == NodeRunning && s.Node != c.To {
		n := s.Nodes[s.Node]
		n.Status = NodeFailed
		s.Nodes[s.Node] = n
	}
	s.restart(e, "", c.Reset, c.Invalidate)
	s.Retry = ""
	return s.goTo(c.To)
}

// restart gives nodes their budgets back, and ends the evidence of others. Nothing
// is deleted: records from before simply count no more.
func (s *State) restart(e Entry, ended string, reset, invalidate []string) {
	for _, name := range reset {
		r := s.Nodes[name]
		s.Nodes[name] = Node{Status: NodePending, Visits: r.Visits, Since: r.Since}
	}
	for _, name := range invalidate {
		r := s.Nodes[name]
		r.Since = e.Seq
		if name != ended {
			r.Status = NodePending
		}
		s.Nodes[name] = r
	}
}

func (s *State) goTo(node string) error {
	if _, ok := s.Nodes[node]; !ok && node != "" {
		return fmt.Errorf("node %q is not in the graph", node)
	}
	s.Node = node
	return nil
}
