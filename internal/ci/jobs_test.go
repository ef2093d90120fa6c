package ci_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/ci"
	"github.com/asterweave/asterweave/internal/provider/contract"
	"github.com/asterweave/asterweave/internal/scripted"
)

const (
	notes = "refs/notes/asterweave"
	// unread are the checks that need a provider, which no test here has.
	unread = "pull-request checks\nreviews  protection"
)

// delivered is a remote that a delivery was made on, with what a provider adds to it.
type delivered struct {
	t      *testing.T
	remote string // bare
	temp   string // RUNNER_TEMP of all runs, with the program that the first of them builds
	head   string
	old    string // the commit before it
	merge  string // test merge
	group  string // merge of a queue
}

func (d delivered) git(dir string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Dev", "-c", "user.email=dev@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// deliver makes a delivery with the real programs.
func deliver(t *testing.T) delivered {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/asterweave-state", "./cmd/asterweave-hook")
	build.Dir = repository(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	t.Setenv("TMPDIR", t.TempDir())
	demo := scripted.Demo{Source: filepath.Join(repository(t), "examples", "refunds"), Programs: bin, Environ: os.Environ(), Out: io.Discard}
	got, err := demo.Run(t.Context())
	if err != nil || got.Status != "done" {
		t.Fatalf("the delivery is %s at %s: %v", got.Status, got.Node, err)
	}
	d := delivered{t: t, remote: got.Remote, temp: t.TempDir()}
	work := filepath.Join(t.TempDir(), "work")
	d.git(".", "clone", "--quiet", d.remote, work)
	d.head = d.git(got.Root, "rev-parse", "HEAD")
	d.old = d.git(got.Root, "rev-parse", "HEAD^")
	for _, into := range []*string{&d.merge, &d.group} {
		d.git(work, "checkout", "--quiet", "--detach", "origin/main")
		d.git(work, "merge", "--quiet", "--no-ff", "-m", "a merge", d.head)
		*into = d.git(work, "rev-parse", "HEAD")
	}
	d.git(work, "push", "--quiet", "origin", d.head+":refs/pull/104/head", d.merge+":refs/pull/104/merge", d.group+":refs/heads/gh-readonly-queue/main/pr-104-"+d.group)
	return d
}

// copied returns the delivery on another remote.
func (d delivered) copied(t *testing.T) delivered {
	t.Helper()
	d.t = t
	to := filepath.Join(t.TempDir(), "copy.git")
	d.git(".", "clone", "--quiet", "--mirror", d.remote, to)
	d.remote = to
	return d
}

// checkout clones as actions/checkout does, at a ref or commit.
func (d delivered) checkout(dir, at string, depth ...string) {
	d.t.Helper()
	d.git(".", "init", "--quiet", dir)
	d.git(dir, "remote", "add", "origin", "file://"+d.remote)
	d.git(dir, append(append([]string{"fetch", "--quiet"}, depth...), "origin", at)...)
	d.git(dir, "checkout", "--quiet", "--detach", "FETCH_HEAD")
}

// machine is the environment that a runner has besides its own variables.
func machine(t *testing.T) []string {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LANG=C.UTF-8"}
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOTOOLCHAIN").Output()
	var settings map[string]string
	if err == nil {
		err = json.Unmarshal(out, &settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	return env
}

// payloadOf reads a payload of testdata and puts the delivery's own commits into it.
func (d delivered) payloadOf(file string) []byte {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		d.t.Fatal(err)
	}
	for digit, commit := range map[string]string{"1": d.head, "4": d.old, "3": d.group, "2": d.merge} {
		b = bytes.ReplaceAll(b, []byte(strings.Repeat(digit, 40)), []byte(commit))
	}
	return b
}

// pending leaves out to build what was built: all runs here share one temporary folder.
func (d delivered) pending(steps []step) []step {
	d.t.Helper()
	if _, err := os.Stat(filepath.Join(d.temp, "asterweave", "asterweave-state")); err != nil {
		return steps
	}
	rest := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return strings.Contains(s.script(), "build.sh") })
	if len(rest) != len(steps)-1 {
		d.t.Fatalf("%d of %d steps build", len(steps)-len(rest), len(steps))
	}
	return rest
}

// onGitHub runs the action for an event.
func (d delivered) onGitHub(workspace, event string, payload []byte, inputs map[string]string) ran {
	d.t.Helper()
	var action struct {
		Inputs map[string]struct {
			Default string `yaml:"default"`
		} `yaml:"inputs"`
		Runs struct {
			Steps []step `yaml:"steps"`
		} `yaml:"runs"`
	}
	readYAML(d.t, ".github/actions/verify/action.yml", &action)
	path := filepath.Join(repository(d.t), ".github", "actions", "verify")
	files := d.t.TempDir()
	summary, eventPath := filepath.Join(files, "summary.md"), filepath.Join(files, "event.json")
	if err := os.WriteFile(eventPath, payload, 0o600); err != nil {
		d.t.Fatal(err)
	}
	r := runner{t: d.t, workspace: workspace, environ: append(
		machine(d.t), "CI=true", "GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME="+event, "GITHUB_EVENT_PATH="+eventPath, "GITHUB_STEP_SUMMARY="+summary,
		"GITHUB_OUTPUT="+filepath.Join(files, "output"), "GITHUB_ENV="+filepath.Join(files, "env"), "GITHUB_PATH="+filepath.Join(files, "path"),
		"GITHUB_WORKSPACE="+workspace, "GITHUB_ACTION_PATH="+path, "RUNNER_TEMP="+d.temp, "GITHUB_SHA="+d.merge, "GITHUB_REF=refs/pull/104/merge",
		"GITHUB_HEAD_REF="+lookup(payload, "pull_request.head.ref"), "GITHUB_RUN_ID=9000", "GITHUB_JOB=verify",
		"GITHUB_SERVER_URL=https://github.com", "GITHUB_REPOSITORY=acme/widgets",
	)}
	r.value = func(expression string) string {
		if name, ok := strings.CutPrefix(expression, "inputs."); ok {
			in, known := action.Inputs[name]
			if !known {
				d.t.Fatalf("there is no input %s", name)
			}
			if given, ok := inputs[name]; ok {
				return given
			}
			return r.expand(in.Default)
		}
		if path, ok := strings.CutPrefix(expression, "github.event."); ok {
			return lookup(payload, path)
		}
		switch expression {
		case "github.token":
			return "a-token"
		case "github.action_path":
			return path
		}
		d.t.Fatalf("the expression %q is not known", expression)
		return ""
	}
	got := r.run(d.pending(action.Runs.Steps))
	b, err := os.ReadFile(summary)
	if err == nil {
		got.summary = string(b)
	}
	if left, err := os.ReadFile(filepath.Join(files, "env")); err == nil {
		d.t.Errorf("a step changed the environment of others: %s", left)
	}
	if found := commands(ci.GitHub, got.stdout+"\n"+got.stderr); !only(found, "error", "warning") {
		d.t.Errorf("commands in the log: %q\n%s", found, got.stdout)
	}
	return got
}

func (d delivered) want(what string, got ran, status, errs, warnings int, says ...string) {
	d.t.Helper()
	log := got.stdout + "\n" + got.stderr
	if got.status != status || strings.Count(got.stdout, "\n::error ") != errs || strings.Count(got.stdout, "\n::warning ") != warnings {
		d.t.Errorf("%s: status %d, want %d, with %d errors and %d warnings:\n%s", what, got.status, status, errs, warnings, log)
	}
	for _, s := range says {
		if !strings.Contains(log, s) {
			d.t.Errorf("%s: nothing says %q:\n%s", what, s, log)
		}
	}
}

func (d delivered) at(dir, commit string) {
	d.t.Helper()
	if got := d.git(dir, "rev-parse", "HEAD"); got != commit {
		d.t.Errorf("the checkout is at %s and not at %s", got, commit)
	}
}

// TestJobs runs the steps of the ready jobs on clones of the remote of a real delivery.
// The remote is a folder, so that what a provider says is unknown.
func TestJobs(t *testing.T) {
	if os.Getenv(contract.Exhaust) == "" {
		t.Skip("it makes a delivery and verifies it many times: make jobs does")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here")
	}
	all := deliver(t)
	for name, run := range map[string]func(delivered){
		"pull request": jobPullRequest, "fork": jobFork, "no note": jobNoNote, "shallow": jobShallow, "merge group": jobMergeGroup, "run again": jobRunAgain,
		"workflow run": jobWorkflowRun, "refused": jobRefused, "hostile names": jobHostileNames, "azure": jobAzure, "azure by hand": jobAzureByHand,
	} {
		t.Run(name, func(t *testing.T) { run(all.copied(t)) })
	}
}

func with(pairs ...string) map[string]string {
	m := map[string]string{"path": "head", "allow-unknown": unread}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

func jobPullRequest(d delivered) {
	w := d.t.TempDir()
	dir := filepath.Join(w, "head")
	d.checkout(dir, "refs/pull/104/merge")
	d.at(dir, d.merge)
	payload := d.payloadOf("pull_request_synchronize.json")
	got := d.onGitHub(w, "pull_request", payload, with("rerun", "true"))
	d.want("the test merge is checked out", got, 0, 0, 4, "--allow-unknown protection")
	d.at(dir, d.head)
	if !strings.Contains(got.summary, "open, with 4 unknown let through") || !strings.Contains(got.summary, "| 🟢 open | rerun |") || !strings.Contains(got.summary, "gate that ran again") {
		d.t.Errorf("the summary:\n%s", got.summary)
	}
	got = d.onGitHub(w, "pull_request", payload, with("allow-unknown", ""))
	d.want("nothing is let through", got, 3, 0, 4)
	if !strings.Contains(got.summary, "not every check is open") || strings.Contains(got.summary, "gate that ran again") {
		d.t.Errorf("the summary:\n%s", got.summary)
	}
	d.want("a name that is none", d.onGitHub(w, "pull_request", payload, with("allow-unknown", "everything")), 64, 0, 0, `no check "everything"`)
}

// The notes of a fork's pull request lie in the fork, and its branch and title are its
// author's to choose.
func jobFork(d delivered) {
	fork := d.copied(d.t)
	d.git(d.remote, "update-ref", "-d", notes)
	w := d.t.TempDir()
	d.checkout(filepath.Join(w, "head"), "refs/pull/104/merge")
	payload := bytes.ReplaceAll(d.payloadOf("pull_request_fork.json"), []byte(`"full_name": "someone/widgets",`), []byte(`"full_name": "someone/widgets", "clone_url": "`+fork.remote+`",`))
	if !bytes.Contains(payload, []byte(fork.remote)) || !bytes.Contains(payload, []byte("##vso[x]")) {
		d.t.Fatal("the payload is another one")
	}
	d.want("a fork", d.onGitHub(w, "pull_request", payload, with()), 0, 0, 4)
}

func jobNoNote(d delivered) {
	d.git(d.remote, "update-ref", "-d", notes)
	w := d.t.TempDir()
	d.checkout(filepath.Join(w, "head"), d.head)
	got := d.onGitHub(w, "pull_request", d.payloadOf("pull_request_opened.json"), with())
	d.want("there is no note", got, 3, 1, 0, "::error title=asterweave%3A bundle is shut", "has no note under "+notes)
	if !strings.Contains(got.summary, "| 🔴 shut | bundle |") {
		d.t.Errorf("the summary:\n%s", got.summary)
	}
}

func jobShallow(d delivered) {
	w := d.t.TempDir()
	dir := filepath.Join(w, "head")
	d.checkout(dir, "refs/pull/104/merge", "--depth=1")
	if d.git(dir, "rev-parse", "--is-shallow-repository") != "true" {
		d.t.Fatal("the clone is whole")
	}
	d.want("a shallow clone", d.onGitHub(w, "pull_request", d.payloadOf("pull_request_opened.json"), with()), 0, 0, 4)
	d.at(dir, d.head)
}

func jobMergeGroup(d delivered) {
	w := d.t.TempDir()
	dir := filepath.Join(w, "head")
	d.checkout(dir, d.group)
	d.want("a merge group", d.onGitHub(w, "merge_group", d.payloadOf("merge_group.json"), with()), 0, 0, 4)
	d.at(dir, d.head)
}

// A run that is started again has its old payload: no bundle is about that head.
func jobRunAgain(d delivered) {
	w := d.t.TempDir()
	d.checkout(filepath.Join(w, "head"), "refs/pull/104/merge")
	d.want("an old payload", d.onGitHub(w, "pull_request", d.payloadOf("pull_request_rerun.json"), with()), 3, 1, 0, "bundle is shut")
}

func jobWorkflowRun(d delivered) {
	w := d.t.TempDir()
	d.checkout(filepath.Join(w, "head"), "main")
	payload := d.payloadOf("workflow_run_fork.json")
	d.want("a workflow run", d.onGitHub(w, "workflow_run", payload, with()), 0, 0, 4)
	d.want("a workflow run, and the gates again", d.onGitHub(w, "workflow_run", payload, with("rerun", "true")), 3, 0, 0, "secrets")
}

func jobRefused(d delivered) {
	w := d.t.TempDir()
	d.checkout(filepath.Join(w, "head"), d.head)
	d.want("pull_request_target", d.onGitHub(w, "pull_request_target", d.payloadOf("pull_request_opened.json"), with()), 3, 0, 0, "pull_request_target")
}

// What an event names is checked before Git or the shell gets it.
func jobHostileNames(d delivered) {
	w := d.t.TempDir()
	dir, mark := filepath.Join(w, "head"), filepath.Join(w, "mark")
	d.checkout(dir, d.head)
	for _, name := range []string{"--upload-pack=touch " + mark, "$(touch " + mark + ")", "main\ntouch " + mark, "+main"} {
		quoted, err := json.Marshal(name)
		if err != nil {
			d.t.Fatal(err)
		}
		payload := `{"pull_request":{"head":{"sha":"` + d.head + `"},"base":{"ref":` + string(quoted) + `}}}`
		if got := d.onGitHub(w, "pull_request", []byte(payload), with()); got.status == 0 {
			d.t.Errorf("the base %q is verified:\n%s", name, got.stdout)
		}
		payload = `{"pull_request":{"head":{"sha":` + string(quoted) + `},"base":{"ref":"main"}}}`
		d.want("the head "+name, d.onGitHub(w, "pull_request", []byte(payload), with()), 1, 0, 0, "no commit")
		payload = `{"merge_group":{"base_ref":"refs/heads/main","head_ref":` + string(quoted) + `}}`
		d.want("the group "+name, d.onGitHub(w, "merge_group", []byte(payload), with()), 1, 0, 0, "names no pull request")
		payload = `{"pull_request":{"head":{"sha":"` + d.head + `","repo":{"clone_url":` + string(quoted) + `}},"base":{"ref":"main"}}}`
		d.want("the fork "+name, d.onGitHub(w, "pull_request", []byte(payload), with()), 1, 0, 0)
	}
	payload := `{"pull_request":{"head":{"sha":"` + d.head + `","repo":{"clone_url":"ext::sh -c touch% ` + mark + `"}},"base":{"ref":"main"}}}`
	d.want("a transport that runs something", d.onGitHub(w, "pull_request", []byte(payload), with()), 1, 0, 0)
	if _, err := os.Stat(mark); err == nil {
		d.t.Error("a name ran as a command")
	}
}

// onAzure runs the steps of the template.
func (d delivered) onAzure(build string, variables []string, parameters map[string]string) ran {
	d.t.Helper()
	var template struct {
		Parameters []struct{ Name, Default string }
		Steps      []step
	}
	readYAML(d.t, "examples/azure-pipelines/verify.yml", &template)
	defaults := map[string]string{}
	for _, p := range template.Parameters {
		defaults[p.Name] = p.Default
	}
	maps.Copy(defaults, parameters)
	r := runner{t: d.t, workspace: build, environ: append(
		machine(d.t), "TF_BUILD=True", "AGENT_TEMPDIRECTORY="+d.temp, "AGENT_BUILDDIRECTORY="+build, "BUILD_BUILDID=501", "BUILD_DEFINITIONNAME=widgets-verify",
		"BUILD_REPOSITORY_PROVIDER=TfsGit", "BUILD_REPOSITORY_URI=https://acme@dev.azure.com/acme/Widgets/_git/widgets", "BUILD_SOURCEVERSION="+d.merge,
	)}
	r.environ = append(r.environ, variables...)
	r.value = func(expression string) string {
		if name, ok := strings.CutPrefix(expression, "parameters."); ok {
			v, known := defaults[name]
			if !known {
				d.t.Fatalf("there is no parameter %s", name)
			}
			return v
		}
		switch expression {
		case "Agent.BuildDirectory":
			return build
		case "System.AccessToken":
			return "a-token"
		}
		d.t.Fatalf("the expression %q is not known", expression)
		return ""
	}
	got := r.run(d.pending(template.Steps))
	if b, err := os.ReadFile(filepath.Join(d.temp, "asterweave-501.md")); err == nil {
		got.summary = string(b)
	}
	if found := commands(ci.Azure, got.stdout+"\n"+got.stderr); !only(found, "task.logissue", "task.uploadsummary") {
		d.t.Errorf("commands in the log: %q\n%s", found, got.stdout)
	}
	return got
}

// building makes the folder of a build: self and asterweave beside each other.
func (d delivered) building(at string) (folder, head string) {
	d.t.Helper()
	folder = d.t.TempDir()
	head = filepath.Join(folder, "s", "head")
	d.checkout(head, at)
	if err := os.Symlink(repository(d.t), filepath.Join(folder, "s", "asterweave")); err != nil {
		d.t.Fatal(err)
	}
	return folder, head
}

func jobAzure(d delivered) {
	build, head := d.building("refs/pull/104/merge")
	variables := []string{
		"BUILD_REASON=PullRequest", "SYSTEM_PULLREQUEST_PULLREQUESTID=22", "SYSTEM_PULLREQUEST_SOURCECOMMITID=" + d.head,
		"SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/a\"$(id)##vso[task.complete result=Succeeded;]", "SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main",
	}
	got := d.onAzure(build, variables, map[string]string{"allowUnknown": unread, "rerun": "true"})
	issues := strings.Count(got.stdout, "##vso[task.logissue type=warning;")
	if got.status != 0 || issues != 4 || !strings.Contains(got.stdout, "##vso[task.uploadsummary]"+d.temp) || !strings.Contains(got.summary, "| 🟢 open | rerun |") {
		d.t.Errorf("status %d, %d issues:\n%s%s%s", got.status, issues, got.stdout, got.stderr, got.summary)
	}
	d.at(head, d.head)
	if got = d.onAzure(build, variables, nil); got.status != 3 || !strings.Contains(got.summary, "not every check is open") {
		d.t.Errorf("nothing is let through: status %d\n%s", got.status, got.stdout)
	}
}

// A run by hand has no pull request: the checkout's commit is the head.
func jobAzureByHand(d delivered) {
	build, _ := d.building(d.head)
	got := d.onAzure(build, []string{"BUILD_REASON=Manual"}, map[string]string{"allowUnknown": unread})
	if got.status != 0 {
		d.t.Errorf("status %d:\n%s%s", got.status, got.stdout, got.stderr)
	}
}
