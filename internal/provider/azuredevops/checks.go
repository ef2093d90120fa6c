package azuredevops

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// Checks judges policies, statuses and builds for the submitted head.
func (p *Provider) Checks(ctx context.Context, t provider.Target) (provider.Answer, error) {
	return p.read(ctx, t, "the checks", func(ctx context.Context, s *session) (found, error) {
		u, f, err := s.submission(ctx, t)
		if err != nil || f != nil {
			return unjudged(f), err
		}
		out := found{Head: t.Head, URL: s.page(u.pr)}
		if u.pr.Status == statusAbandoned {
			out.verdict, out.Summary = unknown("checks", "the pull request was abandoned"), "the checks of an abandoned pull request count for nothing"
			return out, nil
		}
		evaluations, err := s.evaluations(ctx, u.pr)
		if err != nil {
			return out, err
		}
		w := world{pr: u.pr.ID, head: t.Head, last: u.last, item: t.Source != ""}
		var statuses list[status]
		if err := s.get(ctx, s.ofPull(u.pr, "the statuses of the pull request", "statuses"), &statuses); err != nil {
			return out, err
		}
		w.statuses = statuses.Value
		evaluations, w.own = leaveOut(t.Asking, evaluations)
		if w.builds, err = s.builds(ctx, u.pr, approvedBuilds(evaluations, t.Head)); err != nil {
			return out, err
		}
		var others []check
		if len(t.Required) > 0 || !slices.ContainsFunc(evaluations, w.requiresCheck) {
			if others, err = s.branchBuilds(ctx, u, t.Head); err != nil {
				return out, err
			}
		}
		others = slices.DeleteFunc(others, func(c check) bool { return isBuild(c.Build, t.Asking) })
		j := w.decide(evaluations, others, t.Required)
		out.verdict, out.Summary, out.Unreported = j.verdict, j.Summary, j.Unreported
		out.Signature = "pipeline/" + j.Name
		if j.Result == evidence.Unknown && u.pr.MergeStatus == "conflicts" {
			out.Pending = false
			out.Because += "; the pull request conflicts with its target, and so builds may not start"
		}
		out.Basis = u.basis()
		for _, c := range j.Checks {
			out.Basis = append(out.Basis, map[string]any{"check": c})
		}
		return out, s.still(ctx, u)
	})
}

// unjudged keeps a read other than that of the pull request from failing because there
// is none: nothing was judged then.
func unjudged(f *found) found {
	if f == nil {
		return found{}
	}
	out := *f
	if out.Result == evidence.Fail {
		out.Result = evidence.Unknown
	}
	return out
}

func (w world) requiresCheck(e evaluation) bool {
	return e.role() == required && e.isCheck() && e.Status != "notApplicable" && !w.exempt(e)
}

// evaluations reads the policies' verdicts on a pull request.
func (s *session) evaluations(ctx context.Context, pr pullRequest) ([]evaluation, error) {
	r := resource{
		what: "the policies of the pull request", project: s.project, path: []string{"policy", "evaluations"},
		query: url.Values{"artifactId": {artifact(pr)}}, preview: firstPreview, grant: grantCode,
	}
	all, err := collect(ctx, s, r, func(e evaluation) string { return e.ID })
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if !sameArtifact(e.ArtifactID, artifact(pr)) {
			return nil, &ReadError{What: r.what, Err: shape("an evaluation is of %.100q", e.ArtifactID)}
		}
	}
	return all, nil
}

// approvedBuilds are the builds whose own result matters: an approval alone does not
// say whether all steps of the build succeeded.
func approvedBuilds(all []evaluation, head string) []int {
	var ids []int
	for _, e := range all {
		if e.role() != off && e.Status == "approved" && e.Context != nil && e.Context.BuildID > 0 && e.Context.LastMergeSourceCommitID == head {
			ids = append(ids, e.Context.BuildID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// builds reads builds by their numbers, many at once.
func (s *session) builds(ctx context.Context, pr pullRequest, ids []int) (map[int]build, error) {
	all := map[int]build{}
	for some := range slices.Chunk(ids, 100) {
		texts := make([]string, len(some))
		for i, id := range some {
			texts[i] = strconv.Itoa(id)
		}
		r := s.buildList("the builds of the pull request", url.Values{"buildIds": {strings.Join(texts, ",")}})
		var l list[build]
		if err := s.get(ctx, r, &l); err != nil {
			return nil, err
		}
		for _, b := range l.Value {
			if n, ok := strings.CutPrefix(b.SourceBranch, "refs/pull/"); ok && n != fmt.Sprintf("%d/merge", pr.ID) {
				return nil, &ReadError{What: r.what, Err: shape("build %d is of %.60q", b.ID, b.SourceBranch)}
			}
			all[b.ID] = b
		}
	}
	return all, nil
}

func (s *session) buildList(what string, q url.Values) resource {
	q.Set("$top", "200")
	return resource{what: what, project: s.project, path: []string{"build", "builds"}, query: q, grant: grantBuild}
}

// branchBuilds judges the newest build of each pipeline that ran on the branch itself,
// at the head, without any policy asking for it.
func (s *session) branchBuilds(ctx context.Context, u submission, head string) ([]check, error) {
	r := s.buildList("the builds of the branch", url.Values{
		"branchName": {u.pr.SourceRefName}, "repositoryId": {u.pr.source().ID}, "repositoryType": {"TfsGit"}, "queryOrder": {"queueTimeDescending"},
	})
	newest := map[int]build{}
	var order []int
	for range 10 {
		body, header, err := s.body(ctx, r)
		var l list[build]
		if err == nil {
			err = decode(body, &l)
		}
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return nil, &ReadError{What: r.what, Grant: r.grant, Err: err}
		}
		for _, b := range l.Value {
			if b.SourceVersion != head || b.SourceBranch != u.pr.SourceRefName {
				continue
			}
			if old, ok := newest[b.Definition.ID]; !ok {
				order = append(order, b.Definition.ID)
				newest[b.Definition.ID] = b
			} else if b.ID > old.ID {
				newest[b.Definition.ID] = b
			}
		}
		next := header.Get("X-Ms-Continuationtoken")
		if next == "" {
			var all []check
			for _, id := range order {
				b := newest[id]
				all = append(all, check{verdict: b.judge(cmp.Or(b.Definition.Name, fmt.Sprintf("pipeline %d", id))), Role: optional, Aliases: []string{b.Definition.Name}, Status: cmp.Or(b.Result, b.Status), Build: b.ID})
			}
			return all, nil
		}
		r.query.Set("continuationToken", next)
	}
	return nil, &ReadError{What: r.what, Err: shape("there are more than 2,000")}
}
