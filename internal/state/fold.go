package state

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/asterweave/asterweave/internal/evidence"
)

// Bounds of what the fold keeps.
const (
	keptFailures = 40
	keptAnswers  = 20
	keptIntents  = 40
	keptAgents   = 200
	keptSeen     = 4000
	keptBypasses = 40
	keptPrompts  = 8  // of an agent
	keptPrompted = 24 // agents
)

// Fold applies the changes of one event, in order, to s. An event that is not
// legal after s is an error and leaves s undefined: fold on a Clone to try.
func Fold(s *State, e Entry) error {
	for i, c := range e.Changes {
		if err := s.apply(e, c); err != nil {
			return fmt.Errorf("event %d, change %d: %w", e.Seq, i+1, err)
		}
		s.visit(e.At)
	}
	return nil
}

var errNotOpen = errors.New("the delivery is not open")

func (s *State) apply(e Entry, c Change) error {
	if c.Started != nil {
		return s.started(*c.Started)
	}
	if !s.Delivery.Open() {
		return errNotOpen
	}
	switch {
	case c.Entered != nil:
		return s.entered(e, *c.Entered)
	case c.Completed != nil:
		return s.completed(e, *c.Completed)
	case c.Moved != nil:
		return s.moved(e, *c.Moved)
	case c.Recorded != nil:
		return s.recorded(e, *c.Recorded)
	case c.Documented != nil:
		s.documented(*c.Documented)
	case c.Judged != nil:
		return s.judged(e, *c.Judged)
	case c.Asked != nil:
		return s.asked(*c.Asked)
	case c.Closed != nil:
		return s.closed(*c.Closed)
	case c.Approved != nil:
		a := *c.Approved
		s.Approval = &a
		s.heeded(a.URL)
	case c.Intended != nil:
		s.intended(*c.Intended)
	case c.Confirmed != nil:
		return s.confirmed(*c.Confirmed)
	case c.Submitted != nil:
		s.submitted(*c.Submitted)
	case c.Steered != nil:
		s.Counts.Steers++
		s.Steers = append(s.Steers, *c.Steered)
	case c.Paused != nil:
		s.paused(*c.Paused)
	case c.Resumed != nil:
		s.Delivery.Status, s.Delivery.Reason, s.Delivery.PausedBy = Active, "", ""
	case c.Ended != nil:
		s.ended(*c.Ended)
	case c.Reviewed != nil:
		s.reviewed(*c.Reviewed)
	case c.Granted != nil:
		n := s.Nodes[c.Granted.Node]
		n.Granted++
		s.Nodes[c.Granted.Node] = n
	case c.Waived != nil:
		s.Waivers[c.Waived.Kind] = Waiver{Because: c.Waived.Because, Plan: c.Waived.Plan}
	case c.Accepted != nil:
		s.accepted(*c.Accepted)
	case c.Pinned != nil:
		s.pinned(*c.Pinned)
	case c.Analysed != nil:
		return s.analysed(*c.Analysed)
	case c.Leased != nil:
		l := *c.Leased
		s.Lease = &l
	case c.Held != nil:
		h := *c.Held
		s.Hold = &h
	case c.Heard != nil:
		s.Hold = nil // a human has looked: the turns that end without progress are counted anew
	case c.Tool != nil:
		s.tool(*c.Tool)
	case c.Used != nil:
		s.used(*c.Used)
	case c.SentBack != nil:
		a := s.Agents[c.SentBack.AgentID]
		a.Sent = true
		s.Agents[c.SentBack.AgentID] = a
	case c.Bypassed != nil:
		s.Counts.Bypasses++
		s.Bypasses = last(append(s.Bypasses, *c.Bypassed), keptBypasses)
	case c.Commented != nil:
		s.commented(*c.Commented)
	case c.Triaged != nil:
		s.triaged(e, *c.Triaged)
	case c.Settled != nil:
		return s.settled(*c.Settled)
	case c.Prompted != nil:
		s.prompted(*c.Prompted)
	case c.Unhooked != nil: // shown by log; nothing depends on it
	default:
		return errors.New("a change of a kind that this version does not know")
	}
	return nil
}

func (s *State) started(c Started) error {
	if s.Delivery.ID != "" {
		return errors.New("a delivery has started already")
	}
	if len(c.Nodes) == 0 {
		return errors.New("a delivery needs nodes")
	}
	s.Delivery = c.Delivery
	s.Node = c.Nodes[0]
	for _, n := range c.Nodes {
		s.Nodes[n] = Node{Status: NodePending}
	}
	return nil
}

func (s *State) recorded(e Entry, r evidence.Record) error {
	s.Counts.Evidence++
	if want := fmt.Sprintf("E%d", s.Counts.Evidence); r.ID != want {
		return fmt.Errorf("record %s is out of order, %s is due", r.ID, want)
	}
	r.Seq = e.Seq
	key := r.Key()
	slot := s.Slots[key]
	slot.Last = &r
	if r.Counts {
		slot.Counts = &r
		s.Idle = 0
	}
	s.Slots[key] = slot
	s.mark(r)
	return nil
}

// mark keeps the most tests that a run of an argv executed, and the fewest that it
// skipped, so that a later run with fewer, or more, is seen however often it is
// repeated. A run at the base measures another tree and is no mark.
func (s *State) mark(r evidence.Record) {
	if r.Tests == nil || !r.Tests.Known || r.Base || !r.Counts {
		return
	}
	key, t := ArgvKey(r.Argv), *r.Tests
	m, marked := s.Marks[key]
	switch {
	case !marked || m.Tests.Runner != t.Runner || m.Tests.Unit != t.Unit:
		m.Tests, m.Record = t, r.ID
	case t.Executed() > m.Tests.Executed():
		t.Skipped = min(t.Skipped, m.Tests.Skipped)
		m.Tests, m.Record = t, r.ID
	default:
		m.Tests.Skipped = min(t.Skipped, m.Tests.Skipped)
	}
	m.Tests.Failing = nil
	s.Marks[key] = m
}

func (s *State) documented(c Documented) {
	if c.Name == DocPlan {
		s.PriorPlan = s.Docs[DocPlan]
		s.PlanRevision++
	}
	s.Docs[c.Name] = c.Digest
	s.Idle = 0
	if c.Name != DocSpec {
		return
	}
	old := s.Criteria
	s.Criteria = slices.Clone(c.Criteria)
	for i, cr := range s.Criteria {
		s.Criteria[i].Verdict = Verdict{}
		if j := slices.IndexFunc(old, func(o Criterion) bool { return o.ID == cr.ID && o.Digest == cr.Digest }); j >= 0 {
			s.Criteria[i].Verdict = old[j].Verdict
		}
	}
}

func (s *State) judged(e Entry, c Judged) error {
	for i := range s.Criteria {
		if s.Criteria[i].ID != c.Criterion {
			continue
		}
		if s.Criteria[i].Digest != c.Digest {
			return fmt.Errorf("criterion %s is not the one that was judged", c.Criterion)
		}
		s.Criteria[i].Verdict = c.Verdict
		s.Criteria[i].Verdict.Seq = e.Seq
		s.Idle = 0
		return nil
	}
	return fmt.Errorf("there is no criterion %s", c.Criterion)
}

func (s *State) asked(a Ask) error {
	s.Counts.Asks++
	if want := fmt.Sprintf("A%d", s.Counts.Asks); a.ID != want {
		return fmt.Errorf("ask %s is out of order, %s is due", a.ID, want)
	}
	s.Asks = append(s.Asks, a)
	return nil
}

func (s *State) closed(c Closed) error {
	i := slices.IndexFunc(s.Asks, func(a Ask) bool { return a.ID == c.Ask })
	if i < 0 {
		return fmt.Errorf("ask %s is not open", c.Ask)
	}
	if c.Because == "" {
		s.Answers = last(append(s.Answers, Answer{Ask: c.Ask, Question: s.Asks[i].Question, Text: c.Answer, Channel: c.Channel}), keptAnswers)
		s.Idle = 0
	}
	s.Asks = slices.Delete(s.Asks, i, i+1)
	return nil
}

func (s *State) confirmed(c Confirmed) error {
	for i := range s.Intents {
		if s.Intents[i].ID == c.Intent {
			s.Intents[i].Confirmed, s.Intents[i].Channel = true, c.Channel
			s.heeded(c.URL)
			s.replied(s.Intents[i])
			return nil
		}
	}
	return fmt.Errorf("intent %s is not known", c.Intent)
}

func (s *State) submitted(c Submitted) {
	s.Submitted = &c
	for i := range s.Intents {
		if s.Intents[i].Kind == "pr" && s.Intents[i].Head == c.Head {
			s.Intents[i].Settled = true
		}
	}
}

func (s *State) paused(c PausedBy) {
	s.Delivery.Status, s.Delivery.Reason, s.Delivery.PausedBy = Paused, c.Reason, c.Ask
	if c.Wait {
		s.Delivery.PausedBy = PausedByProvider
	}
	if c.Idle {
		s.Idle++
	}
}

// PausedByProvider marks a pause that waits for the provider and for no human.
const PausedByProvider = "@provider"

func (s *State) ended(c Ended) {
	s.Delivery.Status, s.Delivery.Reason, s.Delivery.PausedBy = c.Status, c.Reason, ""
	s.Asks = nil
	if c.Status == Done {
		s.Node = ""
	}
}

func (s *State) accepted(c Accepted) {
	if c.Digest != "" && !slices.Contains(s.Accepted, c.Digest) {
		s.Accepted = append(s.Accepted, c.Digest)
	}
	maps.Copy(s.Programs, c.Programs)
	if s.Surroundings.Hashes == nil {
		s.Surroundings.Hashes = map[string]string{}
	}
	for label, hash := range c.Surroundings {
		if hash == "" {
			delete(s.Surroundings.Hashes, label)
			continue
		}
		s.Surroundings.Hashes[label] = hash
	}
	for _, label := range c.Loose {
		if i, found := slices.BinarySearch(s.Loose, label); !found {
			s.Loose = slices.Insert(s.Loose, i, label)
		}
	}
}

func (s *State) pinned(c Pinned) {
	if c.Surroundings != nil && (c.Replace || s.Surroundings.Digest == "") {
		around := *c.Surroundings
		around.Hashes, around.Settings = maps.Clone(around.Hashes), maps.Clone(around.Settings)
		s.Surroundings = around
	}
	for name, p := range c.Programs {
		if _, known := s.Programs[name]; !known || c.Replace {
			s.Programs[name] = p
		}
	}
}

func (s *State) reviewed(c Reviewed) {
	s.Reviews[c.Kind] = c.Review
	s.Findings = slices.DeleteFunc(s.Findings, func(f Finding) bool { return slices.Contains(c.Resolved, f.ID) })
	s.Findings = append(s.Findings, c.Opened...)
	s.Counts.Findings += len(c.Opened)
	if c.AgentID != "" {
		a := s.Agents[c.AgentID]
		a.Gave = true
		s.Agents[c.AgentID] = a
	}
}

// prompted keeps what an agent was given: a verdict is that of an agent which got it.
func (s *State) prompted(c Prompted) {
	list, known := s.Prompts[c.Agent]
	if c.Agent == "" || c.Digest == "" || slices.Contains(list, c.Digest) || !known && len(s.Prompts) >= keptPrompted {
		return
	}
	if s.Prompts == nil {
		s.Prompts = map[string][]string{}
	}
	s.Prompts[c.Agent] = last(append(slices.Clone(list), c.Digest), keptPrompts)
}

func (s *State) analysed(c Analysed) error {
	for i := range s.Asks {
		if s.Asks[i].ID == c.Ask {
			s.Asks[i].About = c.About
			return nil
		}
	}
	return fmt.Errorf("ask %s is not open", c.Ask)
}

func (s *State) tool(c Tool) {
	s.counted(c)
	if c.AgentID == "" || (len(c.Files) == 0 && !c.Wrote) {
		return
	}
	a, known := s.Agents[c.AgentID]
	if !known && len(s.Agents) >= keptAgents {
		return // an agent that is not kept has seen nothing, which never opens a gate
	}
	a.Type = c.AgentType
	a.Wrote = a.Wrote || c.Wrote
	if a.Seen == nil {
		a.Seen = map[string]string{}
	}
	for _, f := range slices.Sorted(maps.Keys(c.Files)) { // in one order, so that every fold keeps the same
		if _, found := a.Seen[f]; found || len(a.Seen) < keptSeen {
			a.Seen[f] = c.Files[f]
		}
	}
	s.Agents[c.AgentID] = a
}

// ArgvKey names an argv in a map.
func ArgvKey(argv []string) string { return fmt.Sprintf("%q", argv) }

func last[T any](list []T, n int) []T {
	if len(list) > n {
		return slices.Clone(list[len(list)-n:])
	}
	return list
}
