package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// to returns a client of a server, with a credential.
func to(t *testing.T, base string, change func(*Options)) (*http.Client, *Transport) {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Base: u, GraphQL: u.JoinPath("/graphql"), Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer canary") },
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
	if change != nil {
		change(&o)
	}
	w := New(o)
	return w.Client(), w
}

func kindOf(t *testing.T, err error) Kind {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *Error", err)
	}
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("the error holds the token: %v", err)
	}
	return e.Kind
}

// Nothing that could write is sent.
func TestOnlyReads(t *testing.T) {
	sent := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent++
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	}))
	defer s.Close()
	c, _ := to(t, s.URL, nil)
	for _, x := range []struct {
		method, url, body string
		ok                bool
	}{
		{"GET", s.URL + "/a?b=c", "", true},
		{"HEAD", s.URL + "/a", "", true},
		{"POST", s.URL + "/graphql", `{"query":"{viewer{login}}"}`, true},
		{"POST", s.URL + "/graphql", `{"query":"query A{viewer{login}} query B{a(b:\"mutation\"){c}} fragment F on X{y}","operationName":"A"}`, true},
		{"POST", s.URL + "/graphql", `{"query":"# mutation\n query Q($a:[Int!]={}){a}"}`, true},
		{"POST", s.URL + "/graphql", `{"query":"mutation{a}"}`, false},
		{"POST", s.URL + "/graphql", `{"query":"query Q{a} mutation M{b}","operationName":"Q"}`, false},
		{"POST", s.URL + "/graphql", `{"query":"{a} subscription{b}"}`, false},
		{"POST", s.URL + "/graphql", `{"query":"{a(b:\"\"\"x\\\"\"\"\"\"\") } mutation{b}"}`, false},
		{"POST", s.URL + "/graphql", `{"query":"{a}","query":"mutation{b}"}`, false},
		{"POST", s.URL + "/graphql", `{"query":"{a}","QUERY":"mutation{b}"}`, false},
		{"POST", s.URL + "/graphql", `[{"query":"{a}"}]`, false},
		{"POST", s.URL + "/graphql", `{"query":"{a}","extensions":{"persistedQuery":1}}`, false},
		{"POST", s.URL + "/graphql", `{"query":"{a"}`, false},
		{"POST", s.URL + "/graphql", `{"query":""}`, false},
		{"POST", s.URL + "/graphql", ``, false},
		{"POST", s.URL + "/graphql?x=1", `{"query":"{a}"}`, false},
		{"POST", s.URL + "/graphql/", `{"query":"{a}"}`, false},
		{"POST", s.URL + "/repos", `{"query":"{a}"}`, false},
		{"GET", s.URL + "/a", "x", false},
		{"PUT", s.URL + "/graphql", `{"query":"{a}"}`, false},
		{"PATCH", s.URL + "/a", "", false},
		{"DELETE", s.URL + "/a", "", false},
		{"get", s.URL + "/a", "", false},
		{"GET", strings.Replace(s.URL, "http://", "http://user:pass@", 1), "", false},
		{"GET", "http://other.example/a", "", false},
		{"GET", strings.Replace(s.URL, "http:", "https:", 1), "", false},
	} {
		before := sent
		r, err := http.NewRequest(x.method, x.url, strings.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := c.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		if (err == nil) != x.ok || sent > before != x.ok {
			t.Errorf("%s %s %s: %v, and %d were sent", x.method, x.url, x.body, err, sent-before)
		}
		if err != nil && kindOf(t, err) != Refused {
			t.Errorf("%s %s: %v", x.method, x.url, err)
		}
	}
}

// The credential goes to the one host, and no redirect leads away from it.
func TestTokenStaysHome(t *testing.T) {
	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leaked = append(leaked, r.Header.Get("Authorization")+" "+r.URL.String())
	}))
	defer other.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer canary" {
			t.Errorf("%s came without the credential", r.URL)
		}
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"/x", http.StatusMovedPermanently)
		case "/here":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"a":1}`)
		}
	}))
	defer home.Close()
	c, w := to(t, home.URL, nil)
	resp, err := c.Get(home.URL + "/here")
	if err := Check(resp, err); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"/away", "/round"} {
		resp, err := c.Get(home.URL + path)
		if got := kindOf(t, Check(resp, err)); got != Redirected {
			t.Errorf("%s: %s", path, got)
		}
	}
	if len(leaked) > 0 {
		t.Errorf("another host was asked: %v", leaked)
	}
	for _, p := range w.Proofs() {
		if p.BodySHA256 == "" || p.Status == 0 || p.Date == "" || strings.Contains(Lines([]Proof{p}, 1), "canary") {
			t.Errorf("proof %+v", p)
		}
	}
}

// What is no whole JSON document of the service is no answer.
func TestCheck(t *testing.T) {
	for path, x := range map[string]struct {
		status   int
		kind     string
		body     string
		header   [2]string
		cut      bool
		want     Kind
		wantText string
	}{
		"/ok":        {status: 200, kind: "application/json; charset=utf-8", body: "\xef\xbb\xbf{\"a\":1}"},
		"/html":      {status: 200, kind: "text/html", body: "<html>", want: Malformed, wantText: "no JSON"},
		"/empty":     {status: 200, kind: "application/json", want: Malformed, wantText: "empty"},
		"/half":      {status: 200, kind: "application/json", body: `{"a":`, want: Malformed, wantText: "whole"},
		"/cut":       {status: 200, kind: "application/json", body: `{"a":1}`, cut: true, want: Malformed, wantText: "cut off"},
		"/203":       {status: 203, kind: "text/html", body: "<html>", want: Unauthorized, wantText: "sign in"},
		"/401":       {status: 401, kind: "application/json", body: `{"message":"Bad credentials"}`, want: Unauthorized, wantText: "Bad credentials"},
		"/403":       {status: 403, kind: "application/json", body: `{"message":"no"}`, header: [2]string{"X-Accepted-GitHub-Permissions", "checks=read"}, want: Forbidden, wantText: "checks=read"},
		"/secondary": {status: 403, kind: "application/json", body: `{"message":"You have exceeded a secondary rate limit"}`, want: RateLimited},
		"/429":       {status: 429, kind: "application/json", body: `{}`, header: [2]string{"Retry-After", "7"}, want: RateLimited, wantText: "7s"},
		"/404":       {status: 404, kind: "application/json", body: `{"message":"Not Found"}`, want: NotFound, wantText: "not to be seen"},
		"/410":       {status: 410, kind: "application/json", body: `{}`, want: Gone},
		"/502":       {status: 502, kind: "text/html", body: "<html>", want: Unavailable},
		"/204":       {status: 204, want: Malformed},
	} {
		t.Run(path, func(t *testing.T) {
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Content-Type", x.kind)
				if x.header[0] != "" {
					w.Header().Set(x.header[0], x.header[1])
				}
				if x.cut {
					w.Header().Set("Content-Length", "1000")
				}
				w.WriteHeader(x.status)
				_, _ = io.WriteString(w, x.body)
			}))
			defer s.Close()
			c, _ := to(t, s.URL, nil)
			resp, err := c.Get(s.URL + path)
			err = Check(resp, err)
			if x.want == "" {
				if b, rerr := io.ReadAll(resp.Body); err != nil || rerr != nil || string(b) != `{"a":1}` {
					t.Errorf("%v, %v, %q", err, rerr, b)
				}
				return
			}
			if got := kindOf(t, err); got != x.want || !strings.Contains(err.Error(), x.wantText) {
				t.Errorf("%s: %v", got, err)
			}
			if patient := x.want == RateLimited || x.status == 502; patient != (asked > 1) || asked > maxWaits+1 {
				t.Errorf("it was asked %d times", asked)
			}
		})
	}
}

// An answer that has not changed costs nothing, and both requests leave a proof.
func TestNotModified(t *testing.T) {
	full := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("If-None-Match") == `"v1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		full++
		_, _ = io.WriteString(w, `{"a":1}`)
	}))
	defer s.Close()
	c, w := to(t, s.URL, nil)
	for range 3 {
		resp, err := c.Get(s.URL + "/a")
		if err := Check(resp, err); err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(resp.Body); string(b) != `{"a":1}` {
			t.Errorf("%q", b)
		}
	}
	p := w.Proofs()
	if full != 1 || len(p) != 3 || p[0].Reused || !p[2].Reused || p[2].Status != http.StatusNotModified || p[0].BodySHA256 != p[2].BodySHA256 {
		t.Errorf("%d whole answers, proofs %+v", full, p)
	}
}

// A wait that the service asks for ends with the time that the caller has.
func TestWaitEnds(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer s.Close()
	var slept []time.Duration
	c, _ := to(t, s.URL, func(o *Options) {
		o.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(r)
	var e *Error
	if err := Check(resp, err); !errors.As(err, &e) || e.Kind != RateLimited || e.RetryAfter != time.Minute || len(slept) > 0 {
		t.Errorf("%v after %v", err, slept)
	}
}
