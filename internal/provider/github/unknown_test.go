package github_test

import (
	"context"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

// rich fills a world with what takes every kind of read: rules and checks on several
// pages, classic protection, statuses, checks on the test merge, threads and comments on
// several pages, an issue with an approval.
func rich(t *testing.T, checks, threads int) *served {
	t.Helper()
	w := newServed(t)
	front := httptest.NewServer(w.Server) // not checked: the small worlds are, and these answers are large
	t.Cleanup(front.Close)
	w.base, _ = url.Parse(front.URL)
	w.Submit(t)
	w.Crowd(w.pull, checks, threads)
	w.Report(w.TestMerge(w.pull), githubserver.Run{Name: "job (0)", Conclusion: "SUCCESS"})
	w.Review(w.pull, "writer", "APPROVED", "good")
	w.Item(t, "A cap", "Refunds have a cap.")
	w.Link(t)
	w.Comment(t, "writer", "/asterweave approve "+strings.Repeat("0123456789abcdef", 4))
	return w
}

// requests counts what one read asks for.
func (w *served) requests(t *testing.T, read string) int {
	t.Helper()
	before := w.Requests()
	a, err := ask(w.Provider(t, time.Minute), read, w.Target(t))
	if err != nil || a.Result != evidence.Pass {
		t.Fatalf("%s: %s, %s, %v", read, a.Result, a.Because, err)
	}
	return w.Requests() - before
}

// TestUnknownNeverPasses breaks each answer of each read, once in each way.
func TestUnknownNeverPasses(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads int
		reads   []string
		deny    string
	}{
		{"graphql", 101, []string{pr, checks, comments, item}, ""},
		{"rest", 1, []string{checks}, "rollup"}, // GraphQL hides the checks
	} {
		t.Run(c.name, func(t *testing.T) {
			w := rich(t, 104, c.threads)
			w.Deny(c.deny)
			if c.deny != "" {
				// REST tells no isRequired, so that nothing passes but what is listed; the list
				// stands for the rules then, whatever became of them.
				w.required = []string{"job (0)"}
			}
			moved := strings.Repeat("e", 40)
			tried, passed := 0, 0
			for _, read := range c.reads {
				n := w.requests(t, read)
				all := w.Paths()
				asked := all[len(all)-n:]
				for series, kind := range []string{"403", "403-bare", "404", "empty", "hollow", "truncated", "malformed", "partial", "timeout", "moved"} {
					for i := range n {
						if !contract.Some(series, i) {
							continue
						}
						patience := time.Minute
						switch kind {
						case "moved":
							if i == n-1 {
								continue // what happens after the last answer, nobody can have seen
							}
							w.After(i, func() { w.Tip(w.repo.Branch, moved) })
						case "timeout":
							patience = 150 * time.Millisecond
							fallthrough
						default:
							w.Server.Break(kind, i, kind != "403-bare", "") // a limit that passes is waited for, and then the answer is a true one
						}
						a, err := askWith(context.Background(), w.Provider(t, patience), read, w.Target(t))
						w.Server.Repair()
						w.Tip(w.repo.Branch, "")
						w.Head(w.pull) // the pull request is back at its commit
						tried++
						switch {
						case err != nil || a.Result == evidence.Pass && (kind == "partial" && !isQuery(asked[i]) || len(w.required) > 0 && isRule(asked[i])):
						case a.Result == evidence.Unknown && a.Because != "":
						default:
							passed++
							t.Errorf("%s, answer %d of %d: %s: %s (%s; %s)", read, i+1, n, kind, a.Result, a.Summary, a.Because)
						}
					}
				}
			}
			t.Logf("%d broken reads, %d of which were not unknown", tried, passed)
			if c.deny == "" {
				w.approvals(t)
			}
			if n := w.Writes(); n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
}

// isQuery reports whether what was asked was a query.
func isQuery(asked string) bool { return !strings.HasPrefix(asked, "/") }

// isRule reports whether what was asked tells what is required, and nothing else.
func isRule(asked string) bool {
	return asked == "Rule" || strings.Contains(asked, "/rules/branches/") || strings.Contains(asked, "/branches/")
}

// approvals: a broken answer approves nothing, and starts nothing.
func (w *served) approvals(t *testing.T) {
	t.Helper()
	before := w.Requests()
	got, err := w.Provider(t, time.Minute).Approvals(t.Context(), w.Target(t))
	if err != nil || len(got) != 1 || got[0].Refused != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	n := w.Requests() - before
	for _, kind := range []string{"403", "404", "empty", "hollow", "truncated", "malformed", "timeout"} {
		for i := range n {
			w.Server.Break(kind, i, true, "")
			p := w.Provider(t, 150*time.Millisecond)
			got, _ := p.Approvals(t.Context(), w.Target(t)) // an error approves nothing
			for _, a := range got {
				if a.Refused == "" {
					t.Errorf("approvals, answer %d of %d: %s: it counts", i+1, n, kind)
				}
			}
			w.Server.Repair()
		}
		w.Server.Break(kind, 0, true, "")
		if i, err := w.Provider(t, 150*time.Millisecond).Item(t.Context(), w.Target(t)); err == nil {
			t.Errorf("%s: an item was read: %+v", kind, i)
		}
		w.Server.Break(kind, 0, false, "")
		for _, f := range w.Provider(t, 150*time.Millisecond).Examine(t.Context(), w.Target(t)) {
			if f.OK && !strings.HasPrefix(f.What, "the token for") {
				t.Errorf("%s: %s", kind, f.What)
			}
		}
		w.Server.Repair()
	}
}

// TestSize: 300 required checks and 1,000 threads are read in few requests.
func TestSize(t *testing.T) {
	w := rich(t, 300, 1000)
	for read, most := range map[string]int{pr: 6, checks: 20, comments: 20, item: 6} {
		if n := w.requests(t, read); n > most {
			t.Errorf("%s took %d requests, at most %d are due", read, n, most)
		}
	}
	a, err := w.Provider(t, time.Minute).Comments(t.Context(), w.Target(t))
	if err != nil || len(a.Comments) != 1001 || len(a.Comments[0].Replies) != 130 {
		t.Errorf("%d comments, %v", len(a.Comments), err)
	}
	if lines := strings.Count(a.Proof, "\n") + 1; lines > 41 {
		t.Errorf("the proof has %d lines", lines)
	}
}

// TestMemory: a provider that polls holds no more after many reads than after two.
func TestMemory(t *testing.T) {
	w := rich(t, 300, 1000)
	p := w.Provider(t, time.Minute)
	held := func(reads int) uint64 {
		for range reads {
			for _, read := range []string{checks, comments} {
				if a, err := ask(p, read, w.Target(t)); err != nil || a.Result != evidence.Pass {
					t.Fatalf("%s: %s, %s, %v", read, a.Result, a.Because, err)
				}
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	few := held(2)
	if many := held(5); many > few+(4<<20) {
		t.Errorf("%d bytes are held after two reads, and %d after seven", few, many)
	}
}
