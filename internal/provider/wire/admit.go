package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// maxQuery is the longest GraphQL request, in bytes.
const maxQuery = 1 << 20

// admit returns the body of a request that may be sent, and refuses every other one.
func (t *Transport) admit(r *http.Request) ([]byte, error) {
	refuse := func(format string, args ...any) ([]byte, error) {
		return nil, &Error{Kind: Refused, Method: r.Method, URL: public(r.URL), Message: fmt.Sprintf(format, args...)}
	}
	if !t.home(r.URL) {
		return refuse("it is not %s, the one place that is read here", public(t.o.Base))
	}
	if t.o.Base.Scheme != "https" && (t.o.Base.Scheme != "http" || !loopback(t.o.Base.Hostname())) {
		return refuse("only https is read, except from this machine itself")
	}
	if r.URL.Opaque != "" { // what is sent would not be the path that is judged here
		return refuse("its address is not a host and a path")
	}
	if r.URL.User != nil || r.Host != "" && !strings.EqualFold(r.Host, r.URL.Host) {
		return refuse("its address holds user information, or it names another host")
	}
	for name := range r.Header {
		switch strings.ToLower(name) { // a key of the map need not be in the canonical spelling
		case "x-http-method-override", "x-http-method", "x-method-override":
			return refuse("the header %s can turn a read into a write", name)
		}
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(io.LimitReader(r.Body, maxQuery+1)); err != nil {
			return refuse("its body cannot be read: %v", err)
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if len(body) > 0 {
			return refuse("a read has no body")
		}
		return nil, nil
	case http.MethodPost:
		if t.o.GraphQL == nil || !sameAddress(r.URL, t.o.GraphQL) {
			return refuse("nothing but a query is posted, and to one address only")
		}
	default:
		return refuse("only reads are sent")
	}
	if len(body) > maxQuery {
		return refuse("the query is longer than %d bytes", maxQuery)
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refuse("a query is posted as application/json")
	}
	document, err := queryOf(body)
	if err == nil {
		err = onlyQueries(document)
	}
	if err != nil {
		return refuse("%v", err)
	}
	return body, nil
}

// queryOf returns the document of a GraphQL request: one JSON object with a query that is
// text, said once, and nothing that stands for another document.
func queryOf(body []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return "", fmt.Errorf("the query is no JSON object")
	}
	document, found := "", false
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", fmt.Errorf("the query is no JSON object: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return "", fmt.Errorf("the query is no JSON object: %w", err)
		}
		switch name {
		case "query":
			if found {
				return "", fmt.Errorf("the query is said twice")
			}
			found = true
			if err := json.Unmarshal(value, &document); err != nil {
				return "", fmt.Errorf("the query is no text")
			}
		case "variables", "operationName":
		default:
			return "", fmt.Errorf("a query has no field %q", name)
		}
	}
	if _, err := dec.Token(); err != nil {
		return "", fmt.Errorf("the query is no whole JSON object: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF || !found {
		return "", fmt.Errorf("the query is not one JSON object with a query")
	}
	return document, nil
}

// home reports whether an address lies at the one scheme and host.
func (t *Transport) home(u *url.URL) bool {
	return t.o.Base != nil && u != nil && u.Scheme == t.o.Base.Scheme && strings.EqualFold(hostPort(u), hostPort(t.o.Base))
}

func hostPort(u *url.URL) string {
	if port := u.Port(); port != "" {
		return u.Hostname() + ":" + port
	}
	return u.Hostname() + ":" + map[string]string{"https": "443", "http": "80"}[u.Scheme]
}

func sameAddress(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(hostPort(a), hostPort(b)) && strings.TrimPrefix(a.EscapedPath(), "/") == strings.TrimPrefix(b.EscapedPath(), "/") && a.RawQuery == b.RawQuery
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// public is an address without what may be a secret in it: user information, and values
// of query parameters that are named like one.
func public(u *url.URL) string {
	if u == nil {
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	query := u.Query()
	for name := range query {
		lower := strings.ToLower(name)
		for _, secret := range []string{"token", "secret", "sig", "key", "password", "code"} {
			if strings.Contains(lower, secret) {
				query.Set(name, "…")
			}
		}
	}
	clean.RawQuery = query.Encode()
	return clean.String()
}
