package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// maxKept is how much the cache holds, in bytes of bodies.
const maxKept = 32 << 20

// kept is an answer that can be confirmed by its ETag. One transport has one credential,
// so that no body passes from one identity to another.
type kept struct {
	etag   string
	header http.Header
	body   []byte
}

// send sends a request that was admitted and reads the whole answer.
func (t *Transport) send(r *http.Request, body []byte) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), t.whole)
	defer cancel()
	out := t.request(ctx, r, body)
	if t.o.Authorize != nil {
		t.o.Authorize(out)
	}
	key := r.URL.String() + "\n" + out.Header.Get("Accept")
	old, again := t.kept(key, r.Method)
	if again {
		out.Header.Set("If-None-Match", old.etag)
	}
	fail := func(kind Kind, status int, err error, message string) error {
		return &Error{Kind: kind, Status: status, Method: r.Method, URL: public(r.URL), Message: message, Err: err}
	}
	resp, err := t.inner.RoundTrip(out)
	if err != nil {
		e := classify(err)
		if ctx.Err() != nil {
			e.Kind, e.Message = Timeout, "there was no answer in time"
		}
		return nil, fail(e.Kind, 0, err, e.Message)
	}
	read, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	resp.Body.Close()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fail(Timeout, resp.StatusCode, err, "the answer did not end in time")
	case err != nil:
		return nil, fail(Malformed, resp.StatusCode, err, "the answer was cut off")
	case len(read) > MaxBody:
		return nil, fail(Malformed, resp.StatusCode, nil, fmt.Sprintf("the answer is longer than %d bytes", MaxBody))
	case r.Method != http.MethodHead && resp.ContentLength > int64(len(read)):
		return nil, fail(Malformed, resp.StatusCode, nil, "the answer was cut off")
	}
	if repeats(out.Header.Get("Authorization"), resp.Header, read) {
		return nil, fail(Malformed, resp.StatusCode, nil, "the answer repeats the credential that it was asked with; give the token back and take a new one")
	}
	if t.o.Accept != nil {
		if err := t.o.Accept(resp); err != nil {
			return nil, fail(Malformed, resp.StatusCode, err, "this is no answer of the service itself: "+err.Error())
		}
	}
	p := t.proof(r, resp, read)
	if resp.StatusCode == http.StatusNotModified {
		if !again {
			return nil, fail(Malformed, resp.StatusCode, nil, "it says that nothing changed, and nothing was known")
		}
		sum := sha256.Sum256(old.body)
		p.Reused, p.BodySHA256 = true, hex.EncodeToString(sum[:])
		header := old.header.Clone()
		maps.Copy(header, resp.Header)
		header.Set("Content-Type", old.header.Get("Content-Type"))
		resp.StatusCode, resp.Status, resp.Header, read = http.StatusOK, "200 OK", header, old.body
	} else if etag := resp.Header.Get("ETag"); etag != "" && resp.StatusCode == http.StatusOK && r.Method == http.MethodGet {
		t.keep(key, kept{etag: etag, header: resp.Header.Clone(), body: read})
	}
	t.mu.Lock()
	t.proofs = append(t.proofs, p)
	t.mu.Unlock()
	resp.Request = r // the caller's, without the credential
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(read)), int64(len(read))
	return resp, nil
}

// request is what is sent for a request that was admitted: its method, address and
// header, and the body that was judged, which is also the one that is sent again when the
// connection was lost.
func (t *Transport) request(ctx context.Context, r *http.Request, body []byte) *http.Request {
	out := &http.Request{Method: r.Method, URL: r.URL, Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	for _, h := range []http.Header{r.Header, t.o.Header} {
		for name, values := range h {
			out.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	out.Header.Del("Authorization")   // the one that is due comes from Authorize
	out.Header.Del("Accept-Encoding") // what the caller asks for would not be unpacked, and not be bounded
	if body != nil {
		out.ContentLength = int64(len(body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		out.Body, _ = out.GetBody() // never an error
	}
	return out.WithContext(ctx)
}

func (t *Transport) proof(r *http.Request, resp *http.Response, body []byte) Proof {
	sum := sha256.Sum256(body)
	h := resp.Header
	id := h.Get("X-GitHub-Request-Id")
	for _, name := range []string{"ActivityId", "X-VSS-E2EID"} {
		if v := h.Get(name); v != "" {
			id = strings.TrimPrefix(id+" "+v, " ")
		}
	}
	return Proof{
		Method: r.Method, URL: public(r.URL), Status: resp.StatusCode, Date: short(h.Get("Date")), RequestID: short(id), ETag: short(h.Get("ETag")),
		BodySHA256: hex.EncodeToString(sum[:]), At: t.o.Now().UTC(),
	}
}

func (t *Transport) kept(key, method string) (kept, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok := t.cache[key]
	return k, ok && method == http.MethodGet
}

// keep stores an answer; when the cache would grow beyond its bound it begins anew.
func (t *Transport) keep(key string, k kept) {
	t.mu.Lock()
	defer t.mu.Unlock()
	size := len(k.body)
	for _, other := range t.cache {
		size += len(other.body)
	}
	if size > maxKept {
		clear(t.cache)
	}
	t.cache[key] = k
}
