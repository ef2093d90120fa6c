package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The secrets of these tests are made when they run; none is real.
func letters(n int) string { return strings.Repeat("aB3dE6gH9k", n/10+1)[:n] }

func fakeJWT() string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"HS256"}`)) + "." + part([]byte(`{"sub":"1234567890"}`)) + "." + letters(43)
}

func fakeKey(kind string) string {
	body := strings.Repeat(letters(64)+"\n", 8)
	return "-----BEGIN " + kind + "-----\n" + body + letters(20) + "==\n-----END " + kind + "-----"
}

type sample struct {
	what, text, want string
}

func samples() []sample {
	a36, a52 := letters(36), strings.Repeat("ab2c", 13)
	basic := base64.StdEncoding.EncodeToString([]byte("dev:hunter2"))
	return []sample{
		{"GitHub personal token", "remote: ghp_" + strings.Repeat("a", 36) + " rejected", "remote: [redacted:token] rejected"},
		{"GitHub server token with dots", "x ghs_" + a36 + "." + a36 + ".", "x [redacted:token]."},
		{"GitHub OAuth token", "gho_" + a36, "[redacted:token]"},
		{"GitHub user token", "ghu_" + a36, "[redacted:token]"},
		{"GitHub refresh token", "ghr_" + a36, "[redacted:token]"},
		{"GitHub fine-grained token", "(github_pat_" + letters(22) + "_" + letters(59) + ")", "([redacted:token])"},
		{"token glued to a word", "xghp_" + a36, "x[redacted:token]"},
		{"token behind a colour", "\x1b[31mghp_" + a36 + "\x1b[0m", "\x1b[31m[redacted:token]\x1b[0m"},
		{"token behind an escape", `{"Output":"\nglpat-` + letters(20) + `\n"}`, `{"Output":"\n[redacted:token]\n"}`},
		{"token behind a percent escape", "q=%20sk-" + letters(48), "q=%20[redacted:token]"},
		{"Azure DevOps token", "pat " + a52 + " end", "pat [redacted:token] end"},
		{"newer Azure DevOps token", letters(76) + "AZDO" + "4aBc", "[redacted:token]"},
		{"AWS key id", "id=AKIA" + strings.Repeat("A2", 8), "id=[redacted:token]"},
		{"AWS temporary key id", "ASIA" + strings.Repeat("B3", 8) + ".", "[redacted:token]."},
		{"Slack token", "xoxb-" + letters(12) + "-" + letters(24), "[redacted:token]"},
		{"Anthropic key", "sk-ant-" + "api03-" + letters(40), "[redacted:token]"},
		{"OpenAI key", "sk-" + letters(48), "[redacted:token]"},
		{"OpenAI key of one letter", "sk-" + strings.Repeat("a", 48), "[redacted:token]"},
		{"GitLab token", "glpat-" + letters(20), "[redacted:token]"},
		{"npm token", "npm_" + a36, "[redacted:token]"},
		{"Google key", "AIza" + letters(35), "[redacted:token]"},
		{"Stripe key", "sk_live_" + letters(24), "[redacted:token]"},
		{"SendGrid key", "SG." + letters(22) + "." + letters(43), "[redacted:token]"},
		{"age key", "AGE-SECRET-KEY-1" + strings.ToUpper(letters(58)), "[redacted:private-key]"},

		{"private key", "a\n" + fakeKey("RSA PRIVATE KEY") + "\nb", "a\n[redacted:private-key]\nb"},
		{"OpenSSH key", fakeKey("OPENSSH PRIVATE KEY") + "\n", "[redacted:private-key]\n"},
		{"PGP key", fakeKey("PGP PRIVATE KEY BLOCK"), "[redacted:private-key]"},
		{"private key in JSON", `{"key":"` + strings.ReplaceAll(fakeKey("PRIVATE KEY"), "\n", `\n`) + `\n","x":1}`, `{"key":"[redacted:private-key]\n","x":1}`},
		{"private key without its end", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n" + letters(64) + "\n" + letters(64) + "\nnext line\n", "[redacted:private-key]\nnext line\n"},
		{"private key without its end in JSON", `"-----BEGIN PRIVATE KEY-----\n` + letters(64) + `\n` + letters(30) + `"`, `"[redacted:private-key]"`},
		{"private key without its beginning", "[cut]\n" + letters(64) + "\n" + letters(64) + "\n-----END RSA PRIVATE KEY-----\nx", "[cut]\n[redacted:private-key]\nx"},
		{"private key without its beginning in JSON", `{"k":"` + letters(64) + `\n` + letters(9) + `\n-----END PRIVATE KEY-----\n"}`, `{"k":"[redacted:private-key]\n"}`},
		{
			"private key in lines of JSON",
			`{"o":"-----BEGIN PRIVATE KEY-----\n"}` + "\n" + `{"o":"` + letters(64) + `\n"}` + "\n" + `{"o":"` + letters(30) + `\n"}` + "\n" + `{"o":"-----END PRIVATE KEY-----\n"}`,
			`{"o":"[redacted:private-key]\n"}` + "\n" + `{"o":"[redacted:private-key]"}` + "\n" + `{"o":"[redacted:private-key]"}` + "\n" + `{"o":"[redacted:private-key]\n"}`,
		},
		{"certificate stays", fakeKey("CERTIFICATE"), fakeKey("CERTIFICATE")},
		{"public key stays", fakeKey("PUBLIC KEY"), fakeKey("PUBLIC KEY")},

		{"JWT", "token is " + fakeJWT() + ", ok", "token is [redacted:jwt], ok"},
		{"JWT without a signature", fakeJWT()[:strings.LastIndex(fakeJWT(), ".")] + ".", "[redacted:jwt]."},
		{"bearer header", "Authorization: Bearer " + letters(30) + "\nnext", "Authorization: Bearer [redacted:authorization]\nnext"},
		{"bearer header of curl", `curl -H "Authorization: Bearer abc" https://example.com`, `curl -H "Authorization: Bearer [redacted:authorization]" https://example.com`},
		{"basic header", "authorization: basic " + basic, "authorization: basic [redacted:authorization]"},
		{"token header", "Authorization: token " + letters(12), "Authorization: token [redacted:authorization]"},
		{"header in JSON", `{"Authorization":"Bearer ` + letters(9) + `"}`, `{"Authorization":"Bearer [redacted:authorization]"}`},
		{"header in a Go map", `map[Authorization:[Bearer ` + letters(9) + `]]`, `map[Authorization:[Bearer [redacted:authorization]]]`},
		{"digest header", `Authorization: Digest username=x, response=` + letters(20) + "\nn", "Authorization: Digest [redacted:authorization]\nn"},
		{"header without a scheme", "Authorization: " + letters(32), "Authorization: [redacted:authorization]"},
		{"bearer elsewhere", "used bearer " + letters(24), "used bearer [redacted:authorization]"},
		{"basic elsewhere", "used Basic " + basic + ".", "used Basic [redacted:authorization]."},
		{"cookie", "Set-Cookie: session=" + letters(10) + "; Path=/\nx", "Set-Cookie: [redacted:cookie]\nx"},

		{"URL user and password", "https://dev:hunter2@example.com/x", "https://[redacted:url-userinfo]@example.com/x"},
		{"URL token", "https://" + letters(10) + "@example.com/x", "https://[redacted:url-userinfo]@example.com/x"},
		{"URL with @ in the password", "postgres://u:p@ss@db.example.com:5432/x", "postgres://[redacted:url-userinfo]@db.example.com:5432/x"},
		{"URL in JSON", `{"u":"https://a:b@example.com\n"}`, `{"u":"https://[redacted:url-userinfo]@example.com\n"}`},

		{"environment", "DB_PASSWORD=hunter2,x;y&z\nHOME=/root", "DB_PASSWORD=[redacted:secret]\nHOME=/root"},
		{"environment, short", "API_TOKEN=x", "API_TOKEN=[redacted:secret]"},
		{"export", "export AWS_SECRET_ACCESS_KEY='" + letters(40) + "'", "export AWS_SECRET_ACCESS_KEY='[redacted:secret]'"},
		{"npmrc", "//registry.example.com/:_authToken=" + letters(20), "//registry.example.com/:_authToken=[redacted:secret]"},
		{"lower case", "user=dev password=hunter2, host=x", "user=dev password=[redacted:secret], host=x"},
		{"query", "GET /?api_key=" + letters(8) + "&x=1", "GET /?api_key=[redacted:secret]&x=1"},
		{"connection string", "Server=x;AccountKey=" + letters(20) + "==;Pwd=1", "Server=x;AccountKey=[redacted:secret];Pwd=1"},
		{"JSON", `{"user":"x","password":"hun\"ter2","n":1}`, `{"user":"x","password":"[redacted:secret]","n":1}`},
		{"JSON with blanks", `"client_secret" : "x"`, `"client_secret" : "[redacted:secret]"`},
		{"JSON in JSON", `{"m":"{\"password\":\"hunter2\",\"a\":1}"}`, `{"m":"{\"password\":\"[redacted:secret]\",\"a\":1}"}`},
		{"YAML", "db:\n  password: hunter2\n  port: 5432\n", "db:\n  password: [redacted:secret]\n  port: 5432\n"},
		{"YAML, quoted", "  api_key: 'abc'\n", "  api_key: '[redacted:secret]'\n"},
		{"ini", "password = hunter2\n", "password = [redacted:secret]\n"},
		{"source", `password := "hunter2"`, `password := "[redacted:secret]"`},
		{"Ruby", `"secret" => "hunter2"`, `"secret" => "[redacted:secret]"`},
		{"Python", `os.environ["API_SECRET"] = "hunter2"`, `os.environ["API_SECRET"] = "[redacted:secret]"`},
		{"Go struct", "{User:x Password:hunter2 N:1}", "{User:x Password:[redacted:secret] N:1}"},
		{"coloured log", "\x1b[36mpassword\x1b[0m=hunter2 x", "\x1b[36mpassword\x1b[0m=[redacted:secret] x"},
		{"option", "tool --password hunter2 --verbose", "tool --password [redacted:secret] --verbose"},
		{"option with =", "tool --token=" + letters(9) + " -v", "tool --token=[redacted:secret] -v"},
		{"option in a list", `["tool","--password","hunter2","-v"]`, `["tool","--password","[redacted:secret]","-v"]`},
		{"option in a list with blanks", "[\n  \"--client-secret\",\n  \"abc\"\n]", "[\n  \"--client-secret\",\n  \"[redacted:secret]\"\n]"},
		{"escaped end of line", `{"Output":"PASSWORD=hunter2\n"}`, `{"Output":"PASSWORD=[redacted:secret]\n"}`},
		{"escaped beginning of line", `{"Output":"a\nPASSWORD=hunter2"}`, `{"Output":"a\nPASSWORD=[redacted:secret]"}`},

		{"e-mail", "by Dev <dev@example.com>", "by Dev <[redacted:email]>"},
		{"e-mail with a tag", "first.last+tag@sub.example.org.", "[redacted:email]."},
		{"e-mail behind an escape", `"\ndev@example.com"`, `"\n[redacted:email]"`},
		{"e-mail of digits", "1@163.com", "[redacted:email]"},
	}
}

func TestRules(t *testing.T) {
	for _, tt := range samples() {
		t.Run(tt.what, func(t *testing.T) {
			var r *Redactor
			if got := r.String(tt.text); got != tt.want {
				t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

// What people need to read stays readable.
func TestOrdinaryTextStays(t *testing.T) {
	for _, text := range []string{
		"=== RUN   TestParseToken/empty=1\n--- FAIL: TestParseToken (0.00s)\n    token_test.go:33: got token = \"x\", want \"y\"\nFAIL\texample.com/x/token\t0.003s\n",
		"ok  \texample.com/secret/store\t0.012s\tcoverage: 81.0% of statements\n",
		"./token.go:15:2: undefined: password\n",
		"token.go:15\npassword.go:3\n",
		"commit " + strings.Repeat("0123456789", 4) + " tree " + strings.Repeat("abcdef01", 8),
		"sha256:" + strings.Repeat("0123abcd", 8),
		"h1:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7, 200, 33}, 11)) + "=",
		"golang.org/x/sys@v0.50.0/unix/a.go lodash@4.17.21 checkout@v4 pkg@v1.2.3-beta.rc icon@2x.png",
		"git@github.com:owner/repo.git ssh://git@github.com/owner/repo",
		"https://example.com:8443/a?b=c#d @types/node @pytest.fixture",
		"SyntaxError: Unexpected token: } at line 3",
		"max_tokens: 4096, input_tokens=123 \"tokens\":12345678 token_type=bearer",
		"this basic functionality needs a bearer of bad news",
		"basic authentication and bearer authentication",
		"PWD=/home/dev/src GOPRIVATE=example.com/private OLDPWD=/tmp",
		`{"private":true,"name":"x"}`,
		"PASSWORD=$DB_PASSWORD TOKEN=${{ secrets.TOKEN }} SECRET=${SECRET} API_KEY=*** PASSWORD=%s PASSWORD=",
		"password=password token=get_token() secret == other",
		"if token != nil { return token.Kind }",
		"class=\"sk-folding-cube-animation-wrapper\" task-sk-management-of-many-things",
		"npm_config_registry npm_lifecycle_event npm_package_json",
		"password: must be at least 8 characters",
		"the token, the secret and the password are required",
		"--token is deprecated, --password-file /run/x --no-token-check --password",
		"TestPassword_Reset: ok",
		"eyJust a word.eyJ another.",
		"Authorization: required",
		"::error file=token.go,line=3::no secret here",
		"map[string]token{} a::b x:=y a<=b",
		"-----BEGIN ----- END -----\n---------------------------\n",
		"\xff\xfe\x00binary\x80@\x81 \x00=\x00:",
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0189",
	} {
		var r *Redactor
		if got := r.String(text); got != text {
			t.Errorf("changed:\n%s\n%s", text, got)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		patterns   []string
		text, want string
	}{
		{[]string{`CUST-\d+`}, "for CUST-1 and CUST-22", "for [redacted:pattern] and [redacted:pattern]"},
		{[]string{`\d`}, "a123b4", "a[redacted:pattern]b[redacted:pattern]"},
		{[]string{`redacted`}, "redacted dev@example.com", "[redacted:pattern] [redacted:email]"},
		{[]string{`name: .*`}, "name: X dev@example.com Y\nz", "[redacted:pattern]\nz"},
		{[]string{`email\] \w+`}, "dev@example.com foo bar", "[redacted:pattern] bar"},
		{[]string{`foo`, `bar`}, "foobar", "[redacted:pattern][redacted:pattern]"},
		{[]string{`.`}, "abc\nd", "[redacted:pattern]\n[redacted:pattern]"},
		{[]string{`a`}, "", ""},
		{[]string{`(?i)acme`}, "Acme ACME acme", "[redacted:pattern] [redacted:pattern] [redacted:pattern]"},
	} {
		r, err := New(tt.patterns)
		if err != nil {
			t.Fatal(err)
		}
		got := r.String(tt.text)
		if got != tt.want {
			t.Errorf("%q on %q: %q, want %q", tt.patterns, tt.text, got, tt.want)
		}
		if again := r.String(got); again != got {
			t.Errorf("%q on %q: again %q", tt.patterns, got, again)
		}
	}
	for _, bad := range []string{"(", "a*", "", "^"} {
		if _, err := New([]string{"ok", bad}); err == nil || !strings.Contains(err.Error(), "pattern 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestInputIsNotChanged(t *testing.T) {
	in := []byte("PASSWORD=hunter2 dev@example.com")
	before := bytes.Clone(in)
	out := (*Redactor)(nil).Bytes(in)
	if !bytes.Equal(in, before) || bytes.Equal(in, out) {
		t.Errorf("in %q out %q", in, out)
	}
	clean := []byte("nothing here")
	if got := (*Redactor)(nil).Bytes(clean); &got[0] != &clean[0] {
		t.Error("text without a secret was copied")
	}
}

// pieces is what random texts are made of: secrets, their parts, and separators.
func pieces() []string {
	out := []string{
		" ", "\n", "\t", ":", "=", " = ", ": ", "@", ".", "-", "--", "_", "/", "://", "\\", "\\n", "\\\"", "\"", "'", ",", ";", "[", "]", "{", "}",
		"\x1b[31m", "\x1b", "%20", "token", "TOKEN", "password", "PASSWORD", "Authorization", "Bearer", "basic", "a", "x1", "9", "eyJ", "git",
		"example.com", "dev", "ghp_", "sk-", "-----BEGIN ", "PRIVATE KEY", "-----", "-----END ", "[redacted:", "[redacted:email]", "redacted",
		"é", "\xff", letters(16), letters(40), strings.Repeat("a", 20),
	}
	for _, s := range samples() {
		out = append(out, s.text, s.text[:len(s.text)/2], s.text[len(s.text)/2:])
	}
	return out
}

func TestRedactedTextStaysAsItIs(t *testing.T) {
	all := pieces()
	patterned, err := New([]string{`CUST-\d+`, `x\d`})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 0, 12).Draw(t, "text"), "")
		for _, r := range []*Redactor{nil, patterned} {
			once := r.Bytes([]byte(text))
			twice := r.Bytes(once)
			if !bytes.Equal(once, twice) {
				t.Fatalf("text  %q\nonce  %q\ntwice %q", text, once, twice)
			}
		}
	})
}

// A secret is found wherever it stands between things that are no part of it.
func TestSecretsAreFoundInContext(t *testing.T) {
	secret := "ghp_" + letters(36)
	around := []string{"", " ", "\n", "\"", "'", "(", "[", "{", "<", ",", ";", "=", ":", "/", "\\n", "\x1b[1m", "`", "|", "%20", "é", "\x00"}
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(around), 0, 4).Draw(t, "before"), "")
		after := rapid.SampledFrom([]string{"", " ", "\n", "\"", "'", ")", "]", ",", ";", "\\n", "\x1b[0m", "\x00", "é"}).Draw(t, "after")
		if got := (*Redactor)(nil).String(before + secret + after); strings.Contains(got, letters(36)) {
			t.Fatalf("%q stays in %q", secret, got)
		}
	})
}

// A line of JSON stays one, with the same keys.
func TestJSONStaysJSON(t *testing.T) {
	all := pieces()
	rapid.Check(t, func(t *rapid.T) {
		doc := map[string]string{}
		for _, k := range []string{"Output", "password", "token", "Authorization", "cookie", "url"} {
			doc[k] = strings.ToValidUTF8(strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 0, 6).Draw(t, k), ""), "")
		}
		line, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal((*Redactor)(nil).Bytes(line), &back); err != nil || len(back) != len(doc) {
			t.Fatalf("%v\n%s\n%s", err, line, (*Redactor)(nil).Bytes(line))
		}
	})
}

func TestCap(t *testing.T) {
	long := strings.Repeat("line of output\n", 1000)
	got := string(Cap([]byte(long), 1000))
	if len(got) > 1000 || !strings.HasPrefix(got, "line of output\nline") || !strings.HasSuffix(got, "output\n") || !strings.Contains(got, "\n[cut: ") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if short := []byte("short"); &Cap(short, 5)[0] != &short[0] {
		t.Error("short text was copied")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"é", "漢", "a", "\n", "line\n"}), 0, 200).Draw(t, "text"), "")
		limit := rapid.IntRange(0, 300).Draw(t, "limit")
		out := string(Cap([]byte(text), limit))
		if len(out) > limit && len(text) > limit {
			t.Fatalf("%d bytes of %d", len(out), limit)
		}
		if strings.ToValidUTF8(out, "?") != out {
			t.Fatalf("a character was cut: %q", out)
		}
		if len(text) > limit && limit > 100 && !strings.Contains(out, "bytes left out") {
			t.Fatalf("the cut is not stated: %q", out)
		}
	})
}

// hostile returns texts that would cost a rule with a second loop dearly.
func hostile(n int) map[string][]byte {
	fill := func(s string) []byte { return bytes.Repeat([]byte(s), n/len(s)+1)[:n] }
	return map[string][]byte{
		"begins":      fill("-----BEGIN PRIVATE KEY-----\n"),
		"begin quote": fill("-----BEGIN PRIVATE KEY-----\"a "),
		"begin, end":  append(fill("-----BEGIN PRIVATE KEY-----\"")[:n-40], "-----END PRIVATE KEY-----"...),
		"ends":        fill("-----END PRIVATE KEY-----\n"),
		"hyphens":     fill("-"),
		"eyJ":         fill("eyJabcdef-"),
		"eyJ dots":    fill("eyJabcdefgh.a."),
		"token=":      fill("token="),
		"token:":      fill("token:"),
		"password: ":  fill("password: "),
		"quotes":      fill(`"password":"\`),
		"backslashes": fill(`\`),
		"at":          fill("a@"),
		"at dots":     fill("a@b."),
		"urls":        fill("a://"),
		"url run":     append([]byte("https://"), fill("a:@")...),
		"bearer":      fill("bearer "),
		"sk-":         fill("sk-"),
		"ghp_":        fill("ghp_"),
		"options":     fill("--token "),
		"marks":       fill("[redacted:"),
		"esc":         fill("\x1b["),
		"blanks":      fill(" "),
		"blanks =":    fill("        =        "),
		"one word":    fill("a"),
		"cookies":     fill("cookie:"),
		"auth":        fill("authorization:[ "),
		"auth digest": fill("authorization: digest"),
		"base64 ends": fill("AAAAAAAAAAAAAAAAAAAAAAAA\n-----END "),
	}
}

func TestTimeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const n = 1 << 20
	for what, text := range hostile(n) {
		start := time.Now()
		(*Redactor)(nil).Bytes(text)
		if d := time.Since(start); d > 60*time.Second {
			t.Errorf("%s: 1 MiB took %s", what, d)
		}
	}
}

// realistic returns n bytes of test output with a secret now and then.
func realistic(n int) []byte {
	block := strings.Repeat("=== RUN   TestRefund/expected-403\n    refund_test.go:41: status = 200, want 403 (request id: 8f2b)\n"+
		"{\"Time\":\"2026-01-02T03:04:05Z\",\"Action\":\"output\",\"Package\":\"example.com/x\",\"Output\":\"ok\\n\"}\n"+
		"npm http fetch GET 200 https://registry.example.com/left-pad 12ms (cache hit) /usr/lib/node_modules/npm\n", 20) +
		"Authorization: Bearer " + letters(40) + "\nDB_PASSWORD=hunter2\nby dev@example.com\n"
	return bytes.Repeat([]byte(block), n/len(block)+1)[:n]
}

func BenchmarkRedact(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"5MB", 5 << 20}, {"10MB", 10 << 20}, {"20MB", 20 << 20}} {
		text := realistic(size.n)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				(*Redactor)(nil).Bytes(text)
			}
		})
	}
}

// Events are redacted text by text, most of them short and without a secret.
func BenchmarkShortText(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		(*Redactor)(nil).String("the refund service answers 403 above the limit")
	}
}

func FuzzRedact(f *testing.F) {
	for _, p := range pieces() {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		once := (*Redactor)(nil).Bytes(text)
		if !bytes.Equal(text, before) {
			t.Fatal("the input was changed")
		}
		if twice := (*Redactor)(nil).Bytes(once); !bytes.Equal(once, twice) {
			t.Fatalf("text  %q\nonce  %q\ntwice %q", text, once, twice)
		}
	})
}
