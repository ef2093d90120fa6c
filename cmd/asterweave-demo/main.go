// Command asterweave-demo delivers a real fix in a temporary repository, from goal
// to done, with recorded decisions in the place of a model and a person.
package main

import (
	"context"
	"os"

	"github.com/asterweave/asterweave/internal/forge"
	"github.com/asterweave/asterweave/internal/scripted"
)

func main() { os.Exit(scripted.Main(os.Args[1:], os.Stdout, os.Stderr, open)) }

func open(ctx context.Context, folder, name, home string) (scripted.Forge, error) {
	return forge.Open(ctx, folder, name, home)
}
