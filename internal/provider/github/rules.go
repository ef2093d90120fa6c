package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/provider/wire"
)

// demands is what the base branch asks of a pull request, as far as it could be read.
type demands struct {
	required requirements
	unread   []string
	others   []string
	notes    []string
	strict   bool // the branch has to be up to date with its base
	untold   bool // whether it has to is not told of classic protection
}

// demands reads all sources of required checks. None of them is complete alone: rules
// are blind to classic protection, and classic protection to rules. (What never reported
// has nobody to say isRequired of it.)
func (r *reading) demands(ctx context.Context, number int, base string) (demands, error) {
	var d demands
	if err := r.rules(ctx, base, &d); err != nil {
		d.unread = append(d.unread, "rulesets: "+err.Error())
	}
	if err := r.classic(ctx, base, &d); err != nil {
		d.unread = append(d.unread, "branch protection: "+err.Error())
	}
	err := r.updateRule(ctx, number, base, &d)
	if errors.Is(err, errMoved) {
		return d, err
	}
	if err != nil {
		d.unread = append(d.unread, "refUpdateRule: "+err.Error())
	}
	return d, nil
}

// rules reads the active rules of repository, organisation and enterprise. Parameters
// stay raw: there are rule types that no client knows yet, and they lose nobody the rest.
func (r *reading) rules(ctx context.Context, base string, d *demands) error {
	type rule struct {
		Type       string          `json:"type"`
		Parameters json.RawMessage `json:"parameters"`
		Source     string          `json:"ruleset_source"`
	}
	path, full := r.path("/rules/branches/%s", base), false
	err := pages(ctx, r, path+fmt.Sprintf("?per_page=%d", pageSize), func(page []rule) error {
		full = len(page) >= pageSize
		for _, q := range page {
			switch q.Type {
			case "":
				return errors.New("a rule has no type")
			case "creation", "deletion", "non_fast_forward", "update":
				// about the branch itself, not about what is merged
			case "required_status_checks":
				if err := d.requireRule(q.Parameters); err != nil {
					return fmt.Errorf("ruleset of %s: %w", q.Source, err)
				}
			default:
				if !slices.Contains(d.others, q.Type) {
					d.others = append(d.others, q.Type)
				}
			}
		}
		return nil
	})
	if err == nil && full {
		err = fmt.Errorf("GET %s: the last page is full and names no next one; the list may be cut", path)
	}
	return err
}

func (d *demands) requireRule(raw json.RawMessage) error {
	var p struct {
		Strict bool `json:"strict_required_status_checks_policy"`
		Checks []struct {
			Context       string `json:"context"`
			IntegrationID *int64 `json:"integration_id"`
		} `json:"required_status_checks"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("required_status_checks: %w", err)
	}
	if len(p.Checks) == 0 {
		return errors.New("required_status_checks names no check")
	}
	for _, c := range p.Checks {
		if c.Context == "" {
			return errors.New("required_status_checks has a check without a name")
		}
		d.required.add(c.Context, pin(c.IntegrationID), fromRuleset)
	}
	d.strict = d.strict || p.Strict
	return nil
}

func pin(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

// classicChecks is how classic protection lists required checks.
type classicChecks struct {
	Strict   *bool    `json:"strict"` // told to administrators alone
	Contexts []string `json:"contexts"`
	Checks   []struct {
		Context string `json:"context"`
		AppID   *int64 `json:"app_id"`
	} `json:"checks"`
}

func (c *classicChecks) into(d *demands) {
	if c == nil {
		return
	}
	pinned := map[string]bool{}
	for _, k := range c.Checks {
		d.required.add(k.Context, pin(k.AppID), fromProtection)
		pinned[k.Context] = true
	}
	for _, name := range c.Contexts {
		if !pinned[name] {
			d.required.add(name, 0, fromProtection)
		}
	}
	if c.Strict == nil {
		d.untold = d.untold || len(c.Contexts)+len(c.Checks) > 0
		return
	}
	d.strict = d.strict || *c.Strict
}

// classic reads what a reader sees of classic protection.
func (r *reading) classic(ctx context.Context, base string, d *demands) error {
	var branch struct {
		Name       string `json:"name"`
		Protected  *bool  `json:"protected"`
		Protection *struct {
			Enabled  *bool          `json:"enabled"`
			Required *classicChecks `json:"required_status_checks"`
		} `json:"protection"`
	}
	path := r.path("/branches/%s", base)
	if _, err := r.get(ctx, path, &branch); err != nil {
		return err
	}
	switch {
	case branch.Name != base || branch.Protected == nil:
		return fmt.Errorf("GET %s: the answer is not about that branch", path)
	case !*branch.Protected:
		return nil
	case branch.Protection == nil:
		return r.protection(ctx, base, d)
	case branch.Protection.Enabled == nil:
		return fmt.Errorf("GET %s: the answer does not say whether classic protection is on", path)
	case !*branch.Protection.Enabled:
		return nil // protected by rulesets alone
	case branch.Protection.Required == nil:
		return fmt.Errorf("GET %s: the answer does not say which checks classic protection requires", path)
	}
	branch.Protection.Required.into(d)
	return nil
}

// protection reads classic protection as an administrator sees it. Only the text of a
// 404 tells a branch without protection from a token without the right to look.
func (r *reading) protection(ctx context.Context, base string, d *demands) error {
	var p struct {
		URL      string         `json:"url"`
		Required *classicChecks `json:"required_status_checks"`
	}
	path := r.path("/branches/%s/protection", base)
	_, err := r.get(ctx, path, &p)
	var w *wire.Error
	if errors.As(err, &w) && w.Status == http.StatusNotFound && strings.Contains(w.Message, "Branch not protected") {
		return nil
	}
	if err != nil {
		return err
	}
	if p.URL == "" {
		return fmt.Errorf("GET %s: the answer is no protection", path)
	}
	p.Required.into(d)
	return nil
}

// updateRule reads what anybody may see of classic protection, by name alone. A server
// that has no such field has nothing to add.
func (r *reading) updateRule(ctx context.Context, number int, base string, d *demands) error {
	var data struct {
		Repository *struct {
			PullRequest *struct {
				BaseRefName string `json:"baseRefName"`
				BaseRef     *struct {
					Rule *struct {
						Checks       []string `json:"requiredStatusCheckContexts"`
						Conversation bool     `json:"requiresConversationResolution"`
						Approvals    int      `json:"requiredApprovingReviewCount"`
					} `json:"refUpdateRule"`
				} `json:"baseRef"`
			} `json:"pullRequest"`
		} `json:"repository"`
	}
	err := r.query(ctx, "Rule", r.variables(number), &data)
	switch {
	case undefined(err):
		return nil
	case err != nil:
		return err
	case data.Repository == nil || data.Repository.PullRequest == nil:
		return errors.New("the answer has no pull request")
	case data.Repository.PullRequest.BaseRefName != base:
		return fmt.Errorf("%w: the base was %s and is %s", errMoved, base, data.Repository.PullRequest.BaseRefName)
	}
	ref := data.Repository.PullRequest.BaseRef
	if ref == nil {
		return fmt.Errorf("the base %s is not there", base)
	}
	if ref.Rule == nil {
		return nil
	}
	for _, name := range ref.Rule.Checks {
		if name != "" {
			d.required.add(name, 0, fromUpdateRule)
		}
	}
	if ref.Rule.Approvals > 0 {
		d.notes = append(d.notes, fmt.Sprintf("the base asks for %d approving reviews", ref.Rule.Approvals))
	}
	if ref.Rule.Conversation {
		d.notes = append(d.notes, "the base asks that conversations are resolved")
	}
	return nil
}
