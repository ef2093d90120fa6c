package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/command"
	"github.com/asterweave/asterweave/internal/config"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/gitrepo"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// want adds to what is read of the world for a decision.
type want struct {
	paths   []string // whose existence matters
	refs    []string // whose content matters
	commits bool     // messages of the delivery's commits
	fresh   bool     // the tree is read without what is cached about it
	trees   []string // that are compared with the work tree, besides those that the state names
}

// facts reads the world as the state's decisions see it.
func (e *Engine) facts(ctx context.Context, s *state.State, w want) (*gate.Facts, error) {
	f := &gate.Facts{
		Changed: map[string][]string{}, Base: map[string]gate.BaseMove{}, FromBase: map[string]bool{},
		PathExists: map[string]bool{}, Programs: map[string]state.Program{}, GateEnv: map[string]string{}, Escapes: map[string]string{}, Refs: map[string]string{}, Task: s.Delivery.Goal,
	}
	err := e.readDocuments(s, f)
	if err != nil {
		return nil, err
	}
	objects := e.repo.Objects()
	defer func() { _ = objects.Close() }() // a process that had failed has said so in an answer
	if err := e.readGit(s, f); err != nil {
		return nil, err
	}
	if err := e.readHead(ctx, s, f); err != nil {
		return nil, err
	}
	moved := f.World.Base != s.Delivery.MergeBase
	trusted := !moved || s.Delivery.MergeBase == "" || e.onRemote(ctx, s, f)
	e.readConfig(ctx, objects, s, f, trusted)
	if err := e.readTree(ctx, objects, s, f, w); err != nil {
		return nil, err
	}
	if err := e.readBase(ctx, objects, s, f, trusted); err != nil {
		return nil, err
	}
	e.readLinks(s, f)
	e.readEnvironments(ctx, s, f)
	e.readPaths(f, w)
	if s.Node == graph.Plan {
		if f.Tracked, err = e.repo.ListTracked(ctx); err != nil {
			return nil, gitError(err)
		}
	}
	if w.commits {
		if err := errors.Join(e.readCommits(ctx, f), e.readRemote(ctx, f)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (e *Engine) readDocuments(s *state.State, f *gate.Facts) error {
	f.World.Spec, f.World.Plan = s.Docs[state.DocSpec], s.Docs[state.DocPlan]
	for name, into := range map[string]any{state.DocSpec: &f.Spec, state.DocPlan: &f.Plan, state.DocManifest: &f.Manifest} {
		digest := s.Docs[name]
		if digest == "" {
			continue
		}
		b, err := e.log.Artifact(digest)
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			return problem.Wrap(problem.Ledger, fmt.Errorf("%s, as it was stored: %w", name, err), "doctor says what is missing; the document can be stored again while its node is open")
		}
	}
	return nil
}

func (e *Engine) readHead(ctx context.Context, s *state.State, f *gate.Facts) error {
	h, err := e.repo.Head(ctx)
	if err != nil {
		return gitError(err)
	}
	f.Head, f.HeadTree, f.Branch = h.Commit, h.Tree, h.Branch
	// Among several remotes the branch's configuration selects; after the start it has no say.
	if f.Remote = s.Delivery.Remote; f.Remote == "" {
		if f.Remote, err = e.repo.Remote(ctx); err != nil {
			return gitError(err)
		}
	}
	if f.World.Base, err = e.repo.MergeBase(ctx, f.Remote, s.Delivery.Base); err != nil {
		f.World.Base = "" // a base that is gone opens nothing: what rests on one that is recorded is unknown
	}
	return ctx.Err()
}

// readConfig takes the configuration from the base: what the delivery itself
// changes has no say in it.
func (e *Engine) readConfig(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts, trusted bool) {
	rev := cmp.Or(f.World.Base, s.Delivery.MergeBase, f.Head)
	if !trusted {
		rev = s.Delivery.MergeBase
	}
	if rev == "" {
		return
	}
	b, ok, err := objects.File(ctx, rev, ConfigPath)
	if err != nil {
		f.ConfigProblems = []document.Problem{{Field: ConfigPath, What: err.Error()}}
		return
	}
	if !ok {
		return
	}
	c, problems := config.Parse(b)
	if len(problems) == 0 {
		problems = c.Check(nodeBudgets(), existsAt(ctx, objects, rev))
	}
	f.World.Config, f.Config, f.ConfigProblems = c.Digest, c.Config, problems
	if len(f.ConfigProblems) == 0 && e.o.Schemas != nil {
		if err := e.o.Schemas.Validate("asterweave", b); err != nil {
			f.ConfigProblems = []document.Problem{{Field: ConfigPath, What: err.Error()}}
		}
	}
	if len(f.ConfigProblems) > 0 {
		f.Config.Redact = nil // patterns that may not compile
	}
}

func nodeBudgets() map[string]int {
	g, err := graph.Parse(graph.Embedded())
	if err != nil {
		return nil
	}
	out := map[string]int{}
	for _, n := range g.Nodes {
		out[n.Name] = n.Attempts
	}
	return out
}

func existsAt(ctx context.Context, objects *gitrepo.Objects, rev string) func(string) bool {
	return func(p string) bool {
		_, ok, err := objects.File(ctx, rev, p)
		return err == nil && ok
	}
}

func (e *Engine) readTree(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts, w want) error {
	o := gitrepo.TreeOptions{StateDir: e.log.Dir(), Fresh: w.fresh, Excludes: true}
	if s.Approval != nil && f.Plan != nil && s.Approval.Plan == f.World.Plan {
		o.Scratch = f.Plan.Scope.Scratch
	}
	if s.Delivery.Ambient != "" {
		b, err := e.log.Artifact(s.Delivery.Ambient)
		if err == nil {
			err = json.Unmarshal(b, &o.Ambient)
		}
		if err != nil {
			return problem.Wrap(problem.Ledger, fmt.Errorf("the list of untracked files at start: %w", err), "doctor says what is missing")
		}
	}
	tree, err := e.repo.Tree(ctx, o)
	if err != nil {
		return gitError(err)
	}
	f.World.Tree, f.World.Ambient = tree.ID, e.ambient(tree.AmbientChanged)
	f.TreeUnknown = append(f.TreeUnknown, tree.Unknown...)
	if s.Delivery.Excludes != "" && tree.Excludes != s.Delivery.Excludes {
		f.World.Tree = ""
		f.TreeUnknown = append(f.TreeUnknown, "what hides files from Git (info/exclude, core.excludesFile, attributes outside the tree) changed since start")
	}
	if len(f.TreeUnknown) > 0 {
		f.World.Tree = ""
	}
	if f.World.Tree == "" {
		return nil
	}
	f.Changed[f.World.Tree] = nil
	trees := append(referredTrees(s), w.trees...)
	if f.World.Base != "" {
		trees = append(trees, f.World.Base)
	}
	return compareTrees(ctx, objects, trees, f)
}

// ambient digests those files that were untracked at start and have changed since,
// as they are now; "" while none has.
func (e *Engine) ambient(changed []string) string {
	if len(changed) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range changed {
		digest, err := fingerprint(filepath.Join(e.o.Root, filepath.FromSlash(p)))
		if err != nil {
			digest = "unreadable"
		}
		fmt.Fprintf(&b, "%q %s\n", p, digest)
	}
	return canon.Hash([]byte(b.String()))
}

// compareTrees finds what changed since each tree that a decision may ask about.
func compareTrees(ctx context.Context, objects *gitrepo.Objects, trees []string, f *gate.Facts) error {
	for _, tree := range trees {
		if _, done := f.Changed[tree]; done {
			continue
		}
		changes, err := objects.Changed(ctx, tree, f.World.Tree)
		if err != nil {
			continue // not in the map: unknown
		}
		paths := make([]string, len(changes))
		for i, c := range changes {
			paths[i] = c.Path
		}
		f.Changed[tree] = paths
	}
	return ctx.Err()
}

func referredTrees(s *state.State) []string {
	out := []string{s.Delivery.Tree, s.Nodes[s.Node].Tree}
	for _, slot := range s.Slots {
		for _, r := range []*evidence.Record{slot.Counts, slot.Last} {
			if r != nil {
				out = append(out, r.World.Tree)
			}
		}
	}
	for _, c := range s.Criteria {
		out = append(out, c.Verdict.World.Tree)
	}
	for _, fl := range s.Failures {
		out = append(out, fl.Tree)
	}
	return slices.DeleteFunc(out, func(t string) bool { return t == "" })
}

// onRemote asks the remote of the start whether the merge base is on its base
// branch. A branch here, a remote-tracking one too, is a name that anybody who
// works here can move; a base that only moved here is not believed.
func (e *Engine) onRemote(ctx context.Context, s *state.State, f *gate.Facts) bool {
	del := s.Delivery
	if f.World.Base == "" || del.Remote == "" || del.Remote != f.Remote {
		return false
	}
	r, err := redactor(f)
	if err != nil {
		return false
	}
	if url, err := e.repo.RemoteURL(ctx, del.Remote); err != nil || r.String(url) != del.URL {
		return false
	}
	tip, err := e.repo.LsRemote(ctx, del.Remote, del.Base)
	if err != nil || tip == "" {
		return false
	}
	on, err := e.repo.IsAncestor(ctx, f.World.Base, tip)
	return err == nil && on
}

// readBase finds what changed on the base since each merge base that is recorded.
// Of a base that only moved here nothing is known.
func (e *Engine) readBase(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts, trusted bool) error {
	recorded := map[string]bool{s.Delivery.MergeBase: true}
	for _, slot := range s.Slots {
		if slot.Counts != nil {
			recorded[slot.Counts.World.Base] = true
		}
	}
	for old := range recorded {
		if old == f.World.Base {
			f.Base[old] = gate.BaseMove{Same: true, Known: true}
			continue
		}
		if old == "" || f.World.Base == "" || !trusted {
			continue
		}
		changes, err := objects.Changed(ctx, old, f.World.Base)
		if err != nil {
			continue
		}
		move := gate.BaseMove{Known: true}
		for _, c := range changes {
			move.Paths = append(move.Paths, c.Path)
		}
		f.Base[old] = move
	}
	return readFromBase(ctx, objects, s, f)
}

// readFromBase finds the paths that came with a move of the base: they changed on
// it, and are now as they are there.
func readFromBase(ctx context.Context, objects *gitrepo.Objects, s *state.State, f *gate.Facts) error {
	move := f.Base[s.Delivery.MergeBase]
	if move.Same || !move.Known || f.World.Tree == "" {
		return nil
	}
	differ, err := objects.Changed(ctx, f.World.Base, f.World.Tree)
	if err != nil {
		return gitError(err)
	}
	own := map[string]bool{}
	for _, c := range differ {
		own[c.Path] = true
	}
	for _, p := range move.Paths {
		if !own[p] {
			f.FromBase[p] = true
		}
	}
	return nil
}

// readLinks finds those symbolic links among the changed paths that lead out of what
// the tree holds. Their targets could change without anybody noticing.
func (e *Engine) readLinks(s *state.State, f *gate.Facts) {
	root := resolved(e.o.Root)
	private := []string{resolved(e.repo.GitDir()), resolved(filepath.Join(root, ".git")), resolved(e.log.Dir())}
	for _, p := range f.Changed[s.Delivery.Tree] {
		full, ok := e.inside(p)
		if !ok {
			continue
		}
		target, err := os.Readlink(full)
		if err != nil {
			continue // no symbolic link
		}
		to := target
		if !filepath.IsAbs(to) {
			to = filepath.Join(resolved(filepath.Dir(full)), to)
		}
		to = resolved(to)
		if !within(root, to) || slices.ContainsFunc(private, func(dir string) bool { return within(dir, to) }) {
			f.Escapes[p] = target
		}
	}
}

// resolved follows symbolic links as far as the path is there.
func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return filepath.Clean(path)
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// readEnvironments digests the tools that each gate in force names; equal lists run
// once. What a plan names that nobody has approved is not run.
func (e *Engine) readEnvironments(ctx context.Context, s *state.State, f *gate.Facts) {
	seen := map[string]string{}
	gates := f.Config.Gates
	if f.Plan != nil && s.Approval != nil && s.Approval.Plan == f.World.Plan {
		gates = append(slices.Clone(f.Plan.Gates), gates...)
	}
	for _, g := range append(gates, document.Gate{}) {
		key := fmt.Sprintf("%q", g.Tools)
		if _, ok := seen[key]; !ok {
			seen[key], _ = command.Tools(ctx, e.o.Root, g.Tools, e.o.Environ)
		}
		if g.ID == "" {
			f.World.Env = seen[key]
			continue
		}
		f.GateEnv[g.ID] = seen[key]
	}
}

func (e *Engine) readPaths(f *gate.Facts, w want) {
	paths, refs := slices.Clone(w.paths), slices.Clone(w.refs)
	if f.Manifest != nil {
		paths = append(paths, f.Manifest.Paths()...)
	}
	if f.Spec != nil {
		for _, c := range f.Spec.Criteria {
			refs = append(refs, c.Refs...)
		}
	}
	for _, p := range paths {
		if full, ok := e.inside(p); ok {
			_, err := os.Lstat(full)
			f.PathExists[p] = err == nil
		}
	}
	for _, r := range refs {
		if full, ok := e.inside(r); ok {
			if digest, err := fingerprint(full); err == nil {
				f.Refs[r] = digest
			}
		}
	}
}

// inside returns the full path of a path that stays below the root.
func (e *Engine) inside(p string) (string, bool) {
	if p == "" || !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", false
	}
	return filepath.Join(e.o.Root, filepath.FromSlash(p)), true
}

// fingerprint returns the digest of a file's content.
func fingerprint(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (e *Engine) readCommits(ctx context.Context, f *gate.Facts) error {
	if f.Head == "" {
		return nil
	}
	commits, err := e.repo.Commits(ctx, f.World.Base, f.Head)
	if err != nil {
		return gitError(err)
	}
	for _, c := range commits {
		f.Commits = append(f.Commits, strings.TrimSpace(c.Message))
	}
	return nil
}

// readRemote finds how the remote is reached. One that is gone has no URL.
func (e *Engine) readRemote(ctx context.Context, f *gate.Facts) error {
	if f.Remote == "" {
		return nil
	}
	url, err := e.repo.RemoteURL(ctx, f.Remote)
	if err != nil {
		return ctx.Err()
	}
	push, err := e.repo.PushURLs(ctx, f.Remote)
	if err != nil {
		return gitError(err)
	}
	t, err := e.repo.Transport(ctx, f.Remote)
	if err != nil {
		return gitError(err)
	}
	if f.Trunk, err = e.repo.RemoteHead(ctx, f.Remote); err != nil {
		return gitError(err)
	}
	r, err := redactor(f)
	if err != nil {
		return err
	}
	f.URL, f.Transport, f.Reached = r.String(url), t.Digest, t.Names // as they are stored, so that they can be compared
	for _, u := range push {
		f.Push = append(f.Push, r.String(u))
	}
	return nil
}

// readGit finds which git answers, and does not believe another one than was pinned.
func (e *Engine) readGit(s *state.State, f *gate.Facts) error {
	p, err := e.git()
	if err != nil {
		return gitError(err)
	}
	f.Programs[state.Git] = p
	if pinned, ok := s.Programs[state.Git]; ok && pinned != p {
		f.TreeUnknown = append(f.TreeUnknown, fmt.Sprintf("the git at %s is not the one of the start; run has a human asked whether it is to be believed", p.Path))
	}
	return nil
}

// git returns the program that reads the repository, as it is now.
func (e *Engine) git() (state.Program, error) {
	p, err := e.repo.Program()
	return state.Program(p), err
}

func gitError(err error) error {
	return problem.Wrap(problem.Failed, err, "git status says whether the repository is well")
}
