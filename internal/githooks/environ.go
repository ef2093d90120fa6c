package githooks

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Names of the variables by which Git takes configuration from the environment.
const (
	countName   = "GIT_CONFIG_COUNT"
	keyPrefix   = "GIT_CONFIG_KEY_"
	valuePrefix = "GIT_CONFIG_VALUE_"
	hooksPath   = "core.hooksPath"
)

// Exports returns shell text that points Git at the hooks in a folder, for a file that
// a client puts before each command of an agent. It is evaluated each time: the
// variables are set only once the hook that judges is there, since a folder that is not
// there would switch off the repository's own hooks. It adds to what the variables hold,
// and does nothing where the folder is the last entry already. It is made of whole lines
// of what sh, bash and zsh have in common, and its status is 0.
func Exports(folder string) string {
	return `if [ -x ` + quote(filepath.Join(folder, PrePush)) + ` ]; then
  case "${GIT_CONFIG_COUNT:-0}" in
    *[!0-9]* | 0?*) ;;
    *)
      asterweave_n=${GIT_CONFIG_COUNT:-0}
      asterweave_v=
      if [ "$asterweave_n" -gt 0 ]; then
        eval "asterweave_v=\${GIT_CONFIG_KEY_$((asterweave_n - 1))-}=\${GIT_CONFIG_VALUE_$((asterweave_n - 1))-}"
      fi
      if [ "$asterweave_v" != ` + quote(hooksPath+"="+folder) + ` ]; then
        export "GIT_CONFIG_KEY_$asterweave_n=` + hooksPath + `" "GIT_CONFIG_VALUE_$asterweave_n="` + quote(folder) + ` "GIT_CONFIG_COUNT=$((asterweave_n + 1))"
      fi
      unset asterweave_n asterweave_v
      ;;
  esac
fi
`
}

// Without returns the environment without the entries that point Git at the folder, so
// that a shell of an agent and one of a person can be compared. What else the variables
// hold stays, in its order, and so does what cannot be understood.
func Without(environ []string, folder string) []string {
	last := map[string]string{} // of a name that is there twice, a process gets the last
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(name, "GIT_CONFIG_") {
			last[name] = value
		}
	}
	n, err := strconv.Atoi(last[countName])
	if err != nil || n <= 0 || n > len(environ) {
		return environ
	}
	var kept [][2]string
	for i := range n {
		at := strconv.Itoa(i)
		key, hasKey := last[keyPrefix+at]
		value, hasValue := last[valuePrefix+at]
		if !hasKey || !hasValue {
			return environ // Git refuses it
		}
		if !strings.EqualFold(key, hooksPath) || value != folder {
			kept = append(kept, [2]string{key, value})
		}
	}
	if len(kept) == n {
		return environ
	}
	var out []string
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); !counted(name, n) {
			out = append(out, kv)
		}
	}
	for i, e := range kept {
		at := strconv.Itoa(i)
		out = append(out, keyPrefix+at+"="+e[0], valuePrefix+at+"="+e[1])
	}
	if len(kept) > 0 {
		out = append(out, countName+"="+strconv.Itoa(len(kept)))
	}
	return out
}

// counted reports whether a variable is one of the n entries, or their count.
func counted(name string, n int) bool {
	if name == countName {
		return true
	}
	for _, prefix := range []string{keyPrefix, valuePrefix} {
		if at, ok := strings.CutPrefix(name, prefix); ok {
			i, err := strconv.Atoi(at)
			return err == nil && i >= 0 && i < n && strconv.Itoa(i) == at
		}
	}
	return false
}
