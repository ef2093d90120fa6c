package doctor

import (
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
)

// versions compares this program, the plugin's manifest, and the hook program.
func (x *examination) versions() {
	const name = "versions"
	const next = "update the plugin, and make install from the same clone"
	text := "this program is of " + x.o.Version
	if p := x.installed; p != nil {
		if p.version != x.o.Version {
			x.add(name, Warn, fmt.Sprintf("%s, the plugin of %s", text, p.version), next)
			return
		}
		text += ", and so is the plugin"
	}
	path := x.program()
	if path == "" {
		x.ok(name, "%s; there is no hook program to compare it with", text)
		return
	}
	theirs, err := buildinfo.ReadFile(path)
	if err != nil {
		x.add(name, Warn, fmt.Sprintf("%s; %s does not say what it was built from: %s", text, path, err), install)
		return
	}
	ours, _ := debug.ReadBuildInfo()
	a, b := revision(ours), revision(theirs)
	switch {
	case a == "" || b == "":
		x.ok(name, "%s; the builds do not say whether %s is of the same sources", text, path)
	case a != b:
		x.add(name, Warn, fmt.Sprintf("%s, and was built from %.12s, but %s from %.12s", text, a, path, b), next)
	default:
		x.ok(name, "%s, and %s was built from the same sources", text, path)
	}
}

// revision is the commit that a program was built from, "" where it does not say.
func revision(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
