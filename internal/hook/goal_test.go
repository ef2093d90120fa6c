package hook

import "testing"

func TestParseGoal(t *testing.T) {
	type want struct {
		goal, source, provider, base string
		auto                         bool
	}
	for args, w := range map[string]*want{
		"fix the bug":                       {goal: "fix the bug"},
		"  fix\n the  bug ":                 {goal: "fix\n the  bug"},
		"--auto-pr 12":                      {goal: "12", auto: true},
		"fix it --auto-pr":                  {goal: "fix it", auto: true},
		"document --auto-pr today":          {goal: "document --auto-pr today"},
		"-- document --auto-pr":             {goal: "document --auto-pr"},
		"owner/repo#12 make it faster":      {goal: "owner/repo#12 make it faster", source: "owner/repo#12"},
		"org/My%20Project#42":               {source: "org/My%20Project#42"},
		"https://example.com/i/1 and more":  {goal: "https://example.com/i/1 and more", source: "https://example.com/i/1"},
		"see owner/repo#12":                 {goal: "see owner/repo#12"},
		"#12":                               {source: "#12"},
		"#12 and the rest":                  {goal: "#12 and the rest", source: "#12"},
		"#12a":                              {goal: "#12a"},
		"-- #12":                            {goal: "#12"},
		"owner/repo#12":                     {source: "owner/repo#12"},
		"a/b#x":                             {goal: "a/b#x"},
		"a/b/c#1":                           {goal: "a/b/c#1"},
		"https://":                          {goal: "https://"},
		"--source o/r#1":                    {source: "o/r#1"},
		"--source=o/r#1 --base dev o/r#2 x": {goal: "o/r#2 x", source: "o/r#1", base: "dev"},
		"x --base dev --provider local --auto-pr": {goal: "x", base: "dev", provider: "local", auto: true},
		"x --source=o/r#1":                        {goal: "x", source: "o/r#1"},
		"explain --base":                          {goal: "explain --base"},
		"support --json":                          {goal: "support --json"},
		"support --json --indent":                 {goal: "support --json --indent"},
		"":                                        nil,
		"--auto-pr":                               nil,
		"--base dev":                              nil,
		"--base":                                  nil,
		"--source= x":                             nil,
		"--auto-pr=true x":                        nil,
		"--json x":                                nil,
		"--":                                      nil,
	} {
		req, err := parseGoal(args)
		if (err == nil) != (w != nil) {
			t.Errorf("%q: %+v, %v", args, req, err)
			continue
		}
		if err == nil {
			got := want{req.Goal, req.Source, req.Provider, req.Base, req.AutoPR}
			if got != *w {
				t.Errorf("%q: %+v", args, got)
			}
		}
	}
}

func FuzzParseGoal(f *testing.F) {
	f.Add("--auto-pr --source o/r#1 fix --base x")
	f.Fuzz(func(t *testing.T, args string) {
		if req, err := parseGoal(args); err == nil && req.Goal == "" && req.Source == "" {
			t.Error("a delivery without a goal")
		}
	})
}
