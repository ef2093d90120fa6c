// Package document holds the shapes of the documents that people and models
// write (spec, plan, manifest, review, submission) and the checks that a schema
// cannot express. It is pure: paths are checked against sets that are passed in.
package document

import "time"

// Limits of documents, in bytes and entries.
const (
	MaxBytes         = 1 << 20  // any document
	MaxManifestBytes = 32 << 10 // context-manifest.json
	MaxManifestPaths = 200
)

// Spec is spec.json: the task and its acceptance criteria; declarations only.
type Spec struct {
	Version  int         `json:"version"`
	Task     Task        `json:"task"`
	Criteria []Criterion `json:"criteria"`
}

// Task describes what is to be delivered.
type Task struct {
	Summary     string    `json:"summary"`
	Constraints []string  `json:"constraints,omitzero"`
	OutOfScope  []string  `json:"outOfScope,omitzero"`
	Decisions   []string  `json:"decisions,omitzero"`
	Assumptions []string  `json:"assumptions,omitzero"`
	Dropped     []Dropped `json:"dropped,omitempty"`
}

// Dropped says why a part of the task text has no criterion.
type Dropped struct {
	Ref     string `json:"ref"`
	Because string `json:"because"`
}

// Criterion is one acceptance proposition.
type Criterion struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Hardness  string   `json:"hardness"` // HARD or SOFT
	Verify    string   `json:"verify"`   // free text; "human" means that a human judges it
	Refs      []string `json:"refs,omitempty"`
	Questions []string `json:"questions,omitempty"`
}

// Hardness of a criterion.
const (
	Hard = "HARD"
	Soft = "SOFT"
)

// VerifyHuman is the one value of Criterion.Verify that means something.
const VerifyHuman = "human"

// Plan is plan.json.
type Plan struct {
	Version          int               `json:"version"`
	Summary          string            `json:"summary"`
	Scope            Scope             `json:"scope"`
	Tasks            []PlanTask        `json:"tasks"`
	Gates            []Gate            `json:"gates"`
	NotApplicable    []NotApplicable   `json:"notApplicable,omitempty"`
	BaselineFailures []BaselineFailure `json:"baselineFailures,omitempty"`
	RemovedTests     []string          `json:"removedTests,omitempty"`
	WorkItem         *WorkItem         `json:"workItem,omitempty"`
	Risks            []string          `json:"risks"`
	Rollback         string            `json:"rollback"`
	Answers          []Answer          `json:"answers,omitempty"`
}

// Scope lists the globs (doublestar, rooted at the work tree) that a delivery may change.
type Scope struct {
	Write   []string `json:"write"`
	Tests   []string `json:"tests,omitzero"`
	Scratch []string `json:"scratch,omitempty"` // left behind by runs; not part of the tree
}

// PlanTask is one step of the plan.
type PlanTask struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	DependsOn []string `json:"dependsOn,omitempty"`
	Criteria  []string `json:"criteria,omitempty"`
	Paths     []string `json:"paths,omitempty"`
}

// Gate is a command that must pass.
type Gate struct {
	ID       string            `json:"id"`
	Kind     string            `json:"kind"` // build, static, unit-test, integration-test, acceptance, scan
	Argv     []string          `json:"argv,omitempty"`
	Shell    string            `json:"shell,omitempty"`
	Timeout  string            `json:"timeout,omitempty"` // Go duration; default DefaultTimeout
	Inputs   []string          `json:"inputs,omitempty"`  // globs; without them any change ends currency
	Tools    [][]string        `json:"tools,omitempty"`   // commands whose output names tool versions
	Criteria []string          `json:"criteria,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	Counts   string            `json:"counts,omitempty"`  // "exit": unknown counts are accepted
	Capture  string            `json:"capture,omitempty"` // full, counts, none; default full
	Report   *Report           `json:"report,omitempty"`
}

// Report is a file that a runner writes its results to.
type Report struct {
	Format string `json:"format"` // junit or tap
	Path   string `json:"path"`
}

// DefaultTimeout ends a gate that names none.
const DefaultTimeout = 10 * time.Minute

// Duration returns the gate's timeout; an unreadable one is the default, since
// the checks refuse it before it is stored.
func (g Gate) Duration() time.Duration {
	if d, err := time.ParseDuration(g.Timeout); err == nil && d > 0 {
		return d
	}
	return DefaultTimeout
}

// NotApplicable says why a test kind has no gate of its own, and which gate covers its risk.
// Kind "baseline" says why no gate has the argv of the baseline.
type NotApplicable struct {
	Kind    string `json:"kind"`
	Because string `json:"because"`
	Instead string `json:"instead"`
}

// BaselineFailure calls a test that failed before the change "fix" or "known".
type BaselineFailure struct {
	Test string `json:"test"`
	Is   string `json:"is"`
}

// WorkItem is the end state that the plan wants for the work item.
type WorkItem struct {
	State string `json:"state"`
}

// Answer says how the plan respects a steer.
type Answer struct {
	Steer string `json:"steer"`
	How   string `json:"how"`
}

// Manifest is context-manifest.json: what analyze found, for later nodes.
type Manifest struct {
	Version  int      `json:"version"`
	Task     string   `json:"task"`
	Source   string   `json:"source,omitempty"`
	Rules    []string `json:"rules,omitempty"`
	Specs    []string `json:"specs,omitempty"`
	Files    []string `json:"files,omitempty"`
	Tests    []string `json:"tests,omitempty"`
	Affected []string `json:"affected,omitempty"`
	Flow     string   `json:"flow,omitempty"`
	Commands Commands `json:"commands"`
	Notes    string   `json:"notes,omitempty"`
}

// Commands are command lines as a developer types them.
type Commands struct {
	Build string `json:"build,omitempty"`
	Test  string `json:"test,omitempty"`
}

// Paths returns every path that the manifest lists.
func (m Manifest) Paths() []string {
	var out []string
	for _, l := range [][]string{m.Rules, m.Specs, m.Files, m.Tests, m.Affected} {
		out = append(out, l...)
	}
	return out
}

// Review is the fenced block that a reviewer ends with.
type Review struct {
	Version  int       `json:"version"`
	Kind     string    `json:"kind"`    // code-review or security-review
	Verdict  string    `json:"verdict"` // pass or fail
	Tree     string    `json:"tree"`
	Summary  string    `json:"summary"`
	Resolved []string  `json:"resolved,omitempty"`
	Findings []Finding `json:"findings"`
}

// Finding is one defect that a reviewer saw.
type Finding struct {
	Severity string `json:"severity"` // Critical, High, Medium, Low
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"`
	Title    string `json:"title"`
	Detail   string `json:"detail,omitempty"`
}

// Severe reports whether an open finding of this severity shuts the review gate.
func (f Finding) Severe() bool { return f.Severity == "Critical" || f.Severity == "High" }

// Submission is one structured result for a node, applied all or nothing.
type Submission struct {
	Outcome   string         `json:"outcome,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Documents Documents      `json:"documents,omitzero"`
	Records   []RecordInput  `json:"records,omitempty"`
	Verdicts  []VerdictInput `json:"verdicts,omitempty"`
}

// Documents of a submission; each is optional.
type Documents struct {
	Spec     *Spec     `json:"spec,omitempty"`
	Plan     *Plan     `json:"plan,omitempty"`
	Manifest *Manifest `json:"manifest,omitempty"`
	Triage   *Triage   `json:"triage,omitempty"`
}

// RecordInput has the fields of the flags of `record`.
type RecordInput struct {
	Kind     string   `json:"kind"`
	Result   string   `json:"result"`
	Summary  string   `json:"summary"`
	Path     string   `json:"path,omitempty"`
	Criteria []string `json:"criteria,omitempty"`
	Because  string   `json:"because,omitempty"`
	Instead  string   `json:"instead,omitempty"`
}

// VerdictInput has the fields of the flags of `spec judge`.
type VerdictInput struct {
	ID       string   `json:"id"`
	Verdict  string   `json:"verdict"` // pass or fail
	Expected string   `json:"expected"`
	Evidence []string `json:"evidence"`
}

// Config is the file at [ConfigPath]; it can tighten, never loosen.
type Config struct {
	Version        int              `json:"version"`
	Provider       string           `json:"provider,omitempty"`
	Base           string           `json:"base,omitempty"`
	Test           []string         `json:"test,omitempty"`
	Routes         map[string]Route `json:"routes,omitempty"`
	Gates          []Gate           `json:"gates,omitempty"`
	RequiredChecks []string         `json:"requiredChecks,omitempty"`
	Redact         []string         `json:"redact,omitempty"` // regular expressions (RE2)
	Budgets        map[string]int   `json:"budgets,omitempty"`
	Approvals      []string         `json:"approvals,omitempty"` // client, terminal, provider
	Unsigned       string           `json:"unsigned,omitempty"`  // allow or refuse
}

// Route puts a project's agent and skills in front of a node.
type Route struct {
	Agent  string   `json:"agent,omitempty"`
	Skills []string `json:"skills,omitempty"`
}
