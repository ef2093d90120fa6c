package guard

import "testing"

func announcedSetting() Situation {
	s := setting()
	dir := s.StateDir + "/artifacts/"
	s.Writes = []Write{
		{Kind: WriteReply, Target: "77", Text: "fixed in abc\n", Path: dir + "a1", Repo: "o/r", Item: "7", Pull: "12"},
		{Kind: WriteWorkItem, State: "closed", Text: "done", Path: dir + "a2", Repo: "o/r", Item: "7", Pull: "12"},
		{Kind: WriteWorkItem, Text: "a word", Path: dir + "a3", Repo: "o/r", Item: "7", Pull: "12"},
		{Kind: WriteWorkItem, State: "In Review", Repo: "o/p", Item: "42"},
	}
	return s
}

func TestAConfirmedWriteIsLetThrough(t *testing.T) {
	const at = "/w/work/.claude/asterweave/artifacts/"
	s := announcedSetting()
	for _, command := range []string{
		"gh pr comment 12 --body 'fixed in abc'",
		"gh pr comment 12 --body-file " + at + "a1",
		"gh pr comment 12 -F .claude/asterweave/artifacts/a1",
		"gh api repos/o/r/pulls/12/comments/77/replies -f body='fixed in abc'",
		"gh api --method POST repos/o/r/pulls/12/comments/77/replies -F body=@" + at + "a1",
		"gh api 'repos/{owner}/{repo}/pulls/12/comments/77/replies' -F body=@" + at + "a1",
		"gh issue comment 7 -b 'a word'",
		"gh issue close 7 --comment done",
		"az boards work-item update --id 42 --state 'in review'",
	} {
		if v := s.Shell(command); v.Decision >= Ask {
			t.Errorf("%s: %s, %s, %s", command, v.Decision, v.Rule, v.Reason)
		}
		none := s
		none.Writes = nil
		if v := none.Shell(command); v.Decision < Ask {
			t.Errorf("%s is let through although nothing is confirmed", command)
		}
	}
	for tool, in := range map[string]string{
		"mcp__github__add_issue_comment":                 `{"owner":"o","repo":"r","issue_number":7,"body":"a word"}`,
		"mcp__github__add_reply_to_pull_request_comment": `{"owner":"o","repo":"r","pullNumber":12,"commentId":77,"body":"fixed in abc"}`,
		"mcp__ado__repo_reply_to_comment":                `{"pullRequestId":12,"threadId":77,"content":"fixed in abc"}`,
	} {
		if v := s.Tool(tool, []byte(in)); v.Decision != Pass {
			t.Errorf("%s: %+v", tool, v)
		}
	}
}

func TestAnotherWriteThanTheConfirmedIsNot(t *testing.T) {
	const at = "/w/work/.claude/asterweave/artifacts/"
	s := announcedSetting()
	for _, command := range []string{
		"gh pr comment 12 --body 'fixed in abd'", // another text
		"gh pr comment 13 --body 'fixed in abc'", // another place
		"gh pr comment 12 --body-file a1",        // another file
		"gh pr comment 12 --body-file " + at + "a2",
		"gh pr comment 12 --body 'fixed in abc' -R o/other",
		"gh pr comment 12 --body 'fixed in abc' --edit-last",
		"gh pr comment 12 --body 'fixed in abc'; gh pr merge 12",
		"gh pr comment 12 --body \"$TEXT\"",
		"gh pr merge 12 --body 'fixed in abc'",
		"gh pr review 12 --approve --body 'fixed in abc'",
		"gh api repos/o/r/pulls/12/comments/78/replies -f body='fixed in abc'",
		"gh api repos/o/other/pulls/12/comments/77/replies -f body='fixed in abc'",
		"gh api repos/o/r/pulls/12/comments/77/replies -f body='fixed in abc' -f more=x",
		"gh api -X DELETE repos/o/r/pulls/12/comments/77/replies -f body='fixed in abc'",
		"gh api repos/o/r/pulls/12/comments/77/replies --input x.json",
		"gh api repos/o/r/pulls/12/merge -f body='fixed in abc'",
		"gh issue comment 7 -b done", // it was confirmed with the state
		"gh issue comment 8 -b 'a word'",
		"gh issue close 7",
		"gh issue close 7 --comment other",
		"gh issue close 8 --comment done",
		"gh issue reopen 7 --comment done",
		"gh issue delete 7 --comment done",
		"az boards work-item update --id 42 --state Done",
		"az boards work-item update --id 43 --state 'In Review'",
		"az boards work-item update --id 42 --state 'In Review' --assigned-to me",
		"az boards work-item update --id 42 --state 'In Review' --org https://dev.azure.com/other",
		"az boards work-item update --id 42 --state 'In Review' --discussion more",
		"az repos pr update --id 42 --status completed",
	} {
		if v := s.Shell(command); v.Decision < Ask {
			t.Errorf("%s is let through", command)
		}
	}
	for _, in := range []struct{ tool, input string }{
		{"mcp__github__add_issue_comment", `{"owner":"o","repo":"r","issue_number":7,"body":"another word"}`},
		{"mcp__github__add_issue_comment", `{"owner":"o","repo":"x","issue_number":7,"body":"a word"}`},
		{"mcp__github__add_issue_comment", `{"owner":"o","repo":"r","issue_number":8,"body":"a word"}`},
		{"mcp__github__add_issue_comment", `{"owner":"o","repo":"r","issue_number":7,"body":"a word","state":"closed"}`},
		{"mcp__github__add_reply_to_pull_request_comment", `{"owner":"o","repo":"r","pullNumber":12,"commentId":78,"body":"fixed in abc"}`},
		{"mcp__github__merge_pull_request", `{"owner":"o","repo":"r","pullNumber":12,"comment":"fixed in abc"}`},
	} {
		if v := s.Tool(in.tool, []byte(in.input)); v.Decision < Ask {
			t.Errorf("%s %s is let through", in.tool, in.input)
		}
	}
}
