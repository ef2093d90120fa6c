package githubserver

import (
	"net/http"

	"github.com/asterweave/asterweave/internal/provider/fault"
)

// serve gives the broken answer, unless it is a true one that is cut or partial. The kinds
// are 403, 403-bare (a limit that is told by words alone), 404, 429, 502, empty, hollow,
// truncated, malformed, sign-in, timeout, partial (an error entry beside whole data, of
// queries alone), and redirected.
func serve(f fault.Fault, w http.ResponseWriter, r *http.Request, n int) bool {
	send := func(status int, kind, body string) {
		headers(w.Header(), n)
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a client that is gone hears nothing
	}
	const (
		isJSON = "application/json; charset=utf-8"
		isHTML = "text/html; charset=utf-8"
	)
	switch f.Kind {
	case "403":
		send(http.StatusForbidden, isJSON, `{"message":"Resource not accessible by personal access token","documentation_url":"https://docs.github.com/rest","status":"403"}`)
	case "403-bare":
		send(http.StatusForbidden, isJSON, `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`)
	case "404":
		send(http.StatusNotFound, isJSON, `{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`)
	case "429":
		w.Header().Set("Retry-After", "3600")
		send(http.StatusTooManyRequests, isJSON, `{"message":"You have exceeded a secondary rate limit."}`)
	case "502":
		send(http.StatusBadGateway, isHTML, "<html><head><title>502</title></head><body>We couldn't respond to your request in time.</body></html>")
	case "empty":
		send(http.StatusOK, isJSON, "")
	case "hollow":
		send(http.StatusOK, isJSON, "{}")
	case "malformed":
		send(http.StatusOK, isHTML, "<!DOCTYPE html><html><body>unicorn</body></html>")
	case "sign-in":
		send(http.StatusNonAuthoritativeInfo, isHTML, "<!DOCTYPE html><html><head><title>Sign in</title></head><body></body></html>")
	case "timeout":
		<-r.Context().Done()
	case "redirected":
		w.Header().Set("Location", f.Other+r.URL.RequestURI())
		send(http.StatusMovedPermanently, isJSON, `{"message":"Moved Permanently"}`)
	default:
		return false
	}
	return true
}
