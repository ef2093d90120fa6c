package azuredevops

import (
	"context"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
)

// Comments reads threads and votes.
func (p *Provider) Comments(ctx context.Context, t provider.Target) (provider.Answer, error) {
	return p.read(ctx, t, "the comments", func(ctx context.Context, s *session) (found, error) {
		u, f, err := s.submission(ctx, t)
		if err != nil || f != nil {
			return unjudged(f), err
		}
		out := found{Head: t.Head, URL: s.page(u.pr)}
		var threads list[thread]
		if err := s.get(ctx, s.ofPull(u.pr, "the threads of the pull request", "threads"), &threads); err != nil {
			return out, err
		}
		h := hear(u.pr, threads.Value, s.self, out.URL)
		if err := s.still(ctx, u); err != nil {
			return out, err
		}
		out.verdict, out.Comments = h.verdict, h.Comments
		out.Signature = "review-comments/outstanding"
		out.Summary = plural(len(h.Comments), "comment", "comments")
		switch out.Result {
		case evidence.Pass:
			out.Summary += ", none outstanding"
			if h.Note != "" {
				out.Summary += "; " + h.Note
			}
		case evidence.Fail:
			out.Summary += ", some outstanding"
		case evidence.Info:
			out.Summary = "no comments"
		}
		out.Basis = u.basis()
		for _, c := range h.Comments {
			out.Basis = append(out.Basis, map[string]any{"comment": c})
		}
		return out, nil
	})
}
