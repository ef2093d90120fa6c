package command

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/testrun"
)

// maxSettings bounds how much of a settings file is digested.
const maxSettings = 1 << 20

// Steering digests what an environment tells test runners behind argv's back: PATH
// and the variables of [testrun.Steers], and the settings of the user that the
// runners read on their own:
//
//   - the go command reads variables, GOFLAGS among them, from the file that "go
//     env -w" writes;
//   - npx runs programs with the script-shell and node-options of the user's
//     .npmrc. Only those settings count: the file holds access tokens, whose change
//     means nothing;
//   - cargo reads runners, wrappers and aliases from config.toml in its home.
//
// The digest is lower-case hex, equal for equal settings in any order.
// names lists what is set, files by their label, sorted; values are not in it.
func Steering(env []string) (digest string, names []string) {
	values := map[string]string{}
	for _, pair := range env {
		name, value, ok := strings.Cut(pair, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if !ok || name == "" {
			continue
		}
		if _, steers := testrun.Steers(name); steers {
			values[name] = value
		}
	}
	for label, content := range settings(env) {
		values[label] = content
	}
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d %s %d %s\n", len(name), name, len(values[name]), values[name])
	}
	return hex.EncodeToString(h.Sum(nil)), names
}

// settings returns what the user's files say, by label; files that are not there
// are left out.
func settings(env []string) map[string]string {
	home := lookup(env, "HOME")
	if runtime.GOOS == "windows" {
		home = lookup(env, "USERPROFILE")
	}
	out := map[string]string{}
	add := func(label, path string, pick func([]byte) string) {
		if path == "" || !filepath.IsAbs(path) {
			return
		}
		data, err := readSome(path)
		switch {
		case err == nil:
			if text := pick(data); text != "" {
				out[label] = text
			}
		case !isMissing(err):
			out[label] = "unreadable"
		}
	}
	whole := func(data []byte) string { return string(data) }
	add("file:go/env", goEnvFile(env, home), whole)

	npmrc := lookup(env, "npm_config_userconfig")
	if npmrc == "" {
		npmrc = under(home, ".npmrc")
	}
	add("file:.npmrc", npmrc, npmSteering)

	cargoHome := lookup(env, "CARGO_HOME")
	if cargoHome == "" {
		cargoHome = under(home, ".cargo")
	}
	add("file:cargo/config.toml", under(cargoHome, "config.toml"), whole)
	add("file:cargo/config", under(cargoHome, "config"), whole)
	return out
}

// goEnvFile is where "go env -w" keeps settings; GOENV moves it or turns it off.
func goEnvFile(env []string, home string) string {
	if f := lookup(env, "GOENV"); f != "" {
		return f // "off" is no absolute path
	}
	switch runtime.GOOS {
	case "darwin", "ios":
		return under(home, "Library", "Application Support", "go", "env")
	case "windows":
		return under(lookup(env, "AppData"), "go", "env")
	}
	if dir := lookup(env, "XDG_CONFIG_HOME"); dir != "" {
		return under(dir, "go", "env")
	}
	return under(home, ".config", "go", "env")
}

// under joins a path below a folder; nothing is below no folder.
func under(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// npmSteering picks the settings of an .npmrc that change what npx runs.
func npmSteering(data []byte) string {
	var picked []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxSettings)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), "=")
		switch key = strings.TrimSpace(key); {
		case !ok:
		case key == "script-shell", key == "node-options", key == "prefix", key == "globalconfig", key == "shell":
			picked = append(picked, key+"="+strings.TrimSpace(value))
		}
	}
	return strings.Join(picked, "\n")
}

func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSettings))
}
