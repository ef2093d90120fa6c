package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

// Kind says what went wrong.
type Kind string

// Kinds of errors.
const (
	Unauthorized Kind = "unauthorized" // the credential is missing, wrong or expired
	Forbidden    Kind = "forbidden"    // it does not reach that far
	NotFound     Kind = "not-found"    // absent, or not to be seen with this credential
	Gone         Kind = "gone"
	RateLimited  Kind = "rate-limited"
	Unavailable  Kind = "unavailable" // the service or the network
	Malformed    Kind = "malformed"   // no whole JSON document of the service
	Redirected   Kind = "redirected"
	Refused      Kind = "refused" // by this package; nothing was sent
	Timeout      Kind = "timeout"
)

// Error is a request that gave no answer to rely on.
type Error struct {
	Kind       Kind
	Status     int // of the answer, 0 where there is none
	Method     string
	URL        string // without secrets
	Message    string
	Grant      string        // that the service names as missing, "" where it names none
	RetryAfter time.Duration // how long the service asks to wait, 0 where it does not
	Err        error
}

// Error says what was asked and what came of it.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", e.Method, e.URL, e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Grant != "" {
		b.WriteString("; the grant that is missing: " + e.Grant)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; it asks to wait for %s", e.RetryAfter.Round(time.Second))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Check returns nil for a whole answer with status 200 and a JSON document in it, which
// it leaves to be read, and an [*Error] for everything else. It takes what a client's Do
// returned; the body of an answer that is no good is closed.
func Check(resp *http.Response, err error) error {
	if err != nil {
		return classify(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return classify(err)
	}
	e := &Error{Status: resp.StatusCode}
	if resp.Request != nil {
		e.Method, e.URL = resp.Request.Method, public(resp.Request.URL)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // none is no JSON
	isJSON := kind == "application/json" || strings.HasSuffix(kind, "+json")
	if isJSON {
		e.Message = message(body)
	}
	switch s := resp.StatusCode; {
	case s == http.StatusOK:
		body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
		switch {
		case !isJSON:
			e.Kind, e.Message = Malformed, fmt.Sprintf("the answer is %q and no JSON; a page to sign in looks like that", kind)
		case len(bytes.TrimSpace(body)) == 0:
			e.Kind, e.Message = Malformed, "the answer is empty"
		case !json.Valid(body):
			e.Kind, e.Message = Malformed, "the answer is no whole JSON document"
		default:
			resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			return nil
		}
	case s == http.StatusUnauthorized:
		e.Kind = Unauthorized
	case limited(resp, body):
		e.Kind, e.RetryAfter = RateLimited, waitOf(resp, time.Now())
	case s == http.StatusForbidden:
		e.Kind, e.Grant = Forbidden, grant(resp.Header)
	case s == http.StatusNotFound:
		e.Kind = NotFound
		e.Message = strings.TrimSpace(e.Message + " (absent, or not to be seen with this token)")
	case s == http.StatusGone:
		e.Kind = Gone
	case s == http.StatusNonAuthoritativeInfo:
		e.Kind, e.Message = Unauthorized, "a page to sign in came instead of an answer: the token is missing, wrong or expired"
	case s >= 300 && s < 400:
		e.Kind = Redirected
	case s >= 500:
		e.Kind, e.RetryAfter = Unavailable, waitOf(resp, time.Now())
	default:
		e.Kind = Malformed
		if e.Message == "" {
			e.Message = "the service gave an answer that is not understood here"
		}
	}
	return e
}

func classify(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	out := &Error{Kind: Unavailable, Message: "there was no answer", Err: err}
	var n net.Error
	if errors.As(err, &n) && n.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		out.Kind, out.Message = Timeout, "there was no whole answer in time"
	}
	return out
}

// message is what the service says of an error, in at most 300 bytes.
func message(body []byte) string {
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	return strings.ToValidUTF8(fmt.Sprintf("%.300s", said.Message), "")
}

// grant is the permission that a refusal names. GitHub names what would do in
// X-Accepted-GitHub-Permissions or X-Accepted-OAuth-Scopes, and an organisation that wants
// its sign-on in X-GitHub-SSO.
func grant(h http.Header) string {
	for _, name := range []string{"X-Accepted-GitHub-Permissions", "X-Accepted-OAuth-Scopes"} {
		if v := h.Get(name); v != "" {
			return fmt.Sprintf("%.200s", v)
		}
	}
	if strings.HasPrefix(h.Get("X-GitHub-SSO"), "required") {
		return "single sign-on of the organisation for this token"
	}
	return ""
}
