package wire

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// leastWait is the wait of a service that says that it is asked too often, and not how
// long to wait: GitHub's documentation of secondary limits asks for a minute.
const leastWait = time.Minute

// patience returns how long to wait before a request is sent again, and whether waiting
// makes sense. wait counts the waits before this one.
func patience(resp *http.Response, now time.Time, wait int) (time.Duration, bool) {
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return 0, false
	}
	after := waitOf(resp, now)
	switch {
	case limited(resp, body):
		if after == 0 {
			after = leastWait << wait
		}
		return after, true
	case resp.StatusCode == http.StatusServiceUnavailable:
		return after, after > 0
	case resp.StatusCode == http.StatusBadGateway, resp.StatusCode == http.StatusGatewayTimeout:
		return time.Second << wait, true // it was not the service that answered
	}
	return 0, false
}

// limited reports whether a service says that it is asked too often. GitHub does so with
// 429, or with 403 and one of: no requests remaining, Retry-After, or its words alone.
func limited(resp *http.Response, body []byte) bool {
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		said := strings.ToLower(message(body))
		return resp.Header.Get("X-RateLimit-Remaining") == "0" || resp.Header.Get("Retry-After") != "" ||
			strings.Contains(said, "rate limit") || strings.Contains(said, "abuse detection")
	}
	return false
}

// waitOf returns how long an answer asks to wait, 0 where it does not say.
func waitOf(resp *http.Response, now time.Time) time.Duration {
	if v := resp.Header.Get("Retry-After"); v != "" {
		if n, err := strconv.Atoi(v); err == nil && n >= 0 {
			return time.Duration(min(max(n, 1), 1<<20)) * time.Second // what is longer is too long anyway
		}
		if at, err := http.ParseTime(v); err == nil {
			return max(at.Sub(now), time.Second)
		}
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		if n, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil { // seconds since 1970
			return max(time.Unix(n, 0).Sub(now), time.Second)
		}
	}
	return 0
}
