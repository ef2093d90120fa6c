// Command asterweave-hook answers one hook event of Claude Code, whose payload is on
// standard input.
package main

import (
	"os"
	"time"

	"github.com/asterweave/asterweave/internal/hook"
)

func main() {
	d := hook.Deps{Now: time.Now, Environ: os.Environ(), Providers: providers, Wider: wider}
	os.Exit(hook.Main(os.Args[1:], d, os.Stdin, os.Stdout, os.Stderr))
}
