package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const tree40 = "0123456789abcdef0123456789abcdef01234567"

func block(json string) string { return "```json\n" + json + "\n```\n" }

func reviewJSON(verdict, findings string) string {
	return fmt.Sprintf(`{"version":1,"kind":"code-review","verdict":%q,"tree":%q,"summary":"s","resolved":["F3"],"findings":[%s]}`, verdict, tree40, findings)
}

const (
	high = `{"severity":"High","path":"a.go","line":3,"title":"t","detail":"d"}`
	low  = `{"severity":"Low","path":"","title":"t"}`
)

func TestParseReview(t *testing.T) {
	pass, fail := reviewJSON("pass", low), reviewJSON("fail", high)
	for _, tt := range []struct{ what, message, verdict string }{
		{"alone", block(pass), "pass"},
		{"after prose", "I read it.\n\n" + block(fail), "fail"},
		{"before prose", block(pass) + "\nDone.", "pass"},
		{"the last one counts", block(pass) + "but then\n" + block(fail), "fail"},
		{"the last json one counts", block(pass) + "```go\nx\n```\n", "pass"},
		{"quoted in a longer fence", "````\n" + block(pass) + "````\n" + block(fail), "fail"},
		{"capitals and options", "```JSON title=x\n" + pass + "\n```", "pass"},
		{"tildes", "~~~json\n" + pass + "\n~~~", "pass"},
		{"a fence of four", "````json\n" + pass + "\n````", "pass"},
		{"CRLF", strings.ReplaceAll(block(pass), "\n", "\r\n"), "pass"},
		{"indented by three", "   ```json\n" + pass + "\n   ```", "pass"},
		{"backticks inside a text", block(strings.Replace(pass, `"s"`, "\"``` json\"", 1)), "pass"},
		{"64 digits", block(strings.Replace(pass, tree40, strings.Repeat("a", 64), 1)), "pass"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			r, raw, err := ParseReview(tt.message)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != tt.verdict || !strings.Contains(string(raw), `"verdict":"`+tt.verdict+`"`) {
				t.Errorf("%+v\n%s", r, raw)
			}
		})
	}
}

func TestParseReviewRefuses(t *testing.T) {
	pass := reviewJSON("pass", low)
	for _, tt := range []struct{ what, message, want string }{
		{"nothing", "", "the message holds no fenced json block"},
		{"prose", "looks good, verdict: pass", "the message holds no fenced json block"},
		{"bare JSON", pass, "the message holds no fenced json block"},
		{"another language", "```js\n" + pass + "\n```", "the message holds no fenced json block"},
		{"indented code", "    ```json\n    " + pass + "\n    ```", "the message holds no fenced json block"},
		{"inside another fence", "````text\n" + block(pass) + "````", "the message holds no fenced json block"},
		{"cut", "```json\n" + pass, "the last json block of the message is not closed"},
		{"cut after a whole one", block(pass) + "```json\n{", "the last json block of the message is not closed"},
		{"no JSON", block("pass"), "the json block: not one JSON value"},
		{"two values", block(pass + pass), "the json block: not one JSON value"},
		{"a key twice", block(strings.Replace(pass, `"version":1`, `"version":1,"version":1`, 1)), "the json block: key version occurs twice"},
		{"another case", block(strings.Replace(pass, `"verdict"`, `"Verdict"`, 1)), "the json block: unknown field Verdict"},
		{"unknown field", block(strings.Replace(pass, `"version":1`, `"version":1,"approve":true`, 1)), "the json block: unknown field approve"},
		{"not UTF-8", block(strings.Replace(pass, `"s"`, "\"\xff\"", 1)), "the json block: not UTF-8"},
		{"list", block("[" + pass + "]"), "the json block: "},
		{"null", block("null"), "version: is 0"},
		{"long block", block(strings.Replace(pass, `"s"`, `"`+strings.Repeat("s", MaxReviewBytes)+`"`, 1)), "the json block: "},
		{"long message", strings.Repeat("x", MaxBytes+1), "the message is longer than 1 MiB"},
		{"deep", block(strings.Repeat("[", 10000) + strings.Repeat("]", 10000)), "the json block: "},
		{"pass with a severe finding", block(reviewJSON("pass", high)), "findings[0].severity: a pass cannot open a High finding"},
		{"all at once", block(`{"version":2,"kind":"review","verdict":"ok","tree":"ABC","summary":" ","resolved":["3","F0","F12"],
			"findings":[{"severity":"high","path":"../a","line":-1,"title":""}]}`), strings.Join([]string{
			"version: is 2; this program reads version 1", `kind: "review" is none of code-review, security-review`,
			`verdict: "ok" is none of pass, fail`, `tree: "ABC" is no tree id of 40 or 64 hex digits`, "summary: is empty",
			`findings[0].severity: "high" is none of Critical, High, Medium, Low`, "findings[0].title: is empty",
			`findings[0].path: "../a" leads outside the work tree`, "findings[0].line: is negative",
			`resolved[0]: "3" is no id of a finding, such as F3`, `resolved[1]: "F0" is no id of a finding, such as F3`,
		}, "; ")},
		{"many findings", block(reviewJSON("fail", strings.TrimSuffix(strings.Repeat(low+",", 201), ","))), "findings: 201 are more than 200"},
		{"many resolved", block(strings.Replace(pass, `"F3"`, strings.TrimSuffix(strings.Repeat(`"F3",`, 201), ","), 1)), "resolved: 201 are more than 200"},
		{"long text", block(strings.Replace(pass, `"title":"t"`, `"title":"`+strings.Repeat("t", 9000)+`"`, 1)), "findings[0].title: is longer than 8192 bytes"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			r, raw, err := ParseReview(tt.message)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if diff := cmp.Diff(Review{}, r); diff != "" || raw != nil {
				t.Error("a refused review is returned")
			}
		})
	}
}

func FuzzParseReview(f *testing.F) {
	for _, s := range []string{
		block(reviewJSON("pass", low)), block(reviewJSON("fail", high)), "```json\n{}\n```", "````\n```json\n````", "~~~json\nnull\n~~~",
		"```json\r\n[]\r\n```\r\n", "   ```JSON x\n\xff\n```", "```json\n" + strings.Repeat("[", 200),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		r, raw, err := ParseReview(message)
		if err != nil {
			if raw != nil {
				t.Fatal("bytes of a refused review")
			}
			return
		}
		if len(r.Check()) > 0 || r.Verdict != VerdictPass && r.Verdict != VerdictFail || !strings.Contains(message, string(raw)) {
			t.Fatalf("%+v taken from %q", r, message)
		}
		for _, finding := range r.Findings {
			if r.Verdict == VerdictPass && finding.Severe() {
				t.Fatalf("a pass with a severe finding: %q", message)
			}
		}
	})
}
