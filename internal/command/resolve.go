package command

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Resolve finds the program that a name means in an environment: by env's own PATH
// for a plain name, in dir for a path. The result is absolute, and symbolic links
// are kept. Relative folders on PATH are taken from dir, as the kernel would.
// A name that is not found gives [exec.ErrNotFound].
func Resolve(name, dir string, env []string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		return firstRunnable(absolute(name, dir), env)
	}
	var refused error
	for _, folder := range filepath.SplitList(lookup(env, "PATH")) {
		if folder == "" {
			folder = "."
		}
		path, err := firstRunnable(filepath.Join(absolute(folder, dir), name), env)
		if err == nil {
			return path, nil
		}
		if refused == nil && !isMissing(err) {
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// firstRunnable tries the suffixes of the platform.
func firstRunnable(path string, env []string) (string, error) {
	var first error
	for _, s := range suffixes(env) {
		err := executable(path + s)
		if err == nil {
			return path + s, nil
		}
		if first == nil || !isMissing(err) {
			first = err
		}
	}
	return "", first
}

// lookup returns a variable's value; the last one wins, as in exec.
func lookup(env []string, name string) string {
	value := ""
	for _, pair := range env {
		n, v, ok := strings.Cut(pair, "=")
		if ok && (n == name || (runtime.GOOS == "windows" && strings.EqualFold(n, name))) {
			value = v
		}
	}
	return value
}

// isMissing reports that there is no file, or no folder on the way to it.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
