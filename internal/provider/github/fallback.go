package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	api "github.com/google/go-github/v62/github"
)

// reported reads what was reported for a commit: from GraphQL, and from REST where the
// token may not see it there. REST does not say what is required: blind is what of the
// requirements is not known then.
func (r *reading) reported(ctx context.Context, number int, commit string) (entries []entry, blind string, err error) {
	entries, err = r.contexts(ctx, number, commit)
	if err == nil || !hidden(err) && !undefined(err) {
		return entries, "", err
	}
	workflows, also := r.workflowRuns(ctx, commit)
	if also == nil {
		if entries, also = r.restEntries(ctx, commit, workflows); also == nil {
			return entries, "isRequired: " + err.Error(), nil
		}
	}
	return nil, "", fmt.Errorf("%w; and over REST: %w; no fine-grained personal access token can read checks: a classic token with repo, or an App's token with checks, statuses and actions (read), can%s", err, also, ended(workflows))
}

// ended tells what can be seen of workflows where checks cannot be. It is for people: the
// runs of other Apps are not among them, so that nothing follows from it.
func ended(workflows map[int64]workflowOf) string {
	var parts []string
	for _, w := range workflows {
		how := w.conclusion
		if how == "" {
			how = "not finished"
		}
		parts = append(parts, w.workflow+" "+how)
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return "; of the workflows, which are not all of it, one sees: " + strings.Join(parts[:min(len(parts), shown)], ", ")
}

// restEntries reads check runs and statuses of a commit over REST. Without workflows two
// runs of one name could not be told apart.
func (r *reading) restEntries(ctx context.Context, commit string, workflows map[int64]workflowOf) ([]entry, error) {
	var entries []entry
	seen, total := 0, -1
	path := r.path("/commits/%s/check-runs", commit)
	err := pages(ctx, r, path+fmt.Sprintf("?filter=latest&per_page=%d", pageSize), func(page api.ListCheckRunsResults) error {
		if page.Total == nil || page.CheckRuns == nil {
			return fmt.Errorf("GET %s: the answer is no list of check runs", path)
		}
		total = page.GetTotal()
		for _, c := range page.CheckRuns {
			if c.GetHeadSHA() != commit || c.GetName() == "" || c.GetStatus() == "" {
				return fmt.Errorf("GET %s: an entry is no check run of that commit", path)
			}
			seen++
			w := workflows[c.GetCheckSuite().GetID()]
			entries = append(entries, entry{
				Commit: commit, Kind: checkRun, Name: c.GetName(), ID: c.GetID(), Status: strings.ToUpper(c.GetStatus()), Conclusion: strings.ToUpper(c.GetConclusion()),
				App: c.GetApp().GetID(), AppSlug: c.GetApp().GetSlug(), Suite: c.GetCheckSuite().GetID(), URL: c.GetDetailsURL(),
				Workflow: w.workflow, WorkflowID: w.id, WorkflowRun: w.run, Event: w.event,
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if seen != total {
		return nil, fmt.Errorf("GET %s: %d of %d check runs were told; the list is not whole", path, seen, total)
	}
	statuses, err := r.statuses(ctx, commit)
	return append(entries, statuses...), err
}

// statuses reads the newest status of each context. The combined state is not looked at:
// it is pending where there are none.
func (r *reading) statuses(ctx context.Context, commit string) ([]entry, error) {
	var entries []entry
	total := -1
	path := r.path("/commits/%s/status", commit)
	err := pages(ctx, r, path+fmt.Sprintf("?per_page=%d", pageSize), func(page api.CombinedStatus) error {
		if page.GetSHA() != commit || page.TotalCount == nil {
			return fmt.Errorf("GET %s: the answer is not about that commit", path)
		}
		total = page.GetTotalCount()
		for _, s := range page.Statuses {
			if s.GetContext() == "" || s.GetState() == "" {
				return fmt.Errorf("GET %s: an entry is no status", path)
			}
			entries = append(entries, entry{Commit: commit, Kind: statusContext, Name: s.GetContext(), State: strings.ToUpper(s.GetState()), ID: s.GetID(), By: s.GetCreator().GetLogin(), URL: s.GetTargetURL()})
		}
		return nil
	})
	if err == nil && len(entries) != total {
		err = fmt.Errorf("GET %s: %d of %d statuses were told; the list is not whole", path, len(entries), total)
	}
	return entries, err
}

// workflowOf is what a check suite belongs to.
type workflowOf struct {
	workflow, event string
	conclusion      string
	id, run         int64
}

// workflowRuns reads the workflow runs of a commit, by check suite.
func (r *reading) workflowRuns(ctx context.Context, commit string) (map[int64]workflowOf, error) {
	of := map[int64]workflowOf{}
	seen, total := 0, -1
	path := r.path("/actions/runs")
	err := pages(ctx, r, path+fmt.Sprintf("?head_sha=%s&per_page=%d", commit, pageSize), func(page api.WorkflowRuns) error {
		if page.TotalCount == nil || page.WorkflowRuns == nil {
			return fmt.Errorf("GET %s: the answer is no list of workflow runs", path)
		}
		total = page.GetTotalCount()
		for _, w := range page.WorkflowRuns {
			if w.GetHeadSHA() != commit {
				return fmt.Errorf("GET %s: an entry is of another commit", path)
			}
			seen++
			of[w.GetCheckSuiteID()] = workflowOf{workflow: w.GetName(), id: w.GetWorkflowID(), event: w.GetEvent(), conclusion: w.GetConclusion(), run: w.GetID()}
		}
		return nil
	})
	if err == nil && seen != total {
		err = fmt.Errorf("GET %s: %d of %d workflow runs were told; the list is not whole", path, seen, total)
	}
	return of, err
}

// awaiting reads the check suites and names those that wait for a maintainer: of a first
// contribution no run exists until somebody approves it, while other checks may be green.
//
// Every run has a suite, so that where ran is true an empty list is none.
func (r *reading) awaiting(ctx context.Context, commit string, ran bool) ([]string, error) {
	var waiting []string
	seen, total := 0, -1
	path := r.path("/commits/%s/check-suites", commit)
	err := pages(ctx, r, path+fmt.Sprintf("?per_page=%d", pageSize), func(page api.ListCheckSuiteResults) error {
		if page.Total == nil || page.CheckSuites == nil {
			return fmt.Errorf("GET %s: the answer is no list of check suites", path)
		}
		total = page.GetTotal()
		for _, s := range page.CheckSuites {
			if s.GetHeadSHA() != commit {
				return fmt.Errorf("GET %s: an entry is of another commit", path)
			}
			seen++
			if s.GetStatus() == "completed" && s.GetConclusion() == "action_required" {
				waiting = append(waiting, fmt.Sprintf("suite %d of %s", s.GetID(), s.GetApp().GetSlug()))
			}
		}
		return nil
	})
	if err == nil && seen != total {
		err = fmt.Errorf("GET %s: %d of %d check suites were told; the list is not whole", path, seen, total)
	}
	if err == nil && ran && total == 0 {
		err = fmt.Errorf("GET %s: no check suite was told of a commit that has check runs; the list is not whole", path)
	}
	return waiting, err
}
