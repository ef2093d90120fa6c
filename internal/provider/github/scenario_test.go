package github_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// exchange is a request of a scenario with its answer.
type exchange struct {
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Headers map[string]string `json:"headers"`
		Match   struct {
			Variables map[string]any `json:"variables"`
		} `json:"match"`
	} `json:"request"`
	Response struct {
		Status   int               `json:"status"`
		Headers  map[string]string `json:"headers"`
		Body     json.RawMessage   `json:"body"`
		BodyText *string           `json:"body_text"`
	} `json:"response"`
}

// scenario reads one of testdata/scenarios.
func scenario(t *testing.T, name string) []exchange {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "scenarios", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []exchange
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// asked is a request as the service saw it.
type asked struct {
	Method, Path, Operation, Authorization string
	Variables                              map[string]any
	IfNoneMatch                            string
}

// world answers with a scenario where it has an answer, else with a quiet background: one
// green pull request #7 of acme/widgets into main.
type world struct {
	t          *testing.T
	scenario   []exchange
	operations []string          // that the scenario answers; its other POSTs go to the background
	background map[string]string // by "METHOD path" or by operation
	override   map[string]string // what a row changes of it
	server     *httptest.Server  //
	other      *httptest.Server  // another host
	silent     bool              // answers of the background name no request
	fault      func(n int, w http.ResponseWriter, r *http.Request) bool
	mu         sync.Mutex
	seen       []asked
	strayed    []asked // requests that reached the other host
	used       map[int]int
}

const (
	head     = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
	other    = "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
	baseTip  = "c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3"
	merge    = "d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4"
	treeName = "9999999999999999999999999999999999999999"
	canary   = "ghp_CANARYcanaryCANARYcanaryCANARY0001"
)

func newWorld(t *testing.T, name string, operations ...string) *world {
	t.Helper()
	w := &world{t: t, operations: operations, background: background(), override: map[string]string{}, used: map[int]int{}}
	if name != "" {
		w.scenario = scenario(t, name)
	}
	w.other = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.strayed = append(w.strayed, asked{Method: r.Method, Path: r.URL.String(), Authorization: r.Header.Get("Authorization")})
	}))
	w.server = httptest.NewServer(w)
	t.Cleanup(func() { w.server.Close(); w.other.Close() })
	return w
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a := asked{Method: r.Method, Path: r.URL.RequestURI(), Authorization: r.Header.Get("Authorization"), IfNoneMatch: r.Header.Get("If-None-Match")}
	var q struct {
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if r.URL.Path == "/graphql" {
		if err := json.Unmarshal(body, &q); err != nil {
			w.t.Errorf("POST /graphql: %v", err)
		}
		a.Operation, a.Variables = q.OperationName, q.Variables
	}
	w.mu.Lock()
	n := len(w.seen)
	w.seen = append(w.seen, a)
	w.mu.Unlock()
	for _, h := range []string{"Authorization", "User-Agent", "Accept"} {
		if r.Header.Get(h) == "" {
			w.t.Errorf("%s %s came without %s", a.Method, a.Path, h)
		}
	}
	if w.fault != nil && w.fault(n, rw, r) {
		return
	}
	if e, ok := w.find(a); ok {
		w.answer(rw, e)
		return
	}
	key := a.Operation
	if key == "" {
		key = a.Method + " " + a.Path
	}
	if sha, ok := a.Variables["sha"].(string); ok && sha != head {
		key += " " + sha
	}
	text, ok := w.override[key]
	if !ok {
		text, ok = w.background[key]
	}
	if !w.silent {
		rw.Header().Set("X-Github-Request-Id", "1111:22:33:44:5555")
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	if !ok {
		rw.WriteHeader(http.StatusNotFound)
		text = `{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`
	}
	if status, rest, cut := strings.Cut(text, "\n"); cut { // "403\n{…}"
		code, _ := strconv.Atoi(status)
		rw.WriteHeader(code)
		text = rest
	}
	_, _ = io.WriteString(rw, w.fill(text))
}

// find returns the scenario's answer. An exchange that comes several times is used up in
// its order, and its last one stays.
func (w *world) find(a asked) (exchange, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := -1
	for i, e := range w.scenario {
		if e.Request.Method != a.Method || !w.matches(e, a) {
			continue
		}
		if best < 0 || w.used[best] > 0 && w.used[i] == 0 {
			best = i
		}
	}
	if best < 0 {
		return exchange{}, false
	}
	w.used[best]++
	return w.scenario[best], true
}

func (w *world) matches(e exchange, a asked) bool {
	if a.Operation != "" {
		if e.Request.Path != "/graphql" || a.Variables["sha"] != nil && a.Variables["sha"] != head {
			return false
		}
		if want, ok := e.Request.Match.Variables["after"]; ok && a.Variables["after"] != want {
			// only the operation that pages has the variable; the others see the first page
			if _, pages := a.Variables["after"]; pages || want != nil {
				return false
			}
		}
		for _, o := range w.operations {
			if o == a.Operation || o == "*" {
				return true
			}
		}
		return false
	}
	if etag := e.Request.Headers["if-none-match"]; etag != a.IfNoneMatch {
		return false
	}
	path, query, _ := strings.Cut(e.Request.Path, "?")
	got, gotQuery, _ := strings.Cut(a.Path, "?")
	if path != got {
		return false
	}
	for _, part := range strings.Split(query, "&") {
		if part != "" && !strings.Contains("&"+gotQuery+"&", "&"+part+"&") {
			return false
		}
	}
	if !strings.Contains(query, "page=2") && strings.Contains("&"+gotQuery, "&page=") {
		return false
	}
	return true
}

func (w *world) answer(rw http.ResponseWriter, e exchange) {
	for k, v := range e.Response.Headers {
		rw.Header().Set(k, w.fill(v))
	}
	rw.WriteHeader(e.Response.Status)
	if e.Response.BodyText != nil {
		_, _ = io.WriteString(rw, *e.Response.BodyText)
		return
	}
	_, _ = io.WriteString(rw, w.fill(string(e.Response.Body)))
}

// fill replaces the placeholders.
func (w *world) fill(text string) string {
	text = strings.NewReplacer("{{base}}", w.server.URL, "{{other}}", w.other.URL).Replace(text)
	return regexp.MustCompile(`\{\{now\+(\d+)\}\}`).ReplaceAllStringFunc(text, func(m string) string {
		n, _ := strconv.Atoi(strings.Trim(m, "{}now+"))
		return strconv.FormatInt(time.Now().Unix()+int64(n), 10)
	})
}

// operationsSeen counts the requests by what they asked for.
func (w *world) count(key string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, a := range w.seen {
		if a.Operation == key || a.Operation == "" && strings.HasPrefix(a.Path, key) {
			n++
		}
	}
	return n
}

// background is the quiet world.
func background() map[string]string {
	repo := `"repository":{"databaseId":1,"nameWithOwner":"acme/widgets","isArchived":false,"defaultBranchRef":{"name":"main"},`
	pull := `"pullRequest":{"id":"PR_1","number":7,"url":"https://github.com/acme/widgets/pull/7","state":"OPEN","isDraft":false,"merged":false,"updatedAt":"2026-01-10T10:06:00Z","headRefName":"feature/x","headRefOid":"` + head + `","baseRefName":"main","baseRefOid":"` + baseTip + `","isCrossRepository":false,"headRepository":{"nameWithOwner":"acme/widgets"},"headRef":{"target":{"oid":"` + head + `"}},"mergeable":"MERGEABLE","mergeStateStatus":"CLEAN","reviewDecision":"APPROVED","potentialMergeCommit":{"oid":"` + merge + `","parents":{"nodes":[{"oid":"` + baseTip + `"},{"oid":"` + head + `"}]}},"mergeCommit":null,"autoMergeRequest":null}`
	with := func(fields string) string {
		return `{"data":{` + repo + `"pullRequest":{"number":7,"url":"https://github.com/acme/widgets/pull/7","state":"OPEN","headRefOid":"` + head + `","baseRefName":"main",` + fields + `}}}}`
	}
	const none = `{"totalCount":0,"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[]}`
	run := `{"__typename":"CheckRun","id":"CR_100","databaseId":100,"name":"ci / test","status":"COMPLETED","conclusion":"SUCCESS","startedAt":"2026-01-10T10:00:00Z","completedAt":"2026-01-10T10:05:00Z","detailsUrl":"https://github.com/acme/widgets/actions/runs/9001/job/100","isRequired":true,"checkSuite":{"databaseId":500,"app":{"databaseId":15368,"slug":"github-actions"},"status":"COMPLETED","conclusion":"SUCCESS","workflowRun":{"databaseId":9001,"event":"pull_request","workflow":{"name":"ci"}}}}`
	return map[string]string{
		"Pull":                            `{"data":{` + repo + pull + `}}}`,
		"Queue":                           with(`"isInMergeQueue":false,"isMergeQueueEnabled":false,"mergeQueueEntry":null`),
		"Rule":                            with(`"baseRef":{"name":"main","refUpdateRule":{"pattern":"main","requiredStatusCheckContexts":["ci / test"],"requiresConversationResolution":true,"requiredApprovingReviewCount":1}}`),
		"Contexts":                        `{"data":{` + repo + `"object":{"oid":"` + head + `","statusCheckRollup":{"contexts":{"totalCount":1,"pageInfo":{"hasNextPage":false,"endCursor":"MQ"},"nodes":[` + run + `]}}}}}}`,
		"Contexts " + merge:               `{"data":{` + repo + `"object":{"oid":"` + merge + `","statusCheckRollup":null}}}}`,
		"Viewer":                          `{"data":{"viewer":{"login":"dev"}}}`,
		"Threads":                         with(`"reviewThreads":` + none),
		"Opinions":                        with(`"latestOpinionatedReviews":` + none + `,"reviewRequests":{"totalCount":0,"nodes":[]}`),
		"Reviews":                         with(`"reviews":` + none),
		"Conversation":                    with(`"comments":` + none),
		"Closing":                         with(`"closingIssuesReferences":{"totalCount":1,"pageInfo":{"hasNextPage":false,"endCursor":"MQ"},"nodes":[{"number":42,"url":"https://github.com/acme/widgets/issues/42","repository":{"databaseId":1,"nameWithOwner":"acme/widgets"}}]}`),
		"Approvals":                       `{"data":{` + repo + `"issue":{"number":42,"comments":{"totalCount":0,"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[]}}}}}`,
		"ClosedBy":                        `{"data":{` + repo + `"issue":{"number":42,"state":"CLOSED","stateReason":"COMPLETED","closedByPullRequestsReferences":{"totalCount":1,"pageInfo":{"hasNextPage":false,"endCursor":"MQ"},"nodes":[{"number":7,"url":"https://github.com/acme/widgets/pull/7","state":"OPEN","repository":{"databaseId":1,"nameWithOwner":"acme/widgets"}}]}}}}}`,
		"GET /repos/acme/widgets/pulls/7": `{"number":7,"state":"open","draft":false,"merged":false,"mergeable":true,"mergeable_state":"clean","merge_commit_sha":"` + merge + `","auto_merge":null,"head":{"ref":"feature/x","sha":"` + head + `","repo":{"id":1,"full_name":"acme/widgets"}},"base":{"ref":"main","sha":"` + baseTip + `","repo":{"id":1,"full_name":"acme/widgets"}},"user":{"login":"dev","type":"User"}}`,
		"GET /repos/acme/widgets/git/commits/" + head:                            `{"sha":"` + head + `","tree":{"sha":"` + treeName + `"}}`,
		"GET /repos/acme/widgets/git/commits/" + other:                           `{"sha":"` + other + `","tree":{"sha":"` + treeName + `"}}`,
		"GET /repos/acme/widgets/rules/branches/main?per_page=100":               `[]`,
		"GET /repos/acme/widgets/rules/branches/release%2F1.0?per_page=100":      `[]`,
		"GET /repos/acme/widgets/branches/main":                                  `{"name":"main","protected":true,"protection":{"enabled":true,"required_status_checks":{"enforcement_level":"non_admins","contexts":["ci / test"],"checks":[{"context":"ci / test","app_id":15368}]}}}`,
		"GET /repos/acme/widgets/branches/release%2F1.0":                         `{"name":"release/1.0","protected":false,"protection":{"enabled":false,"required_status_checks":{"enforcement_level":"off","contexts":[],"checks":[]}}}`,
		"GET /repos/acme/widgets/commits/" + head + "/check-suites?per_page=100": `{"total_count":1,"check_suites":[{"id":500,"head_sha":"` + head + `","status":"completed","conclusion":"success","app":{"id":15368,"slug":"github-actions"},"latest_check_runs_count":1}]}`,
		"GET /repos/acme/widgets/issues/42":                                      `{"number":42,"state":"closed","state_reason":"completed","title":"x","html_url":"https://github.com/acme/widgets/issues/42"}`,
	}
}

// restOnly is the background of a token that cannot see checks over GraphQL.
func restOnly(w *world) {
	const forbidden = `{"data":{"repository":{"databaseId":1,"object":{"oid":"` + head + `","statusCheckRollup":{"contexts":{"totalCount":1,"pageInfo":{"hasNextPage":false},"nodes":[null]}}}}},"errors":[{"type":"FORBIDDEN","path":["repository","object","statusCheckRollup","contexts","nodes",0],"message":"Resource not accessible by personal access token"}]}`
	runs := func(sha, list string, n int) string {
		return `{"total_count":` + strconv.Itoa(n) + `,"check_runs":[` + list + `]}`
	}
	test := `{"id":1,"name":"ci / test","head_sha":"` + head + `","status":"completed","conclusion":"success","check_suite":{"id":500},"app":{"id":15368,"slug":"github-actions"}}`
	w.override["Contexts"], w.override["Contexts "+merge] = forbidden, forbidden
	for _, sha := range []string{head, merge} {
		list, n := test, 1
		if sha == merge {
			list, n = "", 0
		}
		w.override["GET /repos/acme/widgets/commits/"+sha+"/check-runs?filter=latest&per_page=100"] = runs(sha, list, n)
		w.override["GET /repos/acme/widgets/commits/"+sha+"/status?per_page=100"] = `{"state":"pending","statuses":[],"sha":"` + sha + `","total_count":0}`
		w.override["GET /repos/acme/widgets/actions/runs?head_sha="+sha+"&per_page=100"] = `{"total_count":0,"workflow_runs":[]}`
	}
	w.override["GET /repos/acme/widgets/actions/runs?head_sha="+head+"&per_page=100"] = `{"total_count":1,"workflow_runs":[{"id":9001,"name":"ci","workflow_id":5,"head_sha":"` + head + `","event":"pull_request","check_suite_id":500}]}`
}

// leaks reports whether a text has the token in it.
func leaks(text string) bool { return bytes.Contains([]byte(text), []byte("CANARY")) }
