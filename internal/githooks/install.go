package githooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/asterweave/asterweave/internal/durable"
)

// chained is where the hook lies that was there before ours.
const chained = PrePush + ".asterweave-chained"

// installedLine is the second line of the hook that is installed; it tells ours from others.
const installedLine = "# Asterweave: installed by asterweave-state guard install"

// Errors of installing.
var (
	ErrNotInstalled = errors.New("no hook of ours is installed here")
	ErrTaken        = errors.New("another hook took the place of ours, and the one from before is still kept as " + chained)
)

// installed is the hook that stands beside the repository's own. It judges by the
// delivery of the worktree that is pushed from.
func installed(program string) []byte {
	return []byte("#!/bin/sh\n" + installedLine + ". It judges a push, then runs the hook\n# that was here before, " + chained + ".\n" +
		"root=\nprogram=" + quote(program) + "\n" + gone + judge + `
next=${0%/*}/` + chained + `
if [ ! -f "$next" ] || [ ! -x "$next" ]; then
  next=
fi
` + handOnRefs)
}

// Install puts the hook that judges pushes into a folder of hooks of a repository. One
// that is there is kept, and run after ours. Installing twice changes nothing.
func Install(disk durable.Disk, folder, program string) error {
	path, before := filepath.Join(folder, PrePush), filepath.Join(folder, chained)
	text := installed(program)
	ours, err := isOurs(path)
	if err != nil {
		return err
	}
	_, err = os.Lstat(path)
	there, kept := err == nil, exists(before)
	switch {
	case ours && holds(path, text) == nil:
		return nil
	case there && !ours && kept:
		return fmt.Errorf("%s: %w", folder, ErrTaken)
	case there && !ours:
		if err := os.Rename(path, before); err != nil {
			return err
		}
	}
	if err = disk.MkdirAll(folder, 0o755); err == nil {
		err = disk.WriteAtomic(path, text, 0o755)
	}
	if err == nil {
		err = os.Chmod(path, 0o755)
	}
	if err != nil && there && !ours {
		err = errors.Join(err, os.Rename(before, path))
	}
	return err
}

// Removable returns why Uninstall would do nothing, nil when it would take the hook away.
func Removable(folder string) error {
	path, before := filepath.Join(folder, PrePush), filepath.Join(folder, chained)
	ours, err := isOurs(path)
	switch {
	case err != nil:
		return err
	case !ours && exists(path) && exists(before):
		return fmt.Errorf("%s: %w", folder, ErrTaken)
	case !ours && !exists(before):
		return fmt.Errorf("%s: %w", folder, ErrNotInstalled)
	}
	return nil
}

// Uninstall takes the hook away and puts the one from before back, as it was.
func Uninstall(folder string) error {
	if err := Removable(folder); err != nil {
		return err
	}
	path, before := filepath.Join(folder, PrePush), filepath.Join(folder, chained)
	if exists(before) { // ours is there, or was taken away by hand
		return os.Rename(before, path)
	}
	return os.Remove(path)
}

// InspectInstalled returns what is wrong with the installed hook, nil when it is the one
// of this build and the program that judges is there; ErrNotInstalled where there is none
// of ours, and ErrTaken where another took its place.
func InspectInstalled(folder, program string) error {
	path := filepath.Join(folder, PrePush)
	ours, err := isOurs(path)
	switch {
	case err != nil:
		return err
	case !ours && exists(filepath.Join(folder, chained)):
		return fmt.Errorf("%s: %w", folder, ErrTaken)
	case !ours:
		return fmt.Errorf("%s: %w", folder, ErrNotInstalled)
	}
	if err := holds(path, installed(program)); err != nil {
		return fmt.Errorf("the hook %s: %w", PrePush, err)
	}
	if !runnable(program) {
		return fmt.Errorf("the program that judges is not there: %s", program)
	}
	return nil
}

func isOurs(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	b, err := os.ReadFile(path)
	return bytes.HasPrefix(b, []byte("#!/bin/sh\n"+installedLine)), err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
