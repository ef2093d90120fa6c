package azureserver

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/asterweave/asterweave/internal/provider/fault"
)

// serve gives the broken answer, unless it is a true one that is cut. The kinds are 403,
// 404, 429, 502, empty, hollow, truncated, malformed, sign-in, timeout, and redirected.
func serve(f fault.Fault, w http.ResponseWriter, r *http.Request) bool {
	html := func(status int, text string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text)) // a client that is gone hears nothing
	}
	switch f.Kind {
	case "403":
		problem(w, http.StatusForbidden, "AccessCheckException", "TF401027: You need the permission to read this resource.")
	case "404":
		problem(w, http.StatusNotFound, "VssResourceNotFoundException", "TF401180: it was not found.")
	case "429":
		w.Header().Set("Retry-After", "3600")
		problem(w, http.StatusTooManyRequests, "RequestBlockedException", "TF400733: The request has been canceled: Request was blocked due to exceeding usage of resource 'Concurrency' in namespace 'User'.")
	case "502":
		html(http.StatusBadGateway, "<html><body>bad gateway</body></html>")
	case "empty":
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusOK)
	case "hollow":
		write(w, http.StatusOK, map[string]any{})
	case "malformed":
		html(http.StatusOK, "<!DOCTYPE html><html><body>maintenance</body></html>")
	case "sign-in":
		signIn(w)
	case "timeout":
		<-r.Context().Done()
	case "redirected":
		w.Header().Set("Location", f.Other+r.URL.RequestURI())
		w.WriteHeader(http.StatusMovedPermanently)
	default:
		return false
	}
	return true
}

func signIn(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNonAuthoritativeInfo)
	_, _ = w.Write([]byte("<!DOCTYPE html><html><head><title>Azure DevOps Services | Sign In</title></head><body></body></html>")) // as above
}

// truncate says how long the answer is and ends within it.
func truncate(w http.ResponseWriter, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		b = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(b[:len(b)/2]) // as above
}
