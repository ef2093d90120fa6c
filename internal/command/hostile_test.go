package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHostile(t *testing.T) {
	home := t.TempDir()
	for env, hostile := range map[string]bool{
		"GOFLAGS=-exec=/bin/true":                true,
		"GOFLAGS=-buildvcs=false -run=^$":        true,
		"GOFLAGS=-buildvcs=false":                false,
		"GOFLAGS=-mod=mod -count=1":              false,
		"LD_PRELOAD=/tmp/x.so":                   true,
		"LD_PRELOAD=":                            false,
		"LD_LIBRARY_PATH=/opt/lib":               false,
		"PYTEST_ADDOPTS=--collect-only":          true,
		"PYTEST_ADDOPTS=-q":                      false,
		"MAKEFLAGS=n":                            true,
		"MAKEFLAGS=-j4":                          false,
		"BASH_FUNC_go%%=() { true; }":            true,
		"NODE_OPTIONS=--max-old-space-size=4096": false,
		"NODE_OPTIONS=--test-name-pattern=x":     true,
		"MAVEN_OPTS=-Xmx1g -DskipTests":          true,
		"CARGO_TARGET_X86_64_LINUX_RUNNER=true":  true,
		"CARGO_TARGET_DIR=/tmp/t":                false,
		"PATH=/usr/bin":                          false,
	} {
		if got := Hostile([]string{env, "HOME=" + home}); len(got) > 0 != hostile {
			t.Errorf("%s: %q", env, got)
		}
	}
}

func TestHostileGoEnvFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOFLAGS=-exec=/bin/true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Hostile([]string{"GOENV=" + file}); len(got) != 1 {
		t.Errorf("go env -w GOFLAGS=-exec is not seen: %q", got)
	}
}
