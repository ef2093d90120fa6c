package github

import (
	"context"
	"fmt"

	"github.com/asterweave/asterweave/internal/provider/wire"
)

// contextNode is a node of statusCheckRollup.contexts.
type contextNode struct {
	Typename   string `json:"__typename"`
	DatabaseID int64  `json:"databaseId"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	DetailsURL string `json:"detailsUrl"`
	Context    string `json:"context"`
	State      string `json:"state"`
	TargetURL  string `json:"targetUrl"`
	IsRequired bool   `json:"isRequired"`
	Creator    *actor `json:"creator"`
	CheckSuite *struct {
		DatabaseID int64 `json:"databaseId"`
		App        *struct {
			DatabaseID int64  `json:"databaseId"`
			Slug       string `json:"slug"`
		} `json:"app"`
		WorkflowRun *struct {
			DatabaseID int64  `json:"databaseId"`
			Event      string `json:"event"`
			Workflow   struct {
				DatabaseID int64  `json:"databaseId"`
				Name       string `json:"name"`
			} `json:"workflow"`
		} `json:"workflowRun"`
	} `json:"checkSuite"`
}

// entry makes the node neutral.
func (n contextNode) entry(commit string) (entry, error) {
	switch n.Typename {
	case "StatusContext":
		if n.Context == "" || n.State == "" {
			return entry{}, fmt.Errorf("a commit status has no name or state")
		}
		return entry{Commit: commit, Kind: statusContext, Name: n.Context, State: n.State, By: n.Creator.login(), Required: n.IsRequired, URL: n.TargetURL}, nil
	case "CheckRun":
		if n.Name == "" || n.Status == "" || n.CheckSuite == nil {
			return entry{}, fmt.Errorf("a check run has no name, status or suite")
		}
		e := entry{
			Commit: commit, Kind: checkRun, Name: n.Name, ID: n.DatabaseID, Status: n.Status, Conclusion: n.Conclusion,
			Suite: n.CheckSuite.DatabaseID, Required: n.IsRequired, URL: n.DetailsURL,
		}
		if a := n.CheckSuite.App; a != nil {
			e.App, e.AppSlug = a.DatabaseID, a.Slug
		}
		if w := n.CheckSuite.WorkflowRun; w != nil {
			e.WorkflowRun, e.WorkflowID, e.Workflow, e.Event = w.DatabaseID, w.Workflow.DatabaseID, w.Workflow.Name, w.Event
		}
		return e, nil
	}
	return entry{}, fmt.Errorf("a check of the kind %q is not known", n.Typename)
}

// contexts reads what was reported for a commit, with GitHub's own word on what is
// required of it. The rollup's state is never asked for: it changes with the selection
// and has optional checks in it.
func (r *reading) contexts(ctx context.Context, number int, commit string) ([]entry, error) {
	const operation = "Contexts"
	var entries []entry
	err := follow("checks of "+commit[:12], func(after any) (int, int, pageInfo, error) {
		var data struct {
			Repository *struct {
				DatabaseID int64 `json:"databaseId"`
				Object     *struct {
					OID    string `json:"oid"`
					Rollup *struct {
						Contexts *struct {
							TotalCount int            `json:"totalCount"`
							PageInfo   pageInfo       `json:"pageInfo"`
							Nodes      []*contextNode `json:"nodes"`
						} `json:"contexts"`
					} `json:"statusCheckRollup"`
				} `json:"object"`
			} `json:"repository"`
		}
		variables := r.variables(number)
		variables["sha"], variables["after"] = commit, after
		if err := r.query(ctx, operation, variables, &data); err != nil {
			return 0, 0, pageInfo{}, err
		}
		bad := func(message string) (int, int, pageInfo, error) {
			return 0, 0, pageInfo{}, &queryError{Operation: operation, Kind: wire.Malformed, Message: message}
		}
		if data.Repository == nil || data.Repository.Object == nil || data.Repository.Object.OID != commit {
			return bad(fmt.Sprintf("the answer is not about the commit %.12s", commit))
		}
		if err := r.confirm(data.Repository.DatabaseID, ""); err != nil {
			return 0, 0, pageInfo{}, err
		}
		if data.Repository.Object.Rollup == nil {
			return 0, 0, pageInfo{}, nil // nothing was reported
		}
		c := data.Repository.Object.Rollup.Contexts
		if c == nil {
			return bad("the answer has no contexts")
		}
		for _, n := range c.Nodes {
			if n == nil {
				return bad("an entry is empty")
			}
			e, err := n.entry(commit)
			if err != nil {
				return bad(err.Error())
			}
			entries = append(entries, e)
		}
		return len(c.Nodes), c.TotalCount, c.PageInfo, nil
	})
	return entries, err
}

// actor is who did something; nil is a deleted account.
type actor struct {
	Typename string `json:"__typename"`
	Login    string `json:"login"`
}

// ghost stands for an account that was deleted.
const ghost = "ghost"

func (a *actor) login() string {
	if a == nil {
		return ghost
	}
	return a.Login
}

func (a *actor) bot() bool { return a != nil && a.Typename == "Bot" }
