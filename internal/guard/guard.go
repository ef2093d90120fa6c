// Package guard judges what an agent is about to do: a shell command, a written
// file, a tool call, a push. It is pure. What it has to know about the repository
// and the delivery is passed in as a Situation, and nothing it says is a fact about
// what happened; what Git sends and what is in the tree is judged elsewhere, by
// others.
//
// Of several judgments about one call the strictest stands: deny before ask before
// allow before pass. Allow is about a whole call: beside a command that the guard
// has no opinion on, an allowed one makes the call no more than Pass.
package guard

import (
	"github.com/asterweave/asterweave/internal/document"
)

// Decision is what the guard says about a call, the strictest last.
type Decision int

// The decisions.
const (
	Pass  Decision = iota // no opinion: the client's own rules apply
	Allow                 // the model's own verbs and approved gates
	Ask                   // a person decides; unattended it is Deny
	Deny
)

// String returns the name of the decision.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	case Deny:
		return "deny"
	}
	return "pass"
}

// Verdict is a judgment.
type Verdict struct {
	Decision Decision
	Rule     string // one of the Rule constants; empty when there is no opinion
	Reason   string // what is wrong
	Hint     string // the next safe step
	Rewrite  string // the command that should run instead; the call is a plain gate
}

// The rules.
const (
	RuleForce      = "force"       // a push that rewrites
	RuleDelete     = "delete"      // a branch, tag or other ref goes away
	RuleBase       = "base"        // a push to the base, the trunk or a protected branch
	RuleBranch     = "branch"      // a push of anything but the delivery's branch
	RuleConfirm    = "confirm"     // an external write that no person confirmed
	RuleHooks      = "hooks"       // a way around Git's hooks
	RuleConfig     = "config"      // Git's configuration or environment is steered
	RulePlumbing   = "plumbing"    // refs or objects past the commands that are judged
	RuleSkip       = "skip"        // checks are skipped
	RuleDiscard    = "discard"     // work is thrown away
	RuleProvider   = "provider"    // a write at the provider
	RuleState      = "state"       // the state of deliveries
	RuleClient     = "client"      // the client's own folder
	RuleGitFolder  = "git-folder"  // Git's own folder and configuration files
	RuleHuman      = "human"       // a word that only a person can say
	RuleMarker     = "marker"      // the variables that say who is speaking
	RuleTerminal   = "terminal"    // a terminal is allocated
	RuleAgents     = "agents"      // an agent is started, or a prompt is scheduled, or an agent that judges does more
	RuleWorktree   = "worktree"    // another worktree or a nested repository
	RuleElsewhere  = "elsewhere"   // a push from another repository
	RuleInline     = "inline-code" // code in a word that names what is guarded
	RuleUnresolved = "unresolved"  // nobody can tell what it does
	RuleScope      = "scope"       // the node's write policy
	RuleVerb       = "verb"        // a verb of the model
	RuleGate       = "gate"        // an approved gate
)

// Policy is what the node may change in the work tree; the values are the graph's.
type Policy string

// The policies. PolicyNone is no opinion; all but scope and tests let nothing be written.
const (
	PolicyNone      Policy = ""
	PolicyNothing   Policy = "nothing"
	PolicyReadOnly  Policy = "read-only"
	PolicyStateOnly Policy = "state-only"
	PolicyScope     Policy = "scope"
	PolicyTests     Policy = "tests"
	PolicyAsEntry   Policy = "as-entry"
)

// Confirmed is a push and pull request that a person said yes to.
type Confirmed struct {
	Head     string // commit
	Title    string
	BodyPath string // full path of the file with the body
	Body     string // its text; empty when it is not known
	Base     string
	URLs     []string // addresses that the push goes to; empty when they are not known
}

// Situation is what a judgment rests on. Paths are full and clean, with links
// resolved; an empty field is not known.
type Situation struct {
	Root      string // of the worktree
	Cwd       string // of the call
	GitDir    string // of the worktree
	CommonDir string // of the repository
	StateDir  string
	Home      string
	Paths     []string // more paths that nobody writes: the running plugin and its programs, the client's own folder

	// Transcripts are folders and files of conversations, which agents that judge do not read.
	Transcripts []string

	Branch    string   // of the delivery
	Current   string   // that is checked out; Branch where it is empty
	Base      string   // branch that the delivery goes to
	Trunk     string   // default branch of the remote
	Protected []string // more branches that nobody pushes to
	Remote    string   // name of the delivery's remote
	RemoteURL string
	PushTo    string // name of the remote that Git says it pushes to, for Push
	PushURL   string // its address, for Push, written like Confirmed.URLs

	Confirmed *Confirmed  // nil: no push is confirmed
	Writes    []Write     // replies and updates that a person confirmed
	Allowed   []Allowance // what a person lets through now

	Gates    []document.Gate // in force
	Ended    bool            // the delivery is done or aborted: only verbs that look are the model's
	Attended bool            // a person is there and can be asked
	FoldCase bool            // A and a are one name on this disk
	Aliases  map[string]string

	Policy Policy
	Scope  document.Scope

	AgentType string // of the subagent whose call it is; empty in the conversation

	// IsFile reports whether there is a file or folder at a full path. It tells the
	// paths of git checkout from its branches; nil: told from the looks of the name.
	IsFile func(path string) bool
}

// settle drops what a person let through for any command, and turns a question that
// nobody is there to answer into a refusal.
func (s *Situation) settle(v Verdict) Verdict {
	if s.lets(v.Rule, "") {
		return Verdict{}
	}
	if v.Decision == Ask && !s.Attended {
		v.Decision = Deny
		v.Reason += ", and nobody is there to be asked"
	}
	return v
}

// current is the branch that is checked out.
func (s *Situation) current() string {
	if s.Current != "" {
		return s.Current
	}
	return s.Branch
}

func deny(rule, reason, hint string) Verdict {
	return Verdict{Decision: Deny, Rule: rule, Reason: reason, Hint: hint}
}

func ask(rule, reason, hint string) Verdict {
	return Verdict{Decision: Ask, Rule: rule, Reason: reason, Hint: hint}
}

func unresolved(what string) Verdict {
	return ask(RuleUnresolved, what+" cannot be told before it runs", "write the words out, without what is computed")
}
