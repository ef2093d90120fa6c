package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Version is the version of the client that the tests were written against.
const Version = "2.1.197"

// CacheVariable names the folder that clients are installed into; without it, that
// is a folder in the user's cache.
const CacheVariable = "ASTERWEAVE_CLIENT_CACHE"

const (
	npmPackage  = "@anthropic-ai/claude-code"
	installWait = 5 * time.Minute
	versionWait = 30 * time.Second
)

// ErrUnavailable says that the client is not there and cannot be fetched.
var ErrUnavailable = errors.New("the client is not available")

// Install returns the path of the client's program, which it fetches with npm where
// it is not in the cache. The error is an [ErrUnavailable] in one line when npm is
// missing or does not reach its registry.
func Install(ctx context.Context, version string) (string, error) {
	cache := os.Getenv(CacheVariable)
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(dir, "asterweave", "clients")
	}
	cache, err := filepath.Abs(cache)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, version)
	if program, err := installed(ctx, folder, version); err == nil {
		return program, nil
	}
	if err := fetch(ctx, cache, folder, version); err != nil {
		return "", err
	}
	return installed(ctx, folder, version)
}

// fetch installs into a folder beside the cached one and moves it there when it is
// whole, so that an interrupted fetch leaves nothing that looks like a client.
func fetch(ctx context.Context, cache, folder, version string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: npm is not on PATH", ErrUnavailable)
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(cache, "part-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(part) }() // it is elsewhere by then, or of no use
	ctx, cancel := context.WithTimeout(ctx, installWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--prefix", part, npmPackage+"@"+version)
	cmd.Env = npmEnvironment(os.Environ())
	cmd.WaitDelay = stopWait
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: npm did not install version %s: %w: %s", ErrUnavailable, version, err, firstLine(string(out)))
	}
	// Another test may have been faster, or what was there is broken.
	if _, err := installed(ctx, folder, version); err == nil {
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(part, folder)
}

// npmEnvironment is the user's own, since it says how the registry is reached, less
// what could hold an account of the client.
func npmEnvironment(environ []string) []string {
	var out []string
	for _, kv := range environ {
		if !strings.HasPrefix(kv, "ANTHROPIC_") && !strings.HasPrefix(kv, "CLAUDE") {
			out = append(out, kv)
		}
	}
	return out
}

// installed returns the program in a folder when it says that it is of the version.
// The package's own script links the program of the platform's package; where npm
// runs no scripts, that one is as good.
func installed(ctx context.Context, folder, version string) (string, error) {
	modules := filepath.Join(folder, "node_modules")
	found, err := filepath.Glob(filepath.Join(modules, npmPackage+"-*", "claude*"))
	if err != nil {
		return "", err
	}
	home, err := os.MkdirTemp("", "asterweave-client-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(home) }()
	ctx, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	for _, program := range append([]string{filepath.Join(modules, ".bin", "claude")}, found...) {
		cmd := exec.CommandContext(ctx, program, "--version")
		cmd.Env = environment(os.Environ(), home, "", nil)
		cmd.WaitDelay = stopWait
		out, err := cmd.Output()
		if said, _, _ := strings.Cut(string(out), " "); err == nil && said == version {
			return program, nil
		}
	}
	return "", fmt.Errorf("%w: no client of version %s in %s", ErrUnavailable, version, folder)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
