package gitrepo

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// setting is one line of the configuration.
type setting struct {
	scope string // system, global, local, worktree, command
	key   string // section and name in lower case
	value string
	// bare: the key stands alone, which means true.
	bare bool
}

// local: the setting is the repository's own, so that another repository does
// not have it.
func (s setting) local() bool { return s.scope == "local" || s.scope == "worktree" }

// Settings are the configuration as it was at one moment, for several questions about
// the same one. The zero value has none.
type Settings struct{ list settingsList }

// Settings reads the configuration of the system, the user, the repository and the
// worktree, with what they include.
func (r *Repo) Settings(ctx context.Context) (Settings, error) {
	list, err := r.config(ctx)
	return Settings{list: list}, err
}

// settingsList is the configuration in the order in which git reads it: later
// values win.
type settingsList []setting

// config reads the whole configuration, but for the settings that run adds.
func (r *Repo) config(ctx context.Context) (settingsList, error) {
	out, err := r.git(ctx, "config", "--list", "-z", "--show-scope", "--includes")
	if err != nil {
		return nil, err
	}
	f := fields(out)
	list := make(settingsList, 0, len(f)/2)
	for i := 0; i+1 < len(f); i += 2 {
		if f[i] == "command" {
			continue
		}
		key, value, ok := strings.Cut(f[i+1], "\n")
		list = append(list, setting{scope: f[i], key: key, value: value, bare: !ok})
	}
	return list, nil
}

// get returns the value of key that is in force, and whether there is one.
func (l settingsList) get(key string) (string, bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].key == key {
			return l[i].value, true
		}
	}
	return "", false
}

// isTrue reports whether key is set to a true value.
func (l settingsList) isTrue(key string) bool {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].key == key {
			switch strings.ToLower(l[i].value) {
			case "true", "yes", "on", "1":
				return true
			}
			return l[i].bare
		}
	}
	return false
}

// path returns the file that key names, or fallback below the user's
// configuration folder when it is not set; "" when there is none.
func (l settingsList) path(key, fallback, root string) string {
	value, ok := l.get(key)
	if !ok {
		dir := os.Getenv("XDG_CONFIG_HOME")
		if dir == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return ""
			}
			dir = filepath.Join(home, ".config")
		}
		return filepath.Join(dir, "git", fallback)
	}
	if value == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(value, "~"); ok {
		name, tail, _ := strings.Cut(rest, "/")
		home, err := os.UserHomeDir()
		if name != "" {
			if u, lerr := user.Lookup(name); lerr == nil {
				home, err = u.HomeDir, nil
			} else {
				err = lerr
			}
		}
		if err == nil {
			return filepath.Join(home, tail)
		}
	}
	if !filepath.IsAbs(value) {
		return filepath.Join(root, value)
	}
	return value
}
