package retro

// Total is the sum over all deliveries. Durations are in milliseconds.
type Total struct {
	Deliveries int            `json:"deliveries"`
	Outcomes   map[string]int `json:"outcomes"`
	DurationMs int64          `json:"durationMs"`
	WaitedMs   int64          `json:"waitedMs"`
	Nodes      []Node         `json:"nodes"`
	Failures   []Failure      `json:"failures"`
	Asks       map[string]int `json:"asks"`     // by kind
	Unstable   map[string]int `json:"unstable"` // by gate
	Refunds    int            `json:"refunds"`
	Replans    int            `json:"replans"`
	Calls      int            `json:"calls"`
	CallMs     int64          `json:"callMs"`
}

func total(deliveries []Delivery) Total {
	t := Total{Deliveries: len(deliveries), Outcomes: map[string]int{}, Nodes: []Node{}, Asks: map[string]int{}, Unstable: map[string]int{}}
	w, failures := walk{nodes: map[string]int{}}, map[Failure]int{}
	for _, d := range deliveries {
		t.Outcomes[d.Outcome]++
		t.DurationMs += d.DurationMs
		t.WaitedMs += d.WaitedMs
		t.Refunds += d.Refunds
		t.Replans += d.Replans
		t.Calls += d.Calls
		t.CallMs += d.CallMs
		for _, n := range d.Nodes {
			sum := w.node(n.Node)
			sum.Attempts += n.Attempts
			sum.Refunds += n.Refunds
			sum.Calls += n.Calls
		}
		for _, f := range d.Failures {
			n := f.Count
			f.Count = 0
			failures[f] += n
		}
		for _, a := range d.Asks {
			t.Asks[a.Kind]++
		}
		for _, u := range d.Unstable {
			t.Unstable[u.Gate]++
		}
	}
	t.Nodes, t.Failures = append(t.Nodes, w.d.Nodes...), counted(failures)
	return t
}
