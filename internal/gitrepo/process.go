package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Error is a git process that failed.
type Error struct {
	Args   []string // of git, without the settings that every process gets
	Exit   int      // exit status; -1 when the process did not start or was ended
	Stderr string   // what it wrote to standard error
	Err    error    // why it did not start or was ended, may be nil
}

// Error names the subcommand and the first line that says what is wrong; the
// arguments stay out, since a remote's URL may hold a credential.
func (e *Error) Error() string {
	name := "git"
	if len(e.Args) > 0 {
		name += " " + e.Args[0]
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", name, e.Err)
	}
	return fmt.Sprintf("%s: exit status %d: %s", name, e.Exit, firstComplaint(e.Stderr))
}

// Unwrap returns why the process did not start or was ended.
func (e *Error) Unwrap() error { return e.Err }

// complaints returns the lines of stderr that say that something went wrong.
func complaints(stderr string) []string {
	var out []string
	for line := range strings.SplitSeq(stderr, "\n") {
		line = strings.TrimSpace(line)
		for _, p := range []string{"fatal: ", "error: ", "warning: could not open", "warning: unable to"} {
			if strings.HasPrefix(line, p) {
				out = append(out, line)
				break
			}
		}
	}
	return out
}

func firstComplaint(stderr string) string {
	if c := complaints(stderr); len(c) > 0 {
		return c[0]
	}
	line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	if line == "" {
		return "no message"
	}
	return line
}

// call is one git process.
type call struct {
	args  []string
	stdin io.Reader
	env   []string          // KEY=value, after the sanitized environment
	set   map[string]string // settings for this process, beside the common ones
	dir   string            // working folder when it is not the root
	// foreign: the process works on another repository than r, so GIT_WORK_TREE
	// is not set.
	foreign bool
}

// output is what a git process printed.
type output struct {
	stdout string
	stderr string
}

// git runs git with args in the root and returns its standard output.
func (r *Repo) git(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, call{args: args})
	return out.stdout, err
}

// command returns the git process of a call, not yet started. It has the environment
// and the settings that every process gets, and ends with ctx.
func (r *Repo) command(ctx context.Context, c call) (*exec.Cmd, error) {
	program, err := r.lookGit()
	if err != nil {
		return nil, &Error{Args: c.args, Exit: -1, Err: err}
	}
	cmd := exec.CommandContext(ctx, program, append(r.settings(c.set), c.args...)...)
	cmd.Args[0] = "git" // the name that programs which answer to many names go by; links are resolved
	cmd.Dir = r.root
	if c.dir != "" {
		cmd.Dir = c.dir
	}
	cmd.Env = sanitized(os.Environ())
	// The repository is the one at the root or none; a broken one must not make
	// git look further up.
	cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(cmd.Dir))
	if !c.foreign {
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+r.root)
	}
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Stdin = c.stdin
	detach(cmd)
	cmd.WaitDelay = 10 * time.Second // a busy machine may be late with reading what git wrote
	return cmd, nil
}

// run runs one git process. The error is an [*Error]; the output is returned with
// it as far as there is any.
func (r *Repo) run(ctx context.Context, c call) (output, error) {
	cmd, err := r.command(ctx, c)
	if err != nil {
		return output{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	out := output{stdout: stdout.String(), stderr: stderr.String()}
	if err == nil {
		return out, nil
	}
	e := &Error{Args: c.args, Exit: -1, Stderr: out.stderr}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		e.Err = context.Cause(ctx)
	case errors.As(err, &exit) && exit.Exited():
		e.Exit = exit.ExitCode()
	default:
		e.Err = err
	}
	return out, e
}

// settings returns the -c options of a process: the ones that every process
// gets, then extra, in a stable order.
func (r *Repo) settings(extra map[string]string) []string {
	set := map[string]string{
		"core.fsmonitor":      "", // a monitor may lie
		"core.untrackedCache": "false",
		"core.splitIndex":     "false", // writes into the user's Git folder
		"core.safecrlf":       "false",
		"core.commitGraph":    "false", // may name other parents than the commits do
		"core.trustctime":     "true",
		"core.checkStat":      "default",
		"core.ignoreCase":     strconv.FormatBool(r.ignoreCase), // as the file system does, whatever is configured
		"core.hooksPath":      os.DevNull,
		"feature.manyFiles":   "false",
		"index.version":       "2",
		"index.sparse":        "false",
		"index.skipHash":      "false",
		"submodule.recurse":   "false",
		"gc.auto":             "0",
		"maintenance.auto":    "false",
	}
	for k, v := range extra {
		set[k] = v
	}
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	args := make([]string, 0, 2*len(set)+8)
	args = append(args, "--no-pager")
	for _, k := range keys {
		args = append(args, "-c", k+"="+set[k])
	}
	return args
}

// sanitized returns environ without what could make git look at another
// repository, index, configuration or object store, or ask somebody something.
func sanitized(environ []string) []string {
	keep := []string{
		"GIT_ASKPASS", "GIT_PROXY_COMMAND", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
		"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_NO_VERIFY", "GIT_SSL_VERSION",
	}
	out := make([]string, 0, len(environ)+8)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		switch upper := strings.ToUpper(name); {
		case strings.HasPrefix(upper, "GIT_") && !slices.Contains(keep, upper):
		case upper == "LC_ALL" || upper == "LANGUAGE" || upper == "SSH_ASKPASS_REQUIRE":
		default:
			out = append(out, kv)
		}
	}
	return append(out,
		"LC_ALL=C",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_PAGER=cat",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",        // in a partial clone an object that is missing would be fetched, by whatever program is configured
		"GIT_GRAFT_FILE="+os.DevNull, // grafts forge the parents of a commit
		"SSH_ASKPASS_REQUIRE=never",
	)
}

// stores returns the environment that lets git read the trees that were
// computed for this worktree.
func (r *Repo) storesEnv() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var dirs []string
	for dir := range r.stores {
		if _, err := os.Stat(dir); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	slices.Sort(dirs)
	return []string{alternates(dirs)}
}

// alternates returns the variable that names further object folders.
func alternates(dirs []string) string {
	quoted := make([]string, len(dirs))
	for i, dir := range dirs {
		quoted[i] = dir
		// Git splits the list at the separator unless the entry is quoted as in C.
		if strings.ContainsAny(dir, "\"\\\n"+string(os.PathListSeparator)) && os.PathSeparator == '/' {
			quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(dir) + `"`
		}
	}
	return "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strings.Join(quoted, string(os.PathListSeparator))
}

// fields splits NUL-terminated output.
func fields(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
}

// checkRevision refuses what git would take for an option, or for more than one
// revision.
func checkRevision(revs ...string) error {
	for _, rev := range revs {
		if rev == "" || strings.HasPrefix(rev, "-") || strings.HasPrefix(rev, "^") ||
			strings.Contains(rev, "..") || strings.ContainsAny(rev, "\x00\n\r \t") {
			return fmt.Errorf("not a revision: %q", rev)
		}
	}
	return nil
}
