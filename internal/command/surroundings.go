package command

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/testrun"
)

// maxSettings bounds how much of a settings file is digested.
const maxSettings = 1 << 20

// Surroundings hold what can make a command do something else although no word of it
// changed, by label. They are
//
//   - every variable of its environment, by name, but those that only tell sessions
//     apart ([testrun.OfSession]): whatever a makefile or a test reads steers it;
//   - what the user's own files say ("file:…"): the go command reads GOFLAGS from the
//     file that "go env -w" writes; npx runs programs with the script-shell and
//     node-options of the user's .npmrc, which also holds tokens that mean nothing
//     here; cargo reads runners, wrappers and aliases from config.toml in its home;
//   - the files of runners in the folders above the ones where commands run
//     ("above:…"): go.work, pytest.ini, conftest.py and their like are looked for
//     upwards, beyond the repository.
type Surroundings map[string]string

// Surround finds what surrounds commands that run in these folders.
func Surround(env []string, dirs ...string) Surroundings {
	s := Surroundings{}
	for _, pair := range env {
		name, value, ok := strings.Cut(pair, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if ok && name != "" && !testrun.OfSession(name) {
			s[name] = value
		}
	}
	maps.Copy(s, settings(env))
	for _, dir := range dirs {
		above(s, dir)
	}
	return s
}

// Digest returns the SHA-256, in hex, of all of it; equal for equal surroundings.
func (s Surroundings) Digest() string {
	h := sha256.New()
	for _, label := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(h, "%d %s %d %s\n", len(label), label, len(s[label]), s[label])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Steering returns the labels of what is known to steer runners, sorted.
func (s Surroundings) Steering() []string {
	var out []string
	for label := range s {
		if _, steers := testrun.Steers(label); steers || strings.Contains(label, ":") {
			out = append(out, label)
		}
	}
	slices.Sort(out)
	return out
}

// above adds the files that runners look for in the folders above dir.
func above(s Surroundings, dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	if target, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		dir = filepath.Join(target, filepath.Base(dir))
	}
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		for _, name := range soughtUpwards() {
			path := filepath.Join(parent, filepath.FromSlash(name))
			data, err := readSome(path)
			switch {
			case err == nil:
				s["above:"+path] = string(data)
			case !isMissing(err):
				s["above:"+path] = "unreadable"
			}
		}
	}
}

// soughtUpwards lists the files that runners and build tools look for in the folders
// above the one where they run.
func soughtUpwards() []string {
	return []string{
		"go.work", "go.mod",
		"pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py", ".python-version",
		"package.json", ".npmrc", ".nvmrc", "jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "babel.config.js", "babel.config.json", ".babelrc", "tsconfig.json", ".mocharc.js", ".mocharc.json", ".mocharc.yml",
		"Cargo.toml", ".cargo/config.toml", ".cargo/config", "rust-toolchain", "rust-toolchain.toml",
		".mvn/maven.config", ".mvn/jvm.config", "settings.gradle", "settings.gradle.kts", "gradle.properties",
		"Gemfile", "Rakefile", ".rspec", ".ruby-version", ".tool-versions", "mise.toml", ".mise.toml",
		"Directory.Build.props", "Directory.Build.targets", "global.json",
		".golangci.yml", ".golangci.yaml", ".golangci.toml", "ruff.toml", ".eslintrc", ".eslintrc.js", ".eslintrc.json", "eslint.config.js", ".editorconfig",
	}
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

// readSome reads the beginning of a file. Anything else under its name, a pipe say, is
// not opened: that could wait for ever.
func readSome(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSettings))
}
