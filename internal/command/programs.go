package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/evidence"
)

// maxInterpreters bounds how many interpreters are followed from one program.
const maxInterpreters = 4

// Programs are the programs that a command can mean, by the words that mean them.
type Programs struct {
	Found  map[string]evidence.Program
	stamps map[string]string // by path, from before the file was read
}

// FindPrograms finds what a command can mean by its words, which run in dir with env:
// each word of argv, or of the shell text with its variables filled in, that is the
// name of a program on PATH or a path to one outside of dir, and the interpreters that
// scripts among them name in their first line. A word that only happens to be a
// program's name, "test" say, is among them; what a program starts by itself is not.
// Files within dir are left out: those are the work tree's. A program that cannot be
// read has the digest "unreadable".
func FindPrograms(argv []string, shell, dir string, env []string) Programs {
	if shell != "" {
		argv = append(ShellArgv(""), shellWords(shell, env)...)
	}
	p := Programs{Found: map[string]evidence.Program{}, stamps: map[string]string{}}
	for i, word := range argv {
		if i == 0 || names(word) {
			p.add(word, dir, env, maxInterpreters)
		}
	}
	return p
}

func (p Programs) add(word, dir string, env []string, more int) {
	if _, done := p.Found[word]; done || word == "" {
		return
	}
	path, err := Resolve(word, dir, env)
	if err != nil || isPath(word) && Inside(dir, path) {
		return
	}
	if _, done := p.stamps[path]; !done {
		p.stamps[path] = stamp(path)
	}
	digest, first := readProgram(path)
	p.Found[word] = evidence.Program{Path: path, Digest: digest}
	if line, script := bytes.CutPrefix(first, []byte("#!")); script && more > 0 {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		for _, w := range strings.Fields(string(line)) { // behind env there is another name
			if names(w) {
				p.add(w, dir, env, more-1)
			}
		}
	}
}

// Replaced names the programs that were written, replaced, or renamed away and back since
// they were found, by their paths, sorted.
func (p Programs) Replaced() []string {
	var out []string
	for path, then := range p.stamps {
		if stamp(path) != then {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// stamp is of a file and of a link that leads to it.
func stamp(path string) string {
	link, lerr := os.Lstat(path)
	file, ferr := os.Stat(path)
	if lerr != nil || ferr != nil {
		return "missing"
	}
	return stampOf(link) + " " + stampOf(file)
}

// Inside reports whether the path is the folder dir or lies below it, by their names.
func Inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// shellWords splits shell text wherever a name cannot go on, quotes and comments
// included, as it stands and with the variables and the home filled in. A word too many
// costs a hash, and a question when a program of that name appears later.
func shellWords(text string, env []string) []string {
	filled := os.Expand(strings.ReplaceAll(text, "~/", lookup(env, "HOME")+"/"), func(name string) string { return lookup(env, name) })
	split := func(r rune) bool { return !strings.ContainsRune(nameRunes+"/", r) }
	return append(strings.FieldsFunc(text, split), strings.FieldsFunc(filled, split)...)
}

const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-@"

// names reports whether a word can name a program.
func names(word string) bool {
	if word == "" || word[0] == '-' || strings.Trim(word, "./") == "" {
		return false
	}
	return isPath(word) || strings.Trim(word, nameRunes) == ""
}

func isPath(word string) bool {
	return strings.Contains(word, "/") || strings.ContainsRune(word, filepath.Separator)
}

// readProgram returns the digest of a program and its first bytes.
func readProgram(path string) (digest string, first []byte) {
	f, err := os.Open(path)
	if err != nil {
		return "unreadable", nil
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head)
	h := sha256.New()
	h.Write(head[:n])
	if _, err := io.Copy(h, f); err != nil {
		return "unreadable", nil
	}
	return hex.EncodeToString(h.Sum(nil)), head[:n]
}
