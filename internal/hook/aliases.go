package hook

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// maxGitConfig bounds what is read of a configuration file of Git, in bytes.
const maxGitConfig = 256 << 10

// aliases returns Git's aliases as the agent's shell has them, read from the files and
// not by Git, since a tool hook starts no process. It returns none when they cannot be
// told for certain (another file is included, a line cannot be read, the environment
// sets some): a command that is no command of Git is then asked about.
func (c *call) aliases(gitDir, commonDir string) map[string]string {
	for _, name := range []string{"GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG"} {
		if c.deps.getenv(name) != "" {
			return nil
		}
	}
	home := c.deps.getenv("HOME")
	files := []string{filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig")}
	if xdg := c.deps.getenv("XDG_CONFIG_HOME"); xdg != "" {
		files[0] = filepath.Join(xdg, "git", "config")
	}
	if global := c.deps.getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = []string{global}
	}
	out := map[string]string{}
	for _, file := range append(files, filepath.Join(commonDir, "config"), filepath.Join(gitDir, "config.worktree")) {
		found, ok := aliasesIn(file)
		if !ok {
			return nil
		}
		maps.Copy(out, found) // later files win
	}
	return out
}

// aliasesIn returns the aliases of one file, false where that is uncertain. A file that
// is not there has none.
func aliasesIn(file string) (map[string]string, bool) {
	info, err := os.Stat(file)
	if os.IsNotExist(err) || file == os.DevNull {
		return nil, true
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitConfig {
		return nil, false
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxGitConfig))
	if err != nil {
		return nil, false
	}
	return parseAliases(string(text))
}

// parseAliases reads the section alias of a configuration, and of the rest only where
// sections begin.
func parseAliases(text string) (map[string]string, bool) {
	out := map[string]string{}
	in := false
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		l := strings.TrimSpace(strings.TrimPrefix(lines[i], "\uFEFF"))
		if l == "" || l[0] == '#' || l[0] == ';' {
			continue
		}
		if l[0] == '[' {
			name, rest, closed := strings.Cut(l[1:], "]")
			section := strings.ToLower(strings.TrimSpace(name))
			if strings.HasPrefix(section, "include") || strings.HasPrefix(section, "alias") && section != "alias" || !closed {
				return nil, false
			}
			if in = section == "alias"; in && strings.TrimSpace(rest) != "" {
				return nil, false
			}
			continue
		}
		for strings.HasSuffix(lines[i], `\`) && i+1 < len(lines) { // goes on in the next line
			i++
			l += "\n" + lines[i]
		}
		if !in {
			continue
		}
		key, raw, given := strings.Cut(l, "=")
		value, ok := configValue(raw)
		if !given || !ok {
			return nil, false
		}
		out[strings.ToLower(strings.TrimSpace(key))] = value
	}
	return out, true
}

// configValue takes quotes, escapes and comments out of a value, as Git does.
func configValue(raw string) (string, bool) {
	var b strings.Builder
	quoted, kept := false, 0 // kept: up to where blanks count
	raw = strings.TrimLeft(raw, " \t")
	for i := 0; i < len(raw); i++ {
		ch := raw[i]
		switch {
		case ch == '\\':
			if i++; i == len(raw) {
				return "", false
			}
			e, ok := map[byte]string{'n': "\n", 't': "\t", 'b': "\b", '"': `"`, '\\': `\`, '\n': ""}[raw[i]]
			if !ok {
				return "", false
			}
			b.WriteString(e)
			kept = b.Len()
		case ch == '"':
			quoted = !quoted
			kept = b.Len()
		case !quoted && (ch == '#' || ch == ';'):
			return b.String()[:kept], true
		default:
			b.WriteByte(ch)
			if quoted || ch != ' ' && ch != '\t' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept], !quoted
}
