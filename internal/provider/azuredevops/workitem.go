package azuredevops

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// WorkItem judges the work item's state, and its link to the pull request from both sides.
func (p *Provider) WorkItem(ctx context.Context, t provider.Target) (provider.Answer, error) {
	return p.read(ctx, t, "the work item", func(ctx context.Context, s *session) (found, error) {
		if t.Source == "" {
			v := unknown("work item", "the delivery has no work item")
			v.Result = evidence.Info
			return found{verdict: v, Summary: "no work item", Head: t.Head}, nil
		}
		src, err := s.source(t.Source)
		if err != nil {
			return found{}, err
		}
		u, f, err := s.submission(ctx, t)
		if err != nil || f != nil {
			return unjudged(f), err
		}
		out := found{Head: t.Head, Signature: "work-item/not-linked"}
		item, states, err := s.item(ctx, src)
		if err != nil {
			return out, err
		}
		comments, err := s.itemComments(ctx, src)
		if err != nil {
			return out, err
		}
		var listed list[workItemRef]
		if err := s.get(ctx, s.ofPull(u.pr, "the work items of the pull request", "workitems"), &listed); err != nil {
			return out, err
		}
		out.URL = s.itemPage(item)
		link, state := linked(item, u.pr, listed.Value), item.inState(states, t.State)
		out.verdict = worst([]verdict{link, state})
		if link.Result != evidence.Fail {
			out.Signature = "work-item/state"
		}
		out.State, out.States, out.Comments = item.field("System.State"), item.words(states), saidOn(comments, s.self, out.URL)
		out.Summary = fmt.Sprintf("work item %d is %s", item.ID, out.State)
		if link.Result == evidence.Pass {
			out.Summary += fmt.Sprintf(" and linked with pull request %d", u.pr.ID)
		}
		out.Basis = append(u.basis(), map[string]any{"workItem": map[string]any{"id": item.ID, "rev": item.Rev, "type": item.field("System.WorkItemType"), "state": item.field("System.State")}}, map[string]any{"link": link}, map[string]any{"state": state})
		return out, s.still(ctx, u)
	})
}

// Item reads the work item that t.Source names.
func (p *Provider) Item(ctx context.Context, t provider.Target) (provider.Item, error) {
	s, err := p.open(ctx, t.URL)
	if err != nil {
		return provider.Item{}, err
	}
	src, err := s.source(t.Source)
	if err != nil {
		return provider.Item{}, err
	}
	if _, err := s.me(ctx); err != nil {
		return provider.Item{}, err
	}
	item, _, err := s.item(ctx, src)
	if err != nil {
		return provider.Item{}, err
	}
	return provider.Item{
		Source: fmt.Sprintf("%s/%s#%d", src.organisation, item.field("System.TeamProject"), item.ID), Title: item.field("System.Title"), Text: item.text(),
		State: item.field("System.State"), URL: s.itemPage(item), Proof: s.lines(), Reader: s.reader(),
	}, nil
}

// item reads a work item and the states that its type has.
func (s *session) item(ctx context.Context, src source) (workItem, []workItemState, error) {
	r := resource{
		what: fmt.Sprintf("the work item %d", src.number), project: src.project, path: []string{"wit", "workitems", strconv.Itoa(src.number)},
		query: url.Values{"$expand": {"relations"}}, grant: grantWork,
	}
	var w workItem
	if err := s.get(ctx, r, &w); err != nil {
		return w, nil, err
	}
	if w.ID != src.number || w.field("System.State") == "" || w.field("System.WorkItemType") == "" || w.field("System.TeamProject") == "" {
		return w, nil, &ReadError{What: r.what, Err: shape("it is another work item, or it has no state, type or project")}
	}
	var states list[workItemState]
	r = resource{
		what: "the states of a " + w.field("System.WorkItemType"), project: w.field("System.TeamProject"),
		path: []string{"wit", "workitemtypes", w.field("System.WorkItemType"), "states"}, grant: grantWork,
	}
	if err := s.get(ctx, r, &states); err != nil {
		return w, nil, err
	}
	return w, states.Value, nil
}
