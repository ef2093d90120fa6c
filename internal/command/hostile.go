package command

import (
	"slices"
	"strings"
)

// Hostile names settings of an environment under which a runner runs nothing, or
// something else, and still reports success. A run under them shows nothing,
// whatever a baseline was taken under; see [Steering] for settings that may
// merely not change.
func Hostile(env []string) []string {
	var out []string
	for _, pair := range env {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" {
			out = append(out, hostileSetting(name, value)...)
		}
	}
	for _, line := range strings.Split(settings(env)["file:go/env"], "\n") {
		if name, value, ok := strings.Cut(line, "="); ok {
			for _, h := range hostileSetting(name, value) {
				out = append(out, "go env -w "+h)
			}
		}
	}
	slices.Sort(out)
	return out
}

func hostileSetting(name, value string) []string {
	switch name {
	case "GOFLAGS":
		return hostileGoFlags(value)
	case "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "NODE_TEST_CONTEXT", "GOCACHEPROG":
		return []string{name}
	case "SHELLOPTS":
		if strings.Contains(value, "noexec") {
			return []string{name}
		}
	case "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS":
		if first, _, _ := strings.Cut(value, " "); strings.ContainsAny(strings.TrimPrefix(first, "-"), "nqt") && !strings.Contains(first, "=") && !strings.HasPrefix(first, "--") {
			return []string{name}
		}
	case "PYTEST_ADDOPTS":
		return containing(name, value, "--collect-only", "--co", "--setup-plan", "-k", "--deselect", "--ignore")
	case "NODE_OPTIONS":
		return containing(name, value, "--test-name-pattern", "--test-skip-pattern", "--require", "--import", "-r", "--loader")
	case "MAVEN_OPTS", "MAVEN_ARGS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS":
		if strings.Contains(value, "skipTests") || strings.Contains(value, "maven.test.skip") {
			return []string{name}
		}
	}
	if strings.HasPrefix(name, "BASH_FUNC_") || strings.HasPrefix(name, "CARGO_TARGET_") && strings.HasSuffix(name, "_RUNNER") {
		return []string{name}
	}
	return nil
}

func hostileGoFlags(value string) []string {
	var out []string
	for _, flag := range strings.Fields(value) {
		key, _, _ := strings.Cut(strings.TrimLeft(strings.Trim(flag, `'"`), "-"), "=")
		key = strings.TrimPrefix(key, "test.")
		if slices.Contains([]string{"exec", "toolexec", "run", "skip", "list", "c", "C", "n", "overlay", "modfile", "failfast", "short"}, key) {
			out = append(out, "GOFLAGS "+flag)
		}
	}
	return out
}

// containing names the words of a value that are one of the options, or begin with it and "=".
func containing(name, value string, options ...string) []string {
	var out []string
	for _, word := range strings.Fields(value) {
		key, _, _ := strings.Cut(word, "=")
		if slices.Contains(options, key) {
			out = append(out, name+" "+word)
		}
	}
	return out
}
