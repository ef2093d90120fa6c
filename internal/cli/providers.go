package cli

import (
	"context"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/azuredevops"
	"github.com/asterweave/asterweave/internal/provider/github"
	"github.com/asterweave/asterweave/internal/provider/local"
	"github.com/asterweave/asterweave/internal/provider/remote"
	"github.com/asterweave/asterweave/internal/provider/token"
)

// providers makes the provider of a name. A credential is looked for when the first
// request is made.
func (a *app) providers(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
	worktree := ""
	if of, ok := git.(interface{ Root() string }); ok {
		worktree = of.Root()
	}
	find := func(ctx context.Context, r remote.Repository) (token.Token, error) {
		return token.Find(ctx, a.environ, r, token.Program(a.environ, worktree))
	}
	switch name {
	case provider.Local:
		return local.New(git, run), nil
	case provider.GitHub:
		return github.New(github.Options{Token: find, Agent: "asterweave/" + Version}), nil
	case provider.AzureDevOps:
		return azuredevops.New(azuredevops.Options{Token: find}), nil
	}
	return nil, &provider.NotInBuildError{Name: name}
}
