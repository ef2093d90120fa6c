package scripted

import (
	"context"
	"encoding/json"
	"fmt"
)

// answer is what the player reads of the JSON that asterweave-state prints.
type answer struct {
	OK    bool `json:"ok"`
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
	Evidence struct {
		ID      string `json:"id"`
		Result  string `json:"result"`
		Summary string `json:"summary"`
		Because string `json:"because"`
	} `json:"evidence"`
	Ask struct {
		ID string `json:"id"`
	} `json:"ask"`
	Next struct {
		Node    string `json:"node"`
		Attempt int    `json:"attempt"`
		Prompt  string `json:"prompt"`
	} `json:"next"`
}

// status is what the player reads of `status --json`.
type status struct {
	Delivery struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Node   string `json:"node"`
		Reason string `json:"reason"`
	} `json:"delivery"`
	Nodes []struct {
		Name     string `json:"name"`
		Attempts int    `json:"attempts"`
		Needs    []need `json:"needs"`
	} `json:"nodes"`
	Criteria []struct {
		ID     string `json:"id"`
		Digest string `json:"digest"`
	} `json:"criteria"`
	Asks []ask `json:"asks"`
}

type need struct {
	Kind     string `json:"kind"`
	Gate     string `json:"gate"`
	State    string `json:"state"`
	Evidence string `json:"evidence"`
	Why      string `json:"why"`
}

type ask struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Question string `json:"question"`
	Digest   string `json:"digest"`
}

// need returns the need for a gate, or for a kind that has no gate.
func (s *status) need(name string) (need, bool) {
	for _, n := range s.Nodes {
		for _, d := range n.Needs {
			if d.Gate == name || d.Gate == "" && d.Kind == name {
				return d, true
			}
		}
	}
	return need{}, false
}

// evidence returns the id of the newest record for a gate or kind that counts.
func (s *status) evidence(name string) string {
	d, _ := s.need(name)
	return d.Evidence
}

func (s *status) criterion(id string) string {
	for _, c := range s.Criteria {
		if c.ID == id {
			return c.Digest
		}
	}
	return ""
}

// ask returns the newest open ask of a kind.
func (s *status) ask(kind string) ask {
	for i := len(s.Asks) - 1; i >= 0; i-- {
		if s.Asks[i].Kind == kind {
			return s.Asks[i]
		}
	}
	return ask{}
}

// attempts returns how often a node was begun.
func (s *status) attempts(node string) int {
	for _, n := range s.Nodes {
		if n.Name == node {
			return n.Attempts
		}
	}
	return 0
}

// status asks where the delivery is. The harness asks, not the model: it is no
// call of the model's.
func (p *Player) status(ctx context.Context) (*status, error) {
	c := p.asAgent(child{program: p.o.State, args: []string{"--json", "status"}})
	out, err := p.run(ctx, c)
	if err != nil {
		return nil, err
	}
	var s status
	if out.exit != 0 {
		return nil, out.failure("it does not say where the delivery is")
	}
	if err := json.Unmarshal(out.stdout, &s); err != nil {
		return nil, out.failure(fmt.Sprintf("no JSON object: %v", err))
	}
	p.node, p.attempt = s.Delivery.Node, s.attempts(s.Delivery.Node)
	return &s, nil
}
