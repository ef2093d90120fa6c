package github

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/provider/wire"
)

//go:embed queries/*.graphql
var documents embed.FS

// queryError is what the service said in place of an answer, or beside one. An answer
// with an error entry is not whole, whatever data came with it.
type queryError struct {
	Operation string
	Kind      wire.Kind
	Undefined bool // the server does not know a field: it has no such thing
	Message   string
	Wait      time.Duration
}

func (e *queryError) Error() string {
	text := fmt.Sprintf("query %s: %s: %s", e.Operation, e.Kind, e.Message)
	if e.Wait > 0 {
		text += fmt.Sprintf("; try again in %s", e.Wait.Round(time.Second))
	}
	if e.Kind == wire.NotFound {
		text += "; it is not there, or this token may not see it"
	}
	return text
}

// refusal is an entry of a GraphQL answer's errors.
type refusal struct {
	Type       string `json:"type"`
	Message    string `json:"message"`
	Path       []any  `json:"path"`
	Extensions struct {
		Code string `json:"code"`
	} `json:"extensions"`
}

// query asks one of the documents in queries and decodes its data.
func (r *reading) query(ctx context.Context, operation string, variables map[string]any, into any) error {
	document, err := documents.ReadFile("queries/" + strings.ToLower(operation) + ".graphql")
	if err != nil {
		return fmt.Errorf("query %s: %w", operation, err)
	}
	body, err := json.Marshal(map[string]any{"query": string(document), "operationName": operation, "variables": variables})
	if err != nil {
		return fmt.Errorf("query %s: %w", operation, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint.GraphQL.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("query %s: %w", operation, err)
	}
	req.Header.Set("Content-Type", "application/json")
	header, raw, err := r.send(req)
	if err != nil {
		return err
	}
	var envelope struct {
		Data   json.RawMessage `json:"data"`
		Errors []refusal       `json:"errors"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return &queryError{Operation: operation, Kind: wire.Malformed, Message: "the answer is no GraphQL answer"}
	}
	if len(envelope.Errors) > 0 {
		return r.refused(operation, envelope.Errors, header)
	}
	if len(envelope.Data) == 0 || string(envelope.Data) == "null" {
		return &queryError{Operation: operation, Kind: wire.Malformed, Message: "the answer has no data"}
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		return &queryError{Operation: operation, Kind: wire.Malformed, Message: "the data has another shape than was asked for: " + err.Error()}
	}
	return nil
}

// refused classifies the entries; the first that is not a mere unknown field names it.
func (r *reading) refused(operation string, entries []refusal, header http.Header) error {
	e := &queryError{Operation: operation, Kind: wire.Unavailable, Undefined: true}
	for _, entry := range entries {
		if entry.Extensions.Code == "undefinedField" || entry.Extensions.Code == "argumentNotAccepted" {
			continue
		}
		e.Undefined = false
		e.Message = entry.Message
		switch {
		case entry.Type == "RATE_LIMITED", strings.Contains(strings.ToLower(entry.Message), "rate limit"):
			e.Kind, e.Wait = wire.RateLimited, r.wait(header)
		case entry.Type == "NOT_FOUND":
			e.Kind = wire.NotFound
		case entry.Type == "FORBIDDEN", entry.Type == "INSUFFICIENT_SCOPES":
			e.Kind = wire.Forbidden
		}
		break
	}
	if e.Message == "" {
		e.Message = entries[0].Message
	}
	e.Message = strings.ToValidUTF8(fmt.Sprintf("%.300s", e.Message), "") // it goes into records
	if n := len(entries); n > 1 {
		e.Message += fmt.Sprintf(" (and %d more)", n-1)
	}
	return e
}

// wait is how long the headers ask to wait: Retry-After, else until the reset (UTC
// seconds) where nothing remains, else the minute that GitHub asks for.
func (r *reading) wait(header http.Header) time.Duration {
	if s, err := strconv.Atoi(header.Get("Retry-After")); err == nil && s > 0 {
		return time.Duration(s) * time.Second
	}
	if reset, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64); err == nil && header.Get("X-Ratelimit-Remaining") == "0" {
		if d := time.Unix(reset, 0).Sub(r.now()); d > 0 {
			return d
		}
	}
	return time.Minute
}

// undefined reports whether the server has no such field, so that it has no such thing.
func undefined(err error) bool {
	var q *queryError
	return errors.As(err, &q) && q.Undefined
}

// hidden reports whether GraphQL itself said that the token may not see something. A
// request that was refused as a whole says nothing of the kind.
func hidden(err error) bool {
	var q *queryError
	return errors.As(err, &q) && q.Kind == wire.Forbidden
}
