package github

import (
	"net/url"
	"strings"
)

// public is the host that is not an enterprise's.
const public = "github.com"

// Endpoint is where a host answers. REST has no slash at its end. Both have the same
// scheme and host.
type Endpoint struct{ REST, GraphQL *url.URL }

// EndpointOf returns where a host answers: github.com and *.ghe.com have a host of their
// own for it, an Enterprise Server has a path.
func EndpointOf(host string) Endpoint {
	host = strings.ToLower(host)
	if host == public || strings.HasSuffix(host, ".ghe.com") {
		api := "api." + host
		return Endpoint{
			REST:    &url.URL{Scheme: "https", Host: api},
			GraphQL: &url.URL{Scheme: "https", Host: api, Path: "/graphql"},
		}
	}
	return Endpoint{
		REST:    &url.URL{Scheme: "https", Host: host, Path: "/api/v3"},
		GraphQL: &url.URL{Scheme: "https", Host: host, Path: "/api/graphql"},
	}
}
