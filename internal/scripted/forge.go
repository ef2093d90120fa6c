package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
)

// Forge is a service on loopback that a script's delivery is pushed to and read back
// from. It holds the repository's remote.
type Forge interface {
	Git() string       // folder of the bare repository
	URL() string       // where it is pushed to
	Environ() []string // KEY=value by which programs find and may read it
	// Act does what people, a pipeline, or a program after a confirmation do there, and
	// returns values for {{value NAME}}.
	Act(act []byte) (map[string]string, error)
	Requests() int // to its API so far
	Refused() int  // of those, the ones that were not reads
	Close() error
}

// AtForge is what somebody does at the forge, by other means than Asterweave.
type AtForge struct {
	head
	Act json.RawMessage `json:"act"` // an object whose "what" names it
}

func (a *AtForge) title() string {
	var named struct {
		What string `json:"what"`
	}
	_ = json.Unmarshal(a.Act, &named) // the forge says what is wrong with it
	return "forge " + named.What
}

func (a *AtForge) play(_ context.Context, p *Player) (outcome, error) {
	if p.o.Forge == nil {
		return outcome{}, errors.New("this script is played without a forge")
	}
	values, err := p.o.Forge.Act(a.Act)
	if err != nil {
		return outcome{}, err
	}
	if p.o.Values == nil {
		p.o.Values = map[string]string{}
	}
	maps.Copy(p.o.Values, values)
	return outcome{}, nil
}
