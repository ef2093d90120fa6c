package verify_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/graph"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/state"
	"github.com/asterweave/asterweave/internal/verify"
)

// honestly holds that a verdict is open, but for the pipeline where nothing ran again, or
// unknown for a reason whose next step is said.
func honestly(t *testing.T, v verify.Verdict, unknown ...string) {
	t.Helper()
	for _, c := range v.Checks {
		waits := len(unknown) > 0 && c.RestsOn != ""
		expected := c.Name == verify.CheckChecks
		for _, name := range unknown {
			expected = expected || c.Name == name && c.Next != ""
		}
		if c.State != verify.Open && (c.State != verify.Unknown || !expected && !waits) {
			t.Errorf("%s is %s: %s", c.Name, c.State, c.Reason)
		}
	}
	for _, name := range unknown {
		for _, c := range v.Checks {
			if c.Name == name && c.State == verify.Open {
				t.Errorf("%s is open, and was to be unknown", name)
			}
		}
	}
}

// TestHonestCheckouts: one delivery, and the ways in which people and CI check it out.
func TestHonestCheckouts(t *testing.T) {
	h := honest(t)
	gitIn(t, h.remote(), "config", "uploadpack.allowFilter", "true")
	in := func(dir string, args ...string) {
		gitIn(t, dir, append([]string{"-c", "user.name=dev", "-c", "user.email=dev@example.com"}, args...)...)
	}
	type checkout struct {
		clone   []string
		then    func(dir string) string // returns where to verify
		with    func(o *verify.Options)
		unknown string
	}
	same := func(fn func(dir string)) func(string) string { return func(dir string) string { fn(dir); return dir } }
	all := map[string]checkout{
		"a clone":                 {},
		"CRLF":                    {clone: []string{"-c", "core.autocrlf=true"}},
		"CRLF by eol":             {clone: []string{"-c", "core.eol=crlf", "-c", "core.autocrlf=true"}},
		"autocrlf input":          {clone: []string{"-c", "core.autocrlf=input"}},
		"no file modes":           {clone: []string{"-c", "core.fileMode=false"}},
		"case is ignored":         {clone: []string{"-c", "core.ignoreCase=true"}},
		"long ids":                {clone: []string{"-c", "core.abbrev=40"}},
		"an old protocol":         {clone: []string{"-c", "protocol.version=0"}},
		"no symbolic links":       {clone: []string{"-c", "core.symlinks=false"}},
		"no indexes of packs":     {clone: []string{"-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false"}},
		"quoted paths":            {clone: []string{"-c", "core.quotePath=false"}},
		"another remote's name":   {clone: []string{"--origin", "upstream"}},
		"no tags":                 {clone: []string{"--no-tags"}},
		"50 deep":                 {clone: []string{"--depth", "50", "--no-single-branch"}},
		"without the base":        {clone: []string{"--single-branch"}, unknown: verify.CheckHead},
		"one deep":                {clone: []string{"--depth", "1", "--no-single-branch"}, unknown: verify.CheckHead},
		"one deep, then all":      {clone: []string{"--depth", "1", "--no-single-branch"}, then: same(func(dir string) { in(dir, "fetch", "-q", "--unshallow") })},
		"no base, then all":       {clone: []string{"--single-branch"}, then: same(func(dir string) { in(dir, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*") }), with: func(o *verify.Options) { o.Base = "main" }},
		"a detached head":         {then: same(func(dir string) { in(dir, "checkout", "-q", "--detach") })},
		"another local branch":    {then: same(func(dir string) { in(dir, "switch", "-q", "-c", "mine") })},
		"a tag on the head":       {then: same(func(dir string) { in(dir, "tag", "v1") })},
		"packed":                  {then: same(func(dir string) { in(dir, "gc", "-q") })},
		"a sparse index":          {then: same(func(dir string) { in(dir, "config", "index.sparse", "true") })},
		"no remote's head":        {then: same(func(dir string) { in(dir, "remote", "set-head", "origin", "--delete") }), unknown: verify.CheckHead},
		"the base said":           {with: func(o *verify.Options) { o.Base = "main" }},
		"the head said":           {with: func(o *verify.Options) { o.Head = h.git("rev-parse", "HEAD") }},
		"the remote said":         {with: func(o *verify.Options) { o.Remote = "origin" }},
		"the delivery said":       {with: func(o *verify.Options) { o.Delivery = h.exported().Predicate.Delivery.ID }},
		"the pull request speaks": {unknown: verify.CheckProtection, with: func(o *verify.Options) { held(o, &forger{t: t, s: h.exported()}) }},
		"a linked worktree": {then: func(dir string) string {
			in(dir, "worktree", "add", "-q", "--detach", dir+" linked")
			return dir + " linked"
		}},
		"a folder of many scripts": {then: func(dir string) string {
			to := filepath.Join(filepath.Dir(dir), "Ünïcode 空白 'quoted'")
			if err := os.Rename(dir, to); err != nil {
				t.Fatal(err)
			}
			return to
		}},
		"an attribute of one's own": {then: same(func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("*.tmp\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		})},
		"two bundles in the note":  {then: same(func(dir string) { appended(t, dir, wrapped(t, encoded(t, h.exported()))) })},
		"another line in the note": {then: same(func(dir string) { appended(t, dir, []byte("somebody else's line")) })},
		"a note of two deliveries": {then: same(func(dir string) { appended(t, dir, foreign(t, h)) }), unknown: verify.CheckBundle},
		"a note of two deliveries, one said": {then: same(func(dir string) { appended(t, dir, foreign(t, h)) }), with: func(o *verify.Options) {
			o.Delivery = h.exported().Predicate.Delivery.ID
		}},
		"a signer who is listed": {with: func(o *verify.Options) {
			o.Signers = func(bundle.Signed, []byte, time.Time) (who, refused []string) {
				return []string{"dev@example.com"}, nil
			}
			signed, err := bundle.Wrap(encoded(t, h.exported()), dsse.Signature{KeyID: "SHA256:key", Sig: "c2lnbmF0dXJl"})
			if err != nil {
				t.Fatal(err)
			}
			o.Envelope = signed
		}},
	}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		if i%4 != 1 && os.Getenv(contract.Exhaust) == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := (&home{t, h.base}).cloned(c.clone...)
			if c.then != nil {
				dir = c.then(dir)
			}
			o := options(dir)
			if c.with != nil {
				c.with(&o)
			}
			v, err := verify.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if c.unknown != "" {
				honestly(t, v, c.unknown)
				return
			}
			honestly(t, v)
			if out := gitIn(t, dir, "status", "--porcelain", "--ignored"); out != "" {
				t.Errorf("the verification left %s", out)
			}
		})
	}
}

func encoded(t testing.TB, s bundle.Statement) []byte {
	t.Helper()
	b, err := bundle.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// appended puts a line into the note of the head.
func appended(t testing.TB, dir string, line []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "line")
	note := gitIn(t, dir, "notes", "--ref="+bundle.NotesRef, "show", "HEAD")
	if err := os.WriteFile(file, []byte(string(line)+"\n"+note+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "notes", "--ref="+bundle.NotesRef, "add", "-f", "-F", file, "HEAD")
}

// foreign is a bundle of another delivery about the same head.
func foreign(t testing.TB, h *home) []byte {
	f := from(t, encoded(t, h.exported()))
	_, c := f.find(func(c state.Change) bool { return c.Started != nil })
	c.Started.Delivery.ID = "20260101-00000000"
	return f.seal().envelope()
}

// TestHonestDeliveries: deliveries that went other ways.
func TestHonestDeliveries(t *testing.T) {
	type way struct {
		deliver func(h *home)
		unknown []string
		sampled bool // made by make test as well
	}
	begin := func(h *home) {
		h.git("switch", "-qc", "work")
		h.start()
		h.approve()
	}
	moveBase := func(h *home, name string) {
		h.git("switch", "-q", "main")
		h.write(name, "moved\n")
		h.git("add", "-A")
		h.git("commit", "-qm", "main goes on")
		h.git("push", "-q", "origin", "main")
		h.git("switch", "-q", "work")
		h.git("fetch", "-q")
	}
	commit := func(h *home, message string) { h.git("add", "-A"); h.git("commit", "-qm", message) }
	for name, w := range map[string]way{
		"at the first attempt": {deliver: func(h *home) { begin(h); h.deliver(); h.push() }},
		"gates before a last edit that none of them watches": {sampled: true, deliver: func(h *home) {
			begin(h)
			h.write("notes.txt", "good\n")
			h.gate("build")
			h.write("README.md", "read me\n")
			commit(h, "good")
			h.submit(graph.Implement, document.Submission{Outcome: "pass", Records: record(evidence.Change)})
			h.gate("unit")
			h.reviewed(true)
			h.push()
		}},
		"a base that moved": {deliver: func(h *home) { begin(h); h.deliver(); moveBase(h, "elsewhere.txt"); h.push() }},
		"a base that moved and was merged": {sampled: true, deliver: func(h *home) {
			begin(h)
			moveBase(h, "elsewhere.txt")
			h.git("merge", "-q", "--no-edit", "origin/main")
			h.deliver()
			h.push()
		}},
		"a base that moved, and the branch was put on it": {deliver: func(h *home) {
			begin(h)
			moveBase(h, "elsewhere.txt")
			h.git("rebase", "-q", "origin/main")
			h.deliver()
			h.push()
		}},
		"a commit that was amended": {deliver: func(h *home) {
			begin(h)
			h.deliver()
			h.git("commit", "-q", "--amend", "-m", "other words")
			h.push()
		}},
		"several commits": {deliver: func(h *home) {
			begin(h)
			h.git("commit", "-q", "--allow-empty", "-m", "begin")
			h.deliver()
			h.git("commit", "-q", "--allow-empty", "-m", "end")
			h.push()
		}},
		"several commits made one": {deliver: func(h *home) {
			begin(h)
			h.git("commit", "-q", "--allow-empty", "-m", "begin")
			h.deliver()
			h.git("reset", "-q", "--soft", "main")
			commit(h, "one")
			h.push()
		}},
		"another plan": {sampled: true, deliver: func(h *home) {
			begin(h)
			h.complete("fail-replan")
			h.do(agent(), func(d *decide.Draft) error { return d.Enter(graph.Plan, "") })
			h.plan("notes.txt")
			h.approve()
			h.deliver()
			h.push()
		}},
		"a pause": {deliver: func(h *home) {
			begin(h)
			h.do(agent(), func(d *decide.Draft) error { return d.Pause("lunch", false) })
			h.do(human(), func(d *decide.Draft) error { return d.Resume() })
			h.deliver()
			h.push()
		}},
		"tool calls in between": {deliver: func(h *home) {
			begin(h)
			for range 50 {
				h.do(agent(), func(d *decide.Draft) error { return d.Tool(state.Tool{Tool: "Read"}) })
			}
			h.deliver()
			h.push()
		}},
		"a soft criterion that fails": {deliver: func(h *home) {
			begin(h)
			h.write("notes.txt", "good\n")
			commit(h, "good")
			h.submit(graph.Implement, document.Submission{Outcome: "pass", Records: record(evidence.Change)})
			h.gate("build")
			h.gate("unit")
			h.reviewed(false)
			h.push()
		}},
		"a guard's rule let through": {sampled: true, unknown: []string{verify.CheckBypass}, deliver: func(h *home) {
			begin(h)
			h.do(human(), func(d *decide.Draft) error {
				_, err := d.Allow(decide.Bypass{Rules: []string{"force"}, Reason: "the branch was rebased", For: time.Minute})
				return err
			})
			h.deliver()
			h.push()
		}},
	} {
		if !w.sampled && os.Getenv(contract.Exhaust) == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			w.deliver(h)
			o := options(h.cloned())
			v, err := verify.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			honestly(t, v, w.unknown...)
			if t.Failed() {
				shown(t, v)
			}
		})
	}
}
