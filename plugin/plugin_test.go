// Package plugin holds no code: its test holds the plugin's files together.
package plugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/cli"
	"github.com/asterweave/asterweave/internal/hook"
)

func read(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatalf("%s: %s", path, err)
	}
}

// The manifest, the programs and the changelog speak of one version, and the marketplace
// leaves it to them.
func TestVersions(t *testing.T) {
	var manifest struct{ Name, Version, Description string }
	read(t, filepath.Join(".claude-plugin", "plugin.json"), &manifest)
	if manifest.Name != "asterweave" || manifest.Version != cli.Version {
		t.Errorf("the manifest is of %s %s, the programs are of %s", manifest.Name, manifest.Version, cli.Version)
	}
	log, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, parts, _ := strings.Cut(string(log), "\n## ")
	if first, _, _ := strings.Cut(parts, "\n"); first != cli.Version && !strings.HasPrefix(first, cli.Version+",") {
		t.Errorf("the newest part of the changelog is %q, the programs are of %s", first, cli.Version)
	}
	var market struct {
		Name    string
		Plugins []struct{ Name, Source, Version, Description string }
	}
	read(t, filepath.Join("..", ".claude-plugin", "marketplace.json"), &market)
	if len(market.Plugins) != 1 {
		t.Fatalf("the marketplace has %d plugins", len(market.Plugins))
	}
	if p := market.Plugins[0]; market.Name != manifest.Name || p.Name != manifest.Name || p.Source != "./plugin" || p.Description != manifest.Description {
		t.Errorf("the marketplace has %+v, the manifest %+v", p, manifest)
	} else if p.Version != "" && p.Version != manifest.Version {
		t.Errorf("the marketplace speaks of version %s, the manifest of %s", p.Version, manifest.Version)
	}
}

// Every event that the program answers is registered, through the launcher, and no other.
func TestHooks(t *testing.T) {
	var hooks struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Type, Command string
				Args          []string
				Timeout       int
			}
		}
	}
	read(t, filepath.Join("hooks", "hooks.json"), &hooks)
	registered := map[string]bool{}
	for event, groups := range hooks.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if h.Type != "command" || h.Command != "sh" || len(h.Args) != 2 || h.Args[0] != "${CLAUDE_PLUGIN_ROOT}/hooks/run.sh" || h.Timeout <= 0 {
					t.Errorf("%s: %+v", event, h)
					continue
				}
				registered[h.Args[1]] = true
			}
		}
	}
	for _, event := range hook.Events() {
		if !registered[event] {
			t.Errorf("%s is answered and not registered", event)
		}
		delete(registered, event)
	}
	for event := range registered {
		t.Errorf("%s is registered and not answered", event)
	}
}

// The links lead to the sources, as an installation from a clone follows them.
func TestLinks(t *testing.T) {
	for link, file := range map[string]string{"agents": "staff-reviewer.md", "commands": "asterweave.md", "rules": "evidence.md"} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link: %v", link, err)
		}
		if _, err := os.Stat(filepath.Join(link, file)); err != nil {
			t.Error(err)
		}
	}
}
