//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/asterweave/asterweave/internal/client"
)

// built is what all tests use, and none of them changes.
type built struct {
	client string // program of the client
	plugin string // folder of the plugin, as it is released
	bin    string // folder of our programs, in the plugin
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
		folder, err := os.MkdirTemp("", "asterweave-e2e-")
		if err != nil {
			fmt.Printf("e2e: %v\n", err)
			return 1
		}
		defer func() { _ = os.RemoveAll(folder) }()
		have.plugin = filepath.Join(folder, "plugin")
		platform := runtime.GOOS + "-" + runtime.GOARCH
		have.bin = filepath.Join(have.plugin, "bin", platform)
		build := exec.Command("make", "plugin", "PLUGIN="+have.plugin, "PLATFORMS="+platform)
		build.Dir = repository
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Printf("e2e: make plugin: %v\n%s", err, out)
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
