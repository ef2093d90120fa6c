package command

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// Programs finds the programs that a command can mean by its words: each plain word
// of argv, or of the shell text, that is the name of a program on env's PATH, and each
// absolute path to one. A word that only happens to be a program's name, "test" say,
// is among them; what the command starts without naming it is not. Paths within dir
// are left out: those are files of the work tree. A program that cannot be read has
// the digest "unreadable".
func Programs(argv []string, shell, dir string, env []string) map[string]evidence.Program {
	if shell != "" {
		argv = append(ShellArgv(""), shellWords(shell)...)
	}
	out := map[string]evidence.Program{}
	for _, word := range argv {
		if _, done := out[word]; done || !names(word) {
			continue
		}
		path, err := Resolve(word, dir, env)
		if err != nil {
			continue
		}
		out[word] = evidence.Program{Path: path, Digest: fileDigest(path)}
	}
	return out
}

// shellWords splits shell text wherever a name cannot go on, quotes and comments
// included: a word too many does no harm.
func shellWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune(nameRunes+"/", r) })
}

const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-@"

// names reports whether a word can name a program outside of the work tree.
func names(word string) bool {
	if word == "" || word[0] == '-' || strings.Trim(word, ".") == "" {
		return false
	}
	if strings.ContainsRune(word, '/') || strings.ContainsRune(word, filepath.Separator) {
		return filepath.IsAbs(word)
	}
	return strings.Trim(word, nameRunes) == ""
}

func fileDigest(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(h.Sum(nil))
}
