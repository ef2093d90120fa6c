package guard

import "testing"

// A payload of the client reaches the hook program through nothing that an agent runs,
// whatever it is called and whatever the environment is.
func TestEventsOfTheClient(t *testing.T) {
	s := setting()
	for _, c := range []struct {
		command string
		want    Decision
	}{
		{`cat p.json | env -i PATH="$PATH" sh /plugin/hooks/run.sh user-prompt-expansion`, Deny},
		{`bash hooks/run.sh subagent-stop < p.json`, Deny},
		{`E=user-prompt-expansion; sh run.sh $E < p.json`, Deny},
		{`. run.sh post-tool-use`, Deny},
		{`/plugin/hooks/run.sh user-prompt-expansion < p.json`, Deny},
		{`timeout 5 /tmp/h UserPromptExpansion < p.json`, Deny},
		{`grep -rn user-prompt-expansion plugin`, Pass},
		{`rg subagent-stop`, Pass},
		{`sh scripts/build.sh stop`, Pass},
		{`docker stop db`, Pass},
	} {
		if v := s.Shell(c.command); v.Decision != c.want || v.Decision == Deny && v.Rule != RuleHuman {
			t.Errorf("%s: %s %s", c.command, v.Decision, v.Reason)
		}
	}
}
