// Command asterweave-bench measures the bars of speed and size side by side.
package main

import (
	"os"

	"github.com/asterweave/asterweave/internal/bench"
)

func main() {
	os.Exit(bench.Main(os.Stdout, os.Stderr))
}
