package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/wire"
)

const (
	pageSize = 100
	maxPages = 100 // of one list; more is not read, and said so
	maxProof = 40  // lines of proof on an answer; the artifact has all of them
)

// reading is one read: a service, the repository that it is about, and the answers that
// came since it began.
type reading struct {
	*service
	owner, name string       // canonical as soon as the service has told it
	pinned      string       // identity that was read first, "" for none
	id          int64        // of the repository, 0 before it is known
	mark        int          // proofs before this read
	before      []wire.Proof // of the part of it that another host answered
	asked       string       // "owner/name" as the remote or the source says it
	elsewhere   string       // "owner/name" that an issue says it lies in, where it is not this one
}

// errMoved is an answer that is about another commit, base or repository than the one
// before it.
var errMoved = errors.New("it moved while it was being read")

// send performs a request and returns header and body of a whole 200 with JSON.
func (r *reading) send(req *http.Request) (http.Header, []byte, error) {
	resp, err := r.client.Do(req)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
	}
	if err := wire.Check(resp, err); err != nil {
		return nil, nil, err
	}
	if strings.HasPrefix(resp.Header.Get("X-Github-Sso"), "partial-results") {
		return nil, nil, &wire.Error{
			Kind: wire.Forbidden, Status: resp.StatusCode, Method: req.Method, URL: req.URL.Path,
			Message: "parts are left out of the answer", Grant: "single sign-on of the organisation for this token",
		}
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, err)
	}
	return resp.Header, raw, nil
}

// get reads a path below the REST root, or a whole URL of a next page, into a value.
func (r *reading) get(ctx context.Context, path string, into any) (http.Header, error) {
	address := path
	if strings.HasPrefix(path, "/") {
		address = r.endpoint.REST.String() + path
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", path, err)
	}
	header, raw, err := r.send(req)
	if err != nil {
		return nil, err
	}
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil, malformed(req, "the answer is null")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, malformed(req, "the answer has another shape than is documented: "+err.Error())
	}
	return header, nil
}

func malformed(req *http.Request, message string) error {
	return &wire.Error{Kind: wire.Malformed, Status: http.StatusOK, Method: req.Method, URL: req.URL.Path, Message: message}
}

// pages reads all pages of a list. Next pages are taken from the Link header as they
// stand: they lead through /repositories/{id}. The last page that the header names has to
// be reached, since a list has no total of its own.
func pages[T any](ctx context.Context, r *reading, path string, each func(T) error) error {
	last := 0
	for n := 0; ; n++ {
		if n == maxPages {
			return fmt.Errorf("GET %s: more than %d pages; what is beyond was not read", path, maxPages)
		}
		var page T
		header, err := r.get(ctx, path, &page)
		if err != nil {
			return err
		}
		if err := each(page); err != nil {
			return err
		}
		last = max(last, pageOf(linked(header, "last")))
		next := linked(header, "next")
		switch {
		case next != "":
			path = next
		case n+1 < last:
			return fmt.Errorf("GET %s: %d of %d pages were told; the list is not whole", path, n+1, last)
		default:
			return nil
		}
	}
}

// linked returns the URL that the Link header has for a relation, "" for none.
func linked(header http.Header, rel string) string {
	for _, line := range header.Values("Link") {
		for part := range strings.SplitSeq(line, ",") {
			target, params, ok := strings.Cut(part, ">")
			if ok && strings.Contains(params, `rel="`+rel+`"`) {
				return strings.TrimPrefix(strings.TrimSpace(target), "<")
			}
		}
	}
	return ""
}

// pageOf is the number of the page that a URL names, 0 where it names none.
func pageOf(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(u.Query().Get("page")) // none is 0
	return n
}

// pageInfo is where a connection goes on.
type pageInfo struct {
	HasNextPage bool   `json:"hasNextPage"`
	EndCursor   string `json:"endCursor"`
}

// follow asks for the pages of a connection until the last. page returns how many nodes
// came and what the connection says of itself; the sum has to be its total.
func follow(what string, page func(after any) (nodes, total int, info pageInfo, err error)) error {
	var after any
	seen := 0
	for n := 0; ; n++ {
		if n == maxPages {
			return fmt.Errorf("%s: more than %d pages; what is beyond was not read", what, maxPages)
		}
		nodes, total, info, err := page(after)
		if err != nil {
			return err
		}
		seen += nodes
		if !info.HasNextPage {
			if seen != total {
				return fmt.Errorf("%s: %d of %d were told; the list is not whole", what, seen, total)
			}
			return nil
		}
		if info.EndCursor == "" || info.EndCursor == after {
			return fmt.Errorf("%s: there is a next page without a way to it", what)
		}
		after = info.EndCursor
	}
}

// path is a path below the repository.
func (r *reading) path(format string, parts ...any) string {
	for i, p := range parts {
		if s, ok := p.(string); ok {
			parts[i] = url.PathEscape(s)
		}
	}
	return "/repos/" + url.PathEscape(r.owner) + "/" + url.PathEscape(r.name) + fmt.Sprintf(format, parts...)
}

// confirm holds an answer against the repository that this read is about: names can be
// given away, the identifier cannot. An id of 0 was not told.
func (r *reading) confirm(id int64, fullName string) error {
	if id != 0 {
		if r.id != 0 && r.id != id {
			return fmt.Errorf("%w: repository %d answered, and %d before it", errMoved, id, r.id)
		}
		r.id = id
		if r.pinned != "" && r.pinned != r.identity() {
			return fmt.Errorf("another repository answers under the name %s: %s, and %s was read first; if that is intended, start a new delivery", fullName, r.identity(), r.pinned)
		}
	}
	if owner, name, ok := strings.Cut(fullName, "/"); ok {
		r.owner, r.name = owner, name
	}
	return nil
}

// identity is what stays the same when a repository is renamed or given away.
func (r *reading) identity() string {
	if r.id == 0 {
		return ""
	}
	return fmt.Sprintf("%s/repositories/%d", r.host, r.id)
}

// renamed says that the remote's name is an old one, "" where it is not.
func (r *reading) renamed() string {
	if now := r.owner + "/" + r.name; !strings.EqualFold(now, r.asked) {
		return fmt.Sprintf("the repository %s is now %s; the remote should name it so", r.asked, now)
	}
	return ""
}

// variables are those that all queries about a numbered thing take.
func (r *reading) variables(number int) map[string]any {
	return map[string]any{"owner": r.owner, "name": r.name, "number": number}
}

// proofs are those of this read.
func (r *reading) proofs() []wire.Proof {
	all := r.transport.Proofs()
	return slices.Concat(r.before, all[min(r.mark, len(all)):])
}

// answer begins an answer with the proof of all that was read. decided are the values
// that the verdict was made from; each is a line of the artifact.
func (r *reading) answer(decided ...any) provider.Answer {
	proofs := r.proofs()
	a := provider.Answer{Repository: r.identity(), Proof: wire.Lines(proofs, maxProof)}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	for _, d := range decided {
		_ = lines.Encode(d) // a buffer takes all, and these types have no value that JSON lacks
	}
	for _, p := range proofs {
		_ = lines.Encode(p)
	}
	a.Output = out.Bytes()
	return a
}

// unknown is the answer of a read that found out too little.
func (r *reading) unknown(err error, decided ...any) provider.Answer {
	a := r.answer(decided...)
	a.Result, a.Summary, a.Because = evidence.Unknown, "could not be read", err.Error()
	a.Pending, a.RetryAfter = again(err)
	if errors.Is(err, errMoved) {
		a.Summary = "moved while it was being read"
	}
	return a
}

// again reports whether the same read may succeed later without anybody acting, and how
// long the service asked to wait.
func again(err error) (bool, time.Duration) {
	var q *queryError
	if errors.As(err, &q) {
		switch q.Kind {
		case wire.RateLimited, wire.Unavailable, wire.Timeout:
			return !q.Undefined, q.Wait
		}
		return false, 0
	}
	var w *wire.Error
	if errors.As(err, &w) {
		switch w.Kind {
		case wire.RateLimited, wire.Unavailable, wire.Timeout:
			return true, w.RetryAfter
		}
	}
	return false, 0
}

func kindOf(err error) wire.Kind {
	var w *wire.Error
	if errors.As(err, &w) {
		return w.Kind
	}
	return ""
}

// isCommit reports whether a text is a whole object name.
func isCommit(s string) bool {
	return regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`).MatchString(s)
}
