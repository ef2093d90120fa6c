package azuredevops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/provider/wire"
)

// Grants of a token, as the service's page for personal access tokens names them.
const (
	grantCode  = "Code (Read)"
	grantBuild = "Build (Read)"
	grantWork  = "Work Items (Read)"
	grantNone  = ""
)

// resource is something that can be read.
type resource struct {
	what    string   // for people
	project string   // "" for what is of the whole organisation
	path    []string // below _apis, not escaped
	query   url.Values
	preview func(release string) string // suffix of the version where the resource is in preview, or nil
	grant   string
}

// releases are the versions of the API that are asked for, newest first: a server of
// one's own may know only an older one.
func releases() []string { return []string{"7.1", "7.0", "6.0", "5.1"} }

func alwaysPreview(string) string { return "-preview" }
func firstPreview(string) string  { return "-preview.1" }

// refusal is the service's own shape of an error.
type refusal struct {
	Message string `json:"message"`
	TypeKey string `json:"typeKey"`
}

// ReadError says what could not be read, and which grant would allow it.
type ReadError struct {
	What  string
	Grant string // "" where no grant would help
	Err   error
}

// Error implements error.
func (e *ReadError) Error() string {
	text := fmt.Sprintf("%s could not be read: %v", e.What, e.Err)
	var we *wire.Error
	if e.Grant != "" && errors.As(e.Err, &we) && (we.Kind == wire.NotFound || we.Kind == wire.Forbidden || we.Kind == wire.Unauthorized) {
		text += "; the grant for it is " + e.Grant
	}
	return text
}

// Unwrap returns what went wrong.
func (e *ReadError) Unwrap() error { return e.Err }

// get reads a resource into a value that check accepts.
func (s *session) get(ctx context.Context, r resource, into any) error {
	body, _, err := s.body(ctx, r)
	if err == nil {
		err = decode(body, into)
	}
	if c, ok := into.(interface{ check() error }); ok && err == nil {
		err = c.check()
	}
	if err != nil {
		return &ReadError{What: r.what, Grant: r.grant, Err: err}
	}
	return nil
}

// body asks with the newest version of the API that the service accepts.
func (s *session) body(ctx context.Context, r resource) ([]byte, http.Header, error) {
	suffix := ""
	for {
		release := releases()[s.release]
		if r.preview != nil {
			suffix = r.preview(release)
		}
		resp, err := s.send(ctx, r, release+suffix)
		if err == nil && resp.StatusCode == http.StatusBadRequest {
			var why refusal
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close() // it was read
			if err != nil {
				return nil, nil, err
			}
			isJSON := decode(body, &why) == nil
			switch {
			case isJSON && why.TypeKey == "VssVersionOutOfRangeException" && s.release+1 < len(releases()):
				s.release++
				continue
			case isJSON && why.TypeKey == "VssInvalidPreviewVersionException" && suffix == "":
				suffix = "-preview"
				continue
			}
			return nil, nil, fmt.Errorf("the service refuses the request (400): %.200s", why.Message)
		}
		if err := wire.Check(resp, err); err != nil {
			return nil, nil, err
		}
		defer func() { _ = resp.Body.Close() }() // it is read whole
		body, err := io.ReadAll(resp.Body)
		s.rest = seconds(resp.Header.Get("Retry-After"))
		return body, resp.Header, err
	}
}

func (s *session) send(ctx context.Context, r resource, version string) (*http.Response, error) {
	// A good answer that says Retry-After was delayed, and the next one may be refused.
	if s.rest > 0 {
		if err := s.sleep(ctx, s.rest); err != nil {
			return nil, err
		}
		s.rest = 0
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url(r, version).String(), nil)
	if err != nil {
		return nil, err
	}
	return s.client.Do(req)
}

func (s *session) url(r resource, version string) *url.URL {
	u := *s.collection
	parts := append([]string{"_apis"}, r.path...)
	if r.project != "" {
		parts = append([]string{r.project}, parts...)
	}
	escaped := make([]string, len(parts))
	for i, p := range parts {
		escaped[i] = url.PathEscape(p)
	}
	root := strings.TrimSuffix(s.collection.EscapedPath(), "/")
	u.Path = strings.TrimSuffix(s.collection.Path, "/") + "/" + strings.Join(parts, "/")
	u.RawPath = root + "/" + strings.Join(escaped, "/")
	q := url.Values{"api-version": {version}}
	for k, v := range r.query {
		q[k] = v
	}
	u.RawQuery = q.Encode()
	return &u
}

// seconds reads Retry-After, bound by what a person would wait.
func seconds(s string) time.Duration {
	const most = 30
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return 0
	}
	return time.Duration(min(n, most)) * time.Second
}

// collect reads a list page by page, with $top and $skip, until a page is empty: a page
// that is merely short may have been cut by the service. key names what is in a page.
func collect[T any](ctx context.Context, s *session, r resource, key func(T) string) ([]T, error) {
	const size, most = 100, 100
	var all []T
	seen := map[string]bool{}
	for range most {
		q := url.Values{"$top": {strconv.Itoa(size)}, "$skip": {strconv.Itoa(len(all))}}
		for k, v := range r.query {
			q[k] = v
		}
		one := r
		one.query = q
		var l list[T]
		if err := s.get(ctx, one, &l); err != nil {
			return nil, err
		}
		if len(l.Value) == 0 {
			return all, nil
		}
		for _, v := range l.Value {
			k := key(v)
			if k == "" || seen[k] {
				return nil, &ReadError{What: r.what, Err: shape("a page repeats an earlier one, or its values have no ids")}
			}
			seen[k] = true
			all = append(all, v)
		}
	}
	return nil, &ReadError{What: r.what, Err: shape("there are more than %d values", size*most)}
}
