package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/forge"
)

// counted is a forge that counts what is done at it by other means than HTTP.
type counted struct {
	*forge.Forge
	acts map[string]int
}

func (c counted) Act(data []byte) (map[string]string, error) {
	var a struct {
		What string `json:"what"`
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	c.acts[a.What]++
	return c.Forge.Act(data)
}

// The real programs deliver to a stand-in for GitHub, over HTTP and Git's own protocol.
func TestDemoGitHub(t *testing.T) {
	if os.Getenv("ASTERWEAVE_EXHAUST") == "" {
		t.Skip("minutes long: make exhaust runs it, and make demo-github plays the same")
	}
	if testing.Short() {
		t.Skip("it builds programs and runs the tests of the sample")
	}
	bin := programs(t)
	environ := surroundings(t)
	at := counted{acts: map[string]int{}}
	var out bytes.Buffer
	demo := Demo{
		Source: filepath.Join("..", "..", "examples", "refunds"), Programs: bin, Environ: environ, Out: &out,
		Forge: func(ctx context.Context, folder, name, home string) (_ Forge, err error) {
			at.Forge, err = forge.Open(ctx, folder, name, home)
			return at, err
		},
	}
	got, err := demo.Run(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if got.Status != "done" || got.Node != "" {
		t.Errorf("the delivery is %s at %q, want done", got.Status, got.Node)
	}
	if got.Answers != 7 {
		t.Errorf("%d answers by a human, want 7: a reply, an approval, and confirmations of three pushes, a reply and an update", got.Answers)
	}
	if got.Requests < 50 || got.Refused != 0 || !strings.Contains(out.String(), " 0 writes refused") {
		t.Errorf("%d requests, %d writes among them, want none\n%s", got.Requests, got.Refused, out.String())
	}
	for what, n := range map[string]int{"open": 1, "reply": 1, "close": 1} {
		if at.acts[what] != n {
			t.Errorf("%d times %s, want %d", at.acts[what], what, n)
		}
	}
	d := delivery{t, bin, got}
	t.Run("ledger", func(t *testing.T) { d.t = t; d.checkForge(at) })
	t.Run("secret", func(t *testing.T) { d.t = t; d.checkSecret(at, out.Bytes()) })
}

// checkForge looks at what the ledger says about the pull request and the writes.
func (d delivery) checkForge(at counted) {
	t := d.t
	pulls, settled, failed := map[string]bool{}, 0, []string{}
	results := map[string]int{}
	task := ""
	for _, c := range d.changes() {
		switch {
		case c.Submitted != nil:
			pulls[c.Submitted.URL] = true
		case c.Settled != nil:
			settled++
		case c.Completed != nil && c.Completed.Failure != nil:
			failed = append(failed, c.Completed.Failure.Node)
		case c.Recorded != nil:
			results[string(c.Recorded.Kind)+" "+string(c.Recorded.Result)]++
			if c.Recorded.Kind == "task" && task == "" {
				task = c.Recorded.URL
			}
		}
	}
	page := strings.TrimSuffix(at.URL(), ".git")
	if len(pulls) != 1 || !pulls[page+"/pull/2"] {
		t.Errorf("the pull requests %v, want one", pulls)
	}
	if settled != 2 {
		t.Errorf("%d writes were read back, want a reply and an update", settled)
	}
	if strings.Join(failed, " ") != "monitor-pipeline resolve-review-comments" {
		t.Errorf("failures of %v", failed)
	}
	if task != page+"/issues/1" {
		t.Errorf("the task is from %q", task)
	}
	for name, n := range map[string]int{
		"pull-request fail": 1, "pull-request pass": 3, "pipeline unknown": 1, "pipeline fail": 1, "pipeline pass": 2,
		"review-comments fail": 2, "review-comments pass": 2, "work-item-update fail": 1, "work-item-update pass": 1,
	} {
		if results[name] != n {
			t.Errorf("%d records of %s, want %d", results[name], name, n)
		}
	}
	const branch = "fix/ref-7-remaining-amount"
	if tip, head := d.git("--git-dir="+d.got.Remote, "rev-parse", "refs/heads/"+branch), d.git("rev-parse", "HEAD"); tip != head {
		t.Errorf("the remote has %s at %s, want %s", branch, tip, head)
	}
	if got := d.git("--git-dir="+d.got.Remote, "rev-list", "--count", "main.."+branch); got != "3" {
		t.Errorf("%s commits on the branch, want 3", got)
	}
	if out, err := d.state("verify"); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// checkSecret looks for the token in everything that was left and printed.
func (d delivery) checkSecret(at counted, printed []byte) {
	_, token, ok := strings.Cut(at.Environ()[1], "GH_ENTERPRISE_TOKEN=")
	if !ok || len(token) < 20 {
		d.t.Fatal("there is no token to look for")
	}
	if bytes.Contains(printed, []byte(token)) {
		d.t.Error("the token was printed")
	}
	files := 0
	err := filepath.WalkDir(d.got.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(token)) {
			d.t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil || files < 50 {
		d.t.Errorf("%d files, %v", files, err)
	}
}
