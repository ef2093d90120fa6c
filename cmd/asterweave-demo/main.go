// Command asterweave-demo delivers a real fix in a temporary repository, from goal
// to done, with recorded decisions in the place of a model and a person.
package main

import (
	"os"

	"github.com/asterweave/asterweave/internal/scripted"
)

func main() { os.Exit(scripted.Main(os.Args[1:], os.Stdout, os.Stderr)) }
