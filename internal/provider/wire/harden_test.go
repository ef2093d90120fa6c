package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// serve starts a server on this machine.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

// A small answer that unpacks into a large one ends at the bound, whoever asked for it packed.
func TestBound(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range MaxBody>>20 + 1 {
		_, _ = z.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	z.Close()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/plain" {
			answer(w, strings.Repeat(" ", MaxBody+1))
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		answer(w, packed.String())
	})
	c, w := to(t, s.URL, nil)
	for _, path := range []string{"/packed", "/packed", "/plain"} {
		r, _ := http.NewRequest(http.MethodGet, s.URL+path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		resp, err := c.Do(r)
		if err := Check(resp, err); kindOf(t, err) != Malformed || !strings.Contains(err.Error(), "longer") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := len(w.Proofs()); n != 0 {
		t.Errorf("%d proofs of answers that nobody read whole", n)
	}
}

// A packed answer within the bound is the document that was packed, and so is its digest.
func TestUnpacked(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			answer(w, `{"a":1}`)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte(`{"a":1}`))
		z.Close()
	})
	c, w := to(t, s.URL, nil)
	resp, err := c.Get(s.URL)
	if err := Check(resp, err); err != nil {
		t.Fatal(err)
	}
	const sum = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862" // of {"a":1}
	if got := w.Proofs()[0].BodySHA256; got != sum {
		t.Errorf("%s", got)
	}
}

// A body that never ends is given up, with the caller's time or with the transport's own.
func TestSlow(t *testing.T) {
	end := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			answer(w, `{"a":`)
			w.(http.Flusher).Flush()
		}
		select {
		case <-end:
		case <-r.Context().Done():
		}
	})
	defer close(end)
	for _, path := range []string{"/body", "/head"} {
		c, w := to(t, s.URL, nil)
		w.whole = 50 * time.Millisecond
		resp, err := c.Get(s.URL + path)
		if got := kindOf(t, Check(resp, err)); got != Timeout {
			t.Errorf("%s: %s", path, got)
		}
		c, _ = to(t, s.URL, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		resp, err = c.Do(r)
		if got := kindOf(t, Check(resp, err)); got != Timeout {
			t.Errorf("%s, the caller's time: %s", path, got)
		}
		cancel()
	}
}

// What a redirect may lead to: the same scheme and host, by GET, for what was a GET.
func TestRedirects(t *testing.T) {
	var asked atomic.Int32
	other := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	var status int
	var location string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/there" {
			answer(w, `{}`)
			return
		}
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	})
	host := strings.TrimPrefix(s.URL, "http://")
	c, _ := to(t, s.URL, nil)
	for _, code := range []int{301, 302, 303, 307, 308} {
		for to, ok := range map[string]bool{
			"/there": true, s.URL + "/there": true, "https://" + host + "/there": false, other.URL + "/there": false,
			"//" + strings.TrimPrefix(other.URL, "http://") + "/there": false, "http://user:pass@" + host + "/there": false, "file:///etc/hosts": false,
		} {
			status, location = code, to
			resp, err := c.Get(s.URL + "/from")
			if err = Check(resp, err); (err == nil) != ok {
				t.Errorf("%d to %s: %v", code, to, err)
			} else if err != nil && strings.Contains(err.Error(), "pass") {
				t.Errorf("the error holds user information: %v", err)
			}
		}
		status, location = code, "/there"
		resp, err := c.Post(s.URL+"/graphql", "application/json", strings.NewReader(`{"query":"{a}"}`))
		if got := kindOf(t, Check(resp, err)); got != Redirected {
			t.Errorf("a query, %d: %s", code, got)
		}
	}
	if asked.Load() > 0 {
		t.Error("another host was asked")
	}
}

// An https base is not read over http, and a plain http one only on this machine.
func TestSchemes(t *testing.T) {
	sent := 0
	count := roundTrip(func(*http.Request) (*http.Response, error) { sent++; return nil, errors.New("sent") })
	for _, x := range []struct {
		base, url string
		ok        bool
	}{
		{"https://api.github.com", "https://api.github.com/a", true},
		{"https://api.github.com", "https://API.github.com:443/a", true},
		{"https://api.github.com", "http://api.github.com/a", false},
		{"https://api.github.com", "https://api.github.com:8443/a", false},
		{"https://api.github.com", "https://api.github.com.evil.example/a", false},
		{"https://api.github.com", "https://uploads.github.com/a", false},
		{"http://ghe.corp.example", "http://ghe.corp.example/a", false},
		{"http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example/a", false},
		{"http://[::1]:80", "http://[::1]/a", true},
		{"http://localhost:1", "http://localhost:1/a", true},
		{"ftp://localhost", "ftp://localhost/a", false},
	} {
		c, _ := to(t, x.base, func(o *Options) { o.Inner = count })
		before := sent
		_, err := c.Get(x.url) //nolint:bodyclose // there is none
		if got := kindOf(t, err); sent > before != x.ok || (got == Refused) == x.ok {
			t.Errorf("%s from %s: %v", x.url, x.base, err)
		}
	}
	if _, err := New(Options{Inner: count}).Client().Get("https://api.github.com/a"); kindOf(t, err) != Refused { //nolint:bodyclose // there is none
		t.Errorf("without a base: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What was judged is what is sent: the path, the header and the body.
func TestSentAsJudged(t *testing.T) {
	var sent *http.Request
	c, _ := to(t, "http://localhost:1", func(o *Options) {
		o.Inner = roundTrip(func(r *http.Request) (*http.Response, error) { sent = r; return nil, errors.New("sent") })
	})
	r, _ := http.NewRequest(http.MethodPost, "http://localhost:1/graphql", strings.NewReader(`{"query":"{a}"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header["authorization"] = []string{"Bearer another"}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(`{"query":"mutation{a}"}`)), nil }
	r.Trailer, r.TransferEncoding = http.Header{"X": nil}, []string{"chunked"}
	if _, err := c.Transport.RoundTrip(r); kindOf(t, err) != Unavailable { //nolint:bodyclose // there is none
		t.Fatal(err)
	}
	again, err := sent.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := io.ReadAll(again); string(b) != `{"query":"{a}"}` {
		t.Errorf("sent again: %s", b)
	}
	if got := fmt.Sprint(sent.Header); strings.Contains(got, "another") || sent.Header.Get("Authorization") != "Bearer canary" {
		t.Errorf("%v", got)
	}
	if sent.TransferEncoding != nil || sent.Trailer != nil {
		t.Errorf("%v %v", sent.TransferEncoding, sent.Trailer)
	}
	sent = nil
	for name, change := range map[string]func(*http.Request){
		"opaque":   func(r *http.Request) { r.URL.Opaque = "//localhost:1/repos/a/b/issues" },
		"override": func(r *http.Request) { r.Header["x-http-method-override"] = []string{"DELETE"} },
		"host":     func(r *http.Request) { r.Host = "other.example" },
		"type":     func(r *http.Request) { r.Header.Set("Content-Type", "application/graphql") },
		"long": func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(`{"query":"{a}"}` + strings.Repeat(" ", maxQuery)))
		},
	} {
		r, _ := http.NewRequest(http.MethodPost, "http://localhost:1/graphql", strings.NewReader(`{"query":"{a}"}`))
		r.Header.Set("Content-Type", "application/json")
		change(r)
		if _, err := c.Transport.RoundTrip(r); kindOf(t, err) != Refused || sent != nil { //nolint:bodyclose // there is none
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The credential is in no error, proof or log, and in no answer that is handed on.
func TestCanary(t *testing.T) {
	const secret = "canary-0123456789-abcdefghij"
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	for _, basic := range []bool{false, true} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			said := r.Header.Get("Authorization")
			if _, p, ok := r.BasicAuth(); ok {
				said = p
			}
			switch r.URL.Path {
			case "/body":
				answer(w, `{"a":"`+said+`"}`)
			case "/error":
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				_, _ = fmt.Fprintf(w, `{"message":%q}`, said)
			case "/location":
				http.Redirect(w, r, "/there?state="+url.QueryEscape(said), http.StatusFound)
			case "/header":
				w.Header().Set("X-GitHub-Request-Id", said)
				answer(w, `{}`)
			case "/cut":
				w.Header().Set("Content-Length", "100")
				answer(w, `{`)
			default:
				answer(w, `{"path":"`+r.URL.Path+`"}`)
			}
		})
		c, w := to(t, s.URL, func(o *Options) {
			o.Authorize = func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+secret)
				if basic {
					r.SetBasicAuth("", secret)
				}
			}
		})
		for _, path := range []string{"/ok", "/body", "/error", "/location", "/header", "/cut"} {
			resp, err := c.Get(s.URL + path)
			if err = Check(resp, err); (err == nil) != (path == "/ok") {
				t.Errorf("%s: %v", path, err)
			}
			log.Info("x", "error", err, "proofs", w.Proofs(), "lines", Lines(w.Proofs(), 10))
			if resp != nil && resp.Request.Header.Get("Authorization") != "" {
				t.Errorf("%s: the answer's request holds the credential", path)
			}
		}
	}
	for _, form := range []string{secret, url.QueryEscape(secret), "OmNhbmFyeS0wMTIz"} {
		if strings.Contains(text.String(), form) {
			t.Errorf("%s in %s", form, text.String())
		}
	}
}

// Values of parameters that are named like secrets, and user information, are in no text.
func TestPublic(t *testing.T) {
	u, _ := url.Parse("https://user:canary@h.example/a%2Fb?access_token=canary&page=2&sig=canary#canary")
	if got := public(u); strings.Contains(got, "canary") || !strings.HasPrefix(got, "https://h.example/a%2Fb?") || !strings.Contains(got, "page=2") {
		t.Error(got)
	}
}

// How long is waited, for which answers, and how often.
func TestPatience(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, x := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   []time.Duration
		kind   Kind
	}{
		"asked":           {429, map[string]string{"Retry-After": "7"}, "", []time.Duration{7 * time.Second, 7 * time.Second, 7 * time.Second}, RateLimited},
		"nothing said":    {429, nil, "", []time.Duration{time.Minute}, RateLimited},
		"by its words":    {403, nil, `{"message":"You have exceeded a secondary rate limit"}`, []time.Duration{time.Minute}, RateLimited},
		"a date":          {503, map[string]string{"Retry-After": now.Add(30 * time.Second).Format(http.TimeFormat)}, "", []time.Duration{30 * time.Second, 30 * time.Second, 30 * time.Second}, Unavailable},
		"a date before":   {503, map[string]string{"Retry-After": now.Add(-time.Hour).Format(http.TimeFormat)}, "", []time.Duration{time.Second, time.Second, time.Second}, Unavailable},
		"until a reset":   {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Add(time.Minute).Unix())}, "", []time.Duration{time.Minute, time.Minute, time.Minute}, RateLimited},
		"a far reset":     {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(now.Add(time.Hour).Unix())}, "", nil, RateLimited},
		"for ever":        {429, map[string]string{"Retry-After": "9223372036854775807"}, "", nil, RateLimited},
		"a plain refusal": {403, nil, `{"message":"Resource not accessible"}`, nil, Forbidden},
		"a gateway":       {502, nil, "<html>", []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, Unavailable},
		"down":            {503, nil, "", nil, Unavailable},
		"broken":          {500, nil, "", nil, Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range x.header {
					w.Header().Set(k, v)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(x.status)
				_, _ = io.WriteString(w, x.body)
			})
			var slept []time.Duration
			c, w := to(t, s.URL, func(o *Options) {
				o.Now = func() time.Time { return now }
				o.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
			})
			resp, err := c.Get(s.URL)
			if got := kindOf(t, Check(resp, err)); got != x.kind || fmt.Sprint(slept) != fmt.Sprint(x.want) {
				t.Errorf("%s after %v", got, slept)
			}
			if n := len(w.Proofs()); n != len(x.want)+1 {
				t.Errorf("%d proofs", n)
			}
		})
	}
}

// An answer is confirmed only for the address and the form in which it was given.
func TestCacheKeys(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"one"`)
		answer(w, fmt.Sprintf("%q", r.URL.String()+r.Header.Get("Accept")))
	})
	c, w := to(t, s.URL, nil)
	for range 2 {
		for _, path := range []string{"/a", "/a?page=2", "/b"} {
			for _, accept := range []string{"application/json", "application/vnd.github+json"} {
				r, _ := http.NewRequest(http.MethodGet, s.URL+path, nil)
				r.Header.Set("Accept", accept)
				resp, err := c.Do(r)
				if err := Check(resp, err); err != nil {
					t.Fatal(err)
				}
				var got string
				if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got != path+accept {
					t.Errorf("%s %s: %s, %v", path, accept, got, err)
				}
			}
		}
	}
	if p := w.Proofs(); len(p) != 12 || p[5].Reused || !p[6].Reused {
		t.Errorf("%+v", p)
	}
	r, _ := http.NewRequest(http.MethodGet, s.URL+"/new", nil)
	r.Header.Set("If-None-Match", `"mine"`) // that nothing is known of here
	resp, err := c.Do(r)
	if got := kindOf(t, Check(resp, err)); got != Malformed {
		t.Errorf("%s", got)
	}
}

// What the service itself would not answer is no answer, and leaves no proof.
func TestAccept(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, `{}`) })
	c, w := to(t, s.URL, func(o *Options) {
		o.Accept = func(r *http.Response) error {
			if r.Header.Get("X-GitHub-Request-Id") == "" {
				return errors.New("it has no request id")
			}
			return nil
		}
	})
	resp, err := c.Get(s.URL)
	if err := Check(resp, err); kindOf(t, err) != Malformed || !strings.Contains(err.Error(), "request id") || len(w.Proofs()) != 0 {
		t.Errorf("%v, %v", err, w.Proofs())
	}
}

func TestLines(t *testing.T) {
	p := Proof{Method: "GET", URL: "https://h.example/a", Status: 200, Date: "now", RequestID: short("a\nb\x1b[31m" + strings.Repeat("c", 999)), BodySHA256: "00"}
	got := Lines([]Proof{p, p, p}, 2)
	if strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, "and 1 more") || strings.ContainsRune(got, 0x1b) || len(got) > 700 {
		t.Errorf("%q", got)
	}
	if Lines(nil, 2) != "" {
		t.Error("lines of nothing")
	}
}
