package guard

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"github.com/asterweave/asterweave/internal/document"
)

func TestQuick(t *testing.T) {
	for _, name := range []string{"testdata/battery.jsonl", "testdata/more.jsonl"} {
	f, err := os.Open(name)
	if err != nil { continue }
	sc := bufio.NewScanner(f)
	s := Situation{Root: "/w/work", Cwd: "/w/work", GitDir: "/w/work/.git", CommonDir: "/w/work/.git", StateDir: "/w/work/.claude/asterweave", Home: "/home/dev", Branch: "asterweave/x", Base: "main", Trunk: "main", Remote: "origin", RemoteURL: "../remote.git", Attended: true,
		Confirmed: &Confirmed{Head: "x", Title: "t", BodyPath: "/w/body.md", Base: "main"}, Gates: []document.Gate{{ID: "unit", Argv: []string{"go", "test", "./..."}}},
		IsFile: func(p string) bool { return p == "/w/work/f" || p == "/w/work/src" }}
	for sc.Scan() {
		var r struct{ ID, Kind, Expect, Command string }
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil { t.Fatal(err, sc.Text()) }
		v := s.Shell(r.Command)
		stop := v.Decision >= Ask
		if stop != (r.Expect == "stop") {
			t.Errorf("%s %s %q: %v %s %s", r.ID, r.Expect, r.Command, v.Decision, v.Rule, v.Reason)
		}
	}
	}
}
