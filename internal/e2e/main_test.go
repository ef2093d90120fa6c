//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
)

// built is what all tests use.
type built struct {
	client string // program of the client
	bin    string // folder with our programs
}

var have built

func TestMain(m *testing.M) {
	os.Exit(func() int {
		ctx := context.Background()
		var err error
		if have.client, err = client.Install(ctx, version()); errors.Is(err, client.ErrUnavailable) {
			fmt.Printf("e2e: skipped: %v\n", err)
			return 0
		} else if err != nil {
			fmt.Printf("e2e: %v\n", err)
			return 1
		}
		if have.bin, err = os.MkdirTemp("", "asterweave-e2e-bin-"); err != nil {
			fmt.Printf("e2e: %v\n", err)
			return 1
		}
		defer func() { _ = os.RemoveAll(have.bin) }()
		build := exec.Command("go", "build", "-o", have.bin+string(filepath.Separator), "./cmd/asterweave-state", "./cmd/asterweave-hook")
		build.Dir = repository
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Printf("e2e: build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// repository is ours, seen from this package.
var repository = filepath.Join("..", "..")

// version is the client's; another one can be tried without a change here.
func version() string {
	if v := os.Getenv("ASTERWEAVE_CLIENT_VERSION"); v != "" {
		return v
	}
	return client.Version
}
