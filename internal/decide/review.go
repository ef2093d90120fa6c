package decide

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// shownUnseen bounds how many unseen files a record lists.
const shownUnseen = 50

// Reviewer is the context that a verdict comes from.
type Reviewer struct {
	AgentID string // "" for a human's own verdict
	Type    string // type of the agent
}

// Review stores a reviewer's verdict. What makes it worthless (the reviewer wrote,
// looked at another tree, did not open the files, or is an agent's second opinion on
// a tree that failed) makes it unknown.
func (d *Draft) Review(rev document.Review, who Reviewer, artifact string) (evidence.Record, error) {
	if err := d.active(); err != nil {
		return evidence.Record{}, err
	}
	kind := evidence.Kind(rev.Kind)
	if !d.State.Running(graph.Review) {
		return evidence.Record{}, problem.New(problem.Conflict, "a verdict is taken while review is under way", "next says what is due")
	}
	if who.AgentID == "" {
		if err := d.human("a review without a reviewer's context"); err != nil {
			return evidence.Record{}, err
		}
	}
	if d.State.Agents[who.AgentID].Gave {
		return evidence.Record{}, problem.New(problem.Conflict, "this agent has given its verdict already", "another reviewer gives another")
	}
	for _, id := range rev.Resolved {
		if !slices.ContainsFunc(d.State.Findings, func(f state.Finding) bool { return f.ID == id }) {
			return evidence.Record{}, problem.New(problem.Invalid, fmt.Sprintf("finding %s is not open", id), "status and the reviewer's prompt list the open ones")
		}
	}
	r := evidence.Record{
		Kind: kind, Result: evidence.Result(rev.Verdict), Summary: rev.Summary, Witness: evidence.Document, Path: artifact, Counts: true,
	}
	if who.AgentID != "" {
		d.By.Agent = who.Type + "/" + who.AgentID
	}
	unseen := d.unseen(who)
	if why := d.worthless(kind, rev, who, unseen); why != "" {
		r.Result, r.Because, r.Counts = evidence.Unknown, why, false
		r.Unseen = unseen[:min(len(unseen), shownUnseen)]
	}
	change := state.Reviewed{Kind: rev.Kind, AgentID: who.AgentID}
	if r.Counts {
		change.Opened = d.opened(rev)
		change.Resolved = d.resolved(rev, who)
		for _, f := range change.Opened {
			r.Findings = append(r.Findings, f.ID)
		}
	}
	if r.Result == evidence.Fail {
		r.Signature = reviewSignature(rev)
	}
	r, err := d.record(r)
	if err != nil {
		return r, err
	}
	if !r.Counts {
		if who.AgentID == "" {
			return r, nil
		}
		change.Review = d.State.Reviews[rev.Kind]
		return r, d.emit(state.Change{Reviewed: &change})
	}
	change.Review = state.Review{Tree: rev.Tree, Verdict: rev.Verdict, Agent: d.By.Agent, Record: r.ID, Failed: d.failed(rev)}
	return r, d.emit(state.Change{Reviewed: &change})
}

// failed returns the trees that stand failed for the kind after this verdict.
func (d *Draft) failed(rev document.Review) []string {
	out := slices.DeleteFunc(slices.Clone(d.State.Reviews[rev.Kind].Failed), func(t string) bool { return t == rev.Tree })
	if rev.Verdict == string(evidence.Fail) {
		out = append(out, rev.Tree)
	}
	return out
}

// reviewSignature names the failure by its gravest finding.
func reviewSignature(rev document.Review) string {
	for _, severity := range []string{"Critical", "High", "Medium", "Low"} {
		for _, f := range rev.Findings {
			if f.Severity == severity {
				return fmt.Sprintf("%s/%s/%s", rev.Kind, path.Base(f.Path), strings.ToLower(severity))
			}
		}
	}
	return rev.Kind + "/verdict"
}

func (d *Draft) worthless(kind evidence.Kind, rev document.Review, who Reviewer, unseen []string) string {
	agent := d.State.Agents[who.AgentID]
	switch {
	case rev.Tree != d.Facts.World.Tree:
		return "it is about another tree than " + d.Facts.World.Tree
	case agent.Wrote:
		return "the reviewer also wrote"
	case len(unseen) > 0:
		return fmt.Sprintf("the reviewer was not seen to open %d changed files as they are: %s", len(unseen), strings.Join(unseen[:min(5, len(unseen))], ", "))
	case who.AgentID != "" && slices.Contains(d.State.Reviews[rev.Kind].Failed, rev.Tree) && rev.Verdict == string(evidence.Pass):
		return "a failing verdict stands for this tree"
	}
	if kind != evidence.SecurityReview {
		return ""
	}
	for _, g := range d.Gates() {
		if n := d.GateNeed(g); g.Kind == string(evidence.Scan) && !n.Open() {
			return fmt.Sprintf("scan gate %s, which it rests on, is %s", g.ID, n.State)
		}
	}
	return ""
}

// unseen returns the files of the change, with what was committed before start, that
// the hooks did not see the agent open as they are now. A human answers for their own
// looking.
func (d *Draft) unseen(who Reviewer) []string {
	if who.AgentID == "" {
		return nil
	}
	if d.Facts.Contents == nil {
		return []string{"the change, which cannot be compared"}
	}
	seen := d.State.Agents[who.AgentID].Seen
	var out []string
	for _, p := range slices.Sorted(maps.Keys(d.Facts.Contents)) {
		if digest, opened := seen[p]; !opened || digest != d.Facts.Contents[p] {
			out = append(out, p)
		}
	}
	return out
}

func (d *Draft) opened(rev document.Review) []state.Finding {
	out := make([]state.Finding, len(rev.Findings))
	for i, f := range rev.Findings {
		out[i] = state.Finding{
			ID: fmt.Sprintf("F%d", d.State.Counts.Findings+i+1), Kind: rev.Kind, Severity: f.Severity, Path: f.Path, Line: f.Line, Title: f.Title, Tree: rev.Tree,
		}
	}
	return out
}

// resolved returns the findings of this kind that the verdict ends: a finding
// stands for its tree until the tree changes, or a human decides.
func (d *Draft) resolved(rev document.Review, who Reviewer) []string {
	var out []string
	for _, f := range d.State.Findings {
		if slices.Contains(rev.Resolved, f.ID) && f.Kind == rev.Kind && (f.Tree != rev.Tree || who.AgentID == "") {
			out = append(out, f.ID)
		}
	}
	return out
}
