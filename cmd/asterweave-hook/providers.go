package main

import (
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/local"
)

// providers makes the one provider that needs no client; hooks read nothing back.
func providers(name string, git provider.Git, run provider.RunGate) (provider.Provider, error) {
	if name == provider.Local {
		return local.New(git, run), nil
	}
	return nil, &provider.NotInBuildError{Name: name}
}
