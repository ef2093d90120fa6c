package token

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program writes a shell script into a folder of its own and returns the folder.
func program(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// gh gives the token of GH_ENTERPRISE_TOKEN for every host that it is asked for, so that it
// must not see it: a remote that points elsewhere would get it.
func TestProgramGetsNoTokens(t *testing.T) {
	dir := program(t, "gh", `test "$*" = "auth token --hostname ghe.corp.example" && echo "${GH_ENTERPRISE_TOKEN}${GITHUB_ENTERPRISE_TOKEN}${GH_TOKEN}${GITHUB_TOKEN}${AZURE_DEVOPS_EXT_PAT}${SYSTEM_ACCESSTOKEN}$OWN"`)
	environ := []string{"PATH=" + dir, "GH_ENTERPRISE_TOKEN=a", "GITHUB_ENTERPRISE_TOKEN=b", "GH_TOKEN=c", "GITHUB_TOKEN=d"}
	if got, err := Find(t.Context(), environ, at(t, ghes), Program(environ, "")); !errors.Is(err, ErrNone) {
		t.Errorf("%v, %v", got, err)
	}
	environ = append(environ, "OWN=mine")
	environ = append(environ, "AZURE_DEVOPS_EXT_PAT=e", "SYSTEM_ACCESSTOKEN=f")
	got, err := Find(t.Context(), environ, at(t, ghes), Program(environ, ""))
	if err != nil || got.value != "mine" || got.Source != "gh auth token" {
		t.Errorf("%v, %v", got, err)
	}
	if environ[1] != "GH_ENTERPRISE_TOKEN=a" {
		t.Error("the caller's environment was changed")
	}
}

// GH_PATH names another program, by an absolute path.
func TestPath(t *testing.T) {
	dir := program(t, "other", "echo mine")
	for path, ok := range map[string]bool{filepath.Join(dir, "other"): true, "./other": false, "sub/other": false, filepath.Join(dir, "none"): false} {
		environ := []string{"PATH=/nowhere", "GH_PATH=" + path}
		if _, err := Find(t.Context(), environ, at(t, hub), Program(environ, "")); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// No program comes out of the folder that is worked in.
func TestNothingFromHere(t *testing.T) {
	t.Chdir(program(t, "gh", "echo mine"))
	for _, path := range []string{"", ".", ":", "sub:."} {
		if _, err := Program([]string{"PATH=" + path}, "")(t.Context(), "gh"); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// What is in the work tree, others wrote: a tool's folder there may be on PATH.
func TestNothingFromTheWorkTree(t *testing.T) {
	tree := program(t, "gh", "echo theirs")
	mine := program(t, "gh", "echo mine")
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(tree, "gh"), filepath.Join(linked, "gh")); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(tree, alias); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{tree, linked, alias, tree + "/../" + filepath.Base(tree)} {
		for _, root := range []string{tree, alias} {
			run := Program([]string{"PATH=" + dir + ":" + mine}, root)
			if got, err := run(t.Context(), "gh"); err != nil || got != "mine\n" {
				t.Errorf("%s: %q, %v", dir, got, err)
			}
			if got, err := run(t.Context(), filepath.Join(dir, "gh")); err == nil {
				t.Errorf("%s by its path: %q", dir, got)
			}
		}
	}
}

// A program that hangs, fails or floods gives nothing, and no text of it comes into errors.
func TestBounds(t *testing.T) {
	for name, script := range map[string]string{
		"fails":  "echo canary >&2; echo canary; exit 3",
		"floods": "i=0; while test $i -lt 3000; do echo canarycanarycanarycanary; i=$((i+1)); done",
		"hangs":  "while :; do :; done",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		if name == "floods" {
			ctx = t.Context()
		}
		out, err := Program([]string{"PATH=" + program(t, "gh", script)}, "")(ctx, "gh")
		cancel()
		if err == nil || out != "" || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}
