// Command asterweave-state owns what is mechanically decidable about a delivery:
// its ledger, graph, evidence, budgets and read-backs.
package main

import (
	"os"

	"github.com/asterweave/asterweave/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
