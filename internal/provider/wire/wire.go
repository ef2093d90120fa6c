// Package wire is the way to a provider: HTTP that can only read, to one host, with a
// record of what each answer really was.
//
// A [Transport] sends GET and HEAD, and POST to the one GraphQL address when the document
// has no operation but queries. Everything else is refused before anything is sent. The
// credential is added for the one scheme and host alone, so that no redirect and no link
// in an answer can carry it elsewhere. Every answer is read whole, within a bound, and
// leaves a [Proof].
package wire

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/asterweave/asterweave/internal/provider"
)

// Bounds of a request.
const (
	MaxBody      = 16 << 20         // bytes of a body, after decompression
	maxHeader    = 1 << 20          // bytes of an answer's header
	maxRedirects = 5                // within the one host
	maxWaits     = 3                // of one request, when the service asks for patience
	maxWait      = 90 * time.Second // of one wait; a longer one is the caller's to plan
	headerTime   = 30 * time.Second // until the head of an answer is there
	dialTime     = 10 * time.Second
	wholeTime    = 2 * time.Minute // until its body is there
)

// Options say where to, as whom, and what a real answer looks like.
type Options struct {
	Base      *url.URL                                   // scheme and host of every request: https, or http to a loopback address
	GraphQL   *url.URL                                   // the one address that a query may be posted to; nil for none
	Authorize func(*http.Request)                        // adds the credential; nil for none
	Header    http.Header                                // added to each request
	Inner     http.RoundTripper                          // nil for a transport of our own, with time limits and the proxy of the environment
	Sleep     func(context.Context, time.Duration) error // nil waits for real
	Now       func() time.Time                           // nil is the clock
	// Accept says what is wrong with an answer that the service itself would not give, such
	// as one without a request id; nil takes every answer.
	Accept func(*http.Response) error
}

// Transport is an [http.RoundTripper]. It may be used by several goroutines.
type Transport struct {
	o     Options
	inner http.RoundTripper
	whole time.Duration // until the body of one answer is there

	mu     sync.Mutex
	proofs []Proof
	cache  map[string]kept
}

// New returns a transport. A base that is neither https nor a loopback address refuses
// every request.
func New(o Options) *Transport {
	t := &Transport{o: o, inner: o.Inner, whole: wholeTime, cache: map[string]kept{}}
	if t.o.Now == nil {
		t.o.Now = time.Now
	}
	if t.o.Sleep == nil {
		t.o.Sleep = provider.Sleep
	}
	if t.inner == nil {
		t.inner = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout:    dialTime,
			ResponseHeaderTimeout:  headerTime,
			MaxResponseHeaderBytes: maxHeader,
			IdleConnTimeout:        headerTime,
			MaxIdleConnsPerHost:    2,
			ForceAttemptHTTP2:      true,
		}
	}
	return t
}

// Client returns a client over the transport that follows redirects of GET requests
// within the one scheme and host only.
func (t *Transport) Client() *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return &Error{Kind: Redirected, Method: r.Method, URL: public(r.URL), Message: "it redirects without end"}
		case via[0].Method == http.MethodPost, r.Method != http.MethodGet && r.Method != http.MethodHead, !t.home(r.URL):
			// A query that was posted would be asked for again as a GET of something else.
			return &Error{Kind: Redirected, Method: r.Method, URL: public(r.URL), Message: fmt.Sprintf("%s redirects to another place, which is not followed", public(via[len(via)-1].URL))}
		}
		return nil
	}}
}

// RoundTrip sends a request that can only read, waits where the service asks for
// patience, and hands on the whole answer. Errors are of type [*Error].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	body, err := t.admit(r)
	if err != nil {
		return nil, err
	}
	for wait := 0; ; wait++ {
		resp, err := t.send(r, body)
		if err != nil {
			return nil, err
		}
		after, ok := patience(resp, t.o.Now(), wait)
		if !ok || wait == maxWaits || after > maxWait || beyond(r.Context(), t.o.Now(), after) {
			return resp, nil
		}
		if err := t.o.Sleep(r.Context(), after); err != nil {
			return nil, &Error{Kind: Timeout, Method: r.Method, URL: public(r.URL), Message: "the time to read was over while the service asked for patience", RetryAfter: after, Err: err}
		}
	}
}

// Proofs returns what shows that the answers so far were real, in their order.
func (t *Transport) Proofs() []Proof {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Proof(nil), t.proofs...)
}

func beyond(ctx context.Context, now time.Time, d time.Duration) bool {
	end, ok := ctx.Deadline()
	return ok && now.Add(d).After(end)
}
