package guard

import (
	"strings"
	"testing"
)

func announcedSetting() Situation {
	s := setting()
	s.RemoteURL = "https://github.com/o/r.git"
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
		"cd /w/work/src && gh issue comment 7 -b 'a word'",
		"GH_PROMPT_DISABLED=1 GH_PAGER=cat gh issue comment 7 -b 'a word'",
		"timeout 60 gh issue comment 7 -b 'a word' && asterweave-state read work-item",
		"gh issue close 7 --comment done",
		"gh issue close 7 -c done --reason completed",
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
		"mcp__github__add_reply_to_pull_request_comment": `{"owner":"O","repo":"r","pullNumber":12,"commentId":77,"body":"fixed in abc"}`,
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
		"gh pr comment 12 --body 'something else' --body 'fixed in abc'",
		"GH_REPO=o/other gh pr comment 12 --body 'fixed in abc'",
		"GH_HOST=evil.example gh pr comment 12 --body 'fixed in abc'",
		"GH_CONFIG_DIR=/tmp/x gh pr comment 12 --body 'fixed in abc'",
		"GH_TOKEN=x gh pr comment 12 --body 'fixed in abc'",
		"export GH_REPO=o/other; gh pr comment 12 --body 'fixed in abc'",
		"export GH_REPO; gh pr comment 12 --body 'fixed in abc'; GH_REPO=o/other; gh issue comment 7 -b 'a word'",
		"declare -x GH_REPO=o/other; gh pr comment 12 --body 'fixed in abc'",
		"env GH_REPO=o/other gh issue comment 7 -b 'a word'",
		"env -i gh issue comment 7 -b 'a word'",
		"https_proxy=http://127.0.0.1:1 gh issue comment 7 -b 'a word'",
		"PATH=/tmp/x:$PATH gh issue comment 7 -b 'a word'",
		"cd /elsewhere && gh pr comment 12 --body 'fixed in abc'",
		"(cd ../other; gh issue comment 7 -b 'a word')",
		"cd \"$D\"; gh issue comment 7 -b 'a word'",
		"gh pr comment 12 --body 'fixed in abc'; gh pr comment 12 --body 'fixed in abc'",
		"gh pr comment 12 --body 'fixed in abc' || gh pr comment 12 --body 'fixed in abc'",
		"for i in 1 2 3; do gh pr comment 12 --body 'fixed in abc'; done",
		"while true; do gh pr comment 12 --body 'fixed in abc'; done",
		"until gh pr comment 12 --body 'fixed in abc'; do sleep 1; done",
		"f() { gh pr comment 12 --body 'fixed in abc'; }; f; f",
		"seq 3 | xargs -I{} gh pr comment 12 --body 'fixed in abc'",
		"seq 3 | parallel gh issue comment 7 -b 'a word' --",
		"find . -exec gh issue comment 7 -b 'a word' ';'",
		"echo $(gh issue comment 7 -b 'a word')$(gh issue comment 7 -b 'a word')",
		"gh repo set-default o/other; gh issue comment 7 -b 'a word'",
		"az devops configure --defaults organization=https://dev.azure.com/evil",
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
		"az boards work-item update --id 43 --id 42 --state 'In Review'",
		"az boards work-item update --id 42 --state Closed --state 'In Review'",
		"AZURE_DEVOPS_EXT_PAT=x az boards work-item update --id 42 --state 'In Review'",
		"gh issue close 7 --comment done --reason 'not planned'",
		"gh issue close 7 --comment done -r duplicate",
		"gh api repos/o/p/pulls/12/comments/77/replies -f body='fixed in abc'",
		"GH_REPO=o/x gh api 'repos/{owner}/{repo}/pulls/12/comments/77/replies' -f body='fixed in abc'",
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
		{"mcp__github__update_issue_comment", `{"owner":"o","repo":"r","issue_number":7,"body":"a word"}`},
		{"mcp__github__delete_issue_comment", `{"owner":"o","repo":"r","issue_number":7,"comment":"a word"}`},
		{"mcp__github__update_pull_request_comment", `{"owner":"o","repo":"r","pullNumber":12,"commentId":77,"body":"fixed in abc"}`},
		{"mcp__github__delete_comment", `{"commentId":77,"body":"fixed in abc"}`},
		{"mcp__github__add_issue_comment", `{"issue_number":7,"body":"a word"}`},
		{"mcp__github__add_issue_comment", `{"owner":"o","repo":"r","issue_number":7.4,"body":"a word"}`},
		{"mcp__github__add_issue_comment", `{"owner":"o","repo":"r","Owner":"x","issue_number":7,"body":"a word"}`},
		{"mcp__ado__resolve_comment", `{"threadId":77,"pullRequestId":12,"content":"fixed in abc"}`},
		{"mcp__ado__repo_reply_to_comment", `{"repositoryId":"other","threadId":77,"content":"fixed in abc"}`},
	} {
		if v := s.Tool(in.tool, []byte(in.input)); v.Decision < Ask {
			t.Errorf("%s %s is let through", in.tool, in.input)
		}
	}
}

// What the tool takes for the repository by itself has to be the one that the write goes to.
func TestAConfirmedWriteToAnotherRepository(t *testing.T) {
	s := announcedSetting()
	for _, url := range []string{"https://github.com/o/other.git", "git@github.com:alice/r.git", "/w/r.git", ""} {
		s.RemoteURL = url
		for _, command := range []string{"gh pr comment 12 --body 'fixed in abc'", "gh issue comment 7 -b 'a word'", "gh issue close 7 --comment done"} {
			if v := s.Shell(command); v.Decision < Ask {
				t.Errorf("%s at %s is let through", command, url)
			}
		}
	}
	for _, url := range []string{"git@github.com:o/r.git", "ssh://git@github.com/o/r", "https://github.com/O/R/"} {
		s.RemoteURL = url
		if v := s.Shell("gh pr comment 12 --body 'fixed in abc'"); v.Decision >= Ask {
			t.Errorf("at %s: %+v", url, v)
		}
	}
}

// A confirmed pull request is opened where it was confirmed, and from there.
func TestAConfirmedPullRequestElsewhere(t *testing.T) {
	s := announcedSetting()
	s.Confirmed.Body = "text"
	const create = "gh pr create --title t --body-file ../body.md"
	for command, through := range map[string]bool{
		create:                               true,
		create + " --head asterweave/x":      true,
		create + " --head o:asterweave/x":    true,
		create + " --draft":                  true,
		create + " --head evil:asterweave/x": false,
		"GH_REPO=evil/r " + create:           false,
		"GH_HOST=evil.example " + create:     false,
		"cd /elsewhere && gh pr create --title t --body-file /w/body.md": false,
		"export GH_REPO=evil/r; " + create:                               false,
		"GH_CONFIG_DIR=/tmp/x " + create:                                 false,
		create + " --base dev":                                           false,
		create + " --repo evil/r":                                        false,
		"gh repo set-default evil/r && " + create:                        false,
	} {
		if v := s.Shell(command); v.Decision < Ask != through {
			t.Errorf("%s: %+v", command, v)
		}
	}
	for in, through := range map[string]bool{
		`{"owner":"o","repo":"r","title":"t","body":"text","head":"asterweave/x","base":"main"}`:      true,
		`{"owner":"evil","repo":"r","title":"t","body":"text","head":"asterweave/x","base":"main"}`:   false,
		`{"owner":"o","repo":"r","title":"t","body":"text","head":"asterweave/x","base":"dev"}`:       false,
		`{"owner":"o","repo":"r","title":"t","body":"text","head":"evil:asterweave/x","base":"main"}`: false,
	} {
		if v := s.Tool("mcp__github__create_pull_request", []byte(in)); v.Decision < Ask != through {
			t.Errorf("%s: %+v", in, v)
		}
	}
}

// An answer in a review thread of GitHub is a mutation, and the only one.
func TestAConfirmedAnswerInAThread(t *testing.T) {
	const at = "/w/work/.claude/asterweave/artifacts/"
	s := announcedSetting()
	s.Writes[0].Target = "PRRT_1"
	const query = `-f query='mutation($thread: ID!, $body: String!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $thread, body: $body}) { comment { url } } }'`
	for _, attended := range []bool{true, false} {
		s.Attended = attended
		for command, through := range map[string]bool{
			"gh api graphql " + query + " -f thread=PRRT_1 -F body=@" + at + "a1":                                                                                             true,
			"gh api graphql " + strings.ReplaceAll(query, " { ", " {\n  ") + " -f thread=PRRT_1 -f body='fixed in abc'":                                                       true,
			"gh api graphql " + query + " -f thread=PRRT_2 -F body=@" + at + "a1":                                                                                             false,
			"gh api graphql " + query + " -f thread=PRRT_1 -F body=@" + at + "a2":                                                                                             false,
			"gh api graphql " + query + " -f thread=PRRT_1 -f body=@" + at + "a1":                                                                                             false,
			"gh api graphql " + query + " -F thread=PRRT_1 -F body=@" + at + "a1":                                                                                             false,
			"gh api graphql " + query + " -f thread=PRRT_1 -f body='other'":                                                                                                   false,
			"gh api graphql " + query + " -f thread=PRRT_1 -f body='fixed in abc' --hostname evil.example":                                                                    false,
			"gh api graphql " + query + " -f thread=PRRT_1 -f thread=PRRT_1 -f body='fixed in abc'":                                                                           false,
			"GH_HOST=evil.example gh api graphql " + query + " -f thread=PRRT_1 -f body='fixed in abc'":                                                                       false,
			"gh api graphql " + strings.Replace(query, "ThreadReply(", "ThreadReplx(", 1) + " -f thread=PRRT_1 -f body='fixed in abc'":                                        false,
			"gh api graphql " + strings.Replace(query, "{ url }", "{ url } } mergePullRequest(input: {}) { clientMutationId", 1) + " -f thread=PRRT_1 -f body='fixed in abc'": false,
			"gh api graphql " + strings.Replace(query, "'mutation", "\"mutation", 1) + "\" -f thread=PRRT_1 -f body='fixed in abc'":                                           false,
			"gh api graphql " + query + " -f thread=PRRT_1 -f body='fixed in abc'; gh api graphql " + query + " -f thread=PRRT_1 -f body='fixed in abc'":                      false,
		} {
			if v := s.Shell(command); v.Decision < Ask != through {
				t.Errorf("%s: %+v", command, v)
			}
		}
	}
}
