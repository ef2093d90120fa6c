// Package token finds the credential that a provider is read with. It belongs to one host
// and is never printed: every way of formatting a [Token] gives where it came from.
//
// What it finds is what the user's own tools use. A token that can only read is enough,
// and is what the environment of an agent should hold.
package token

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
	"github.com/asterweave/asterweave/internal/provider/remote"
)

// azureResource is the id under which Entra knows Azure DevOps, from Microsoft's
// documentation of its authentication.
const azureResource = "499b84ac-1321-427f-aa17-267ca6975798"

// Token is a credential for one host. The zero value is none.
type Token struct {
	Source string // GH_TOKEN, gh auth token, …
	Host   string
	basic  bool
	value  string
}

// ErrNone is for a host that no credential is at hand for; what is around it says where
// one was looked for.
var ErrNone = errors.New("there is no token")

// Run starts a program and returns what it prints.
type Run func(ctx context.Context, argv ...string) (string, error)

// Find returns the credential for the host that a repository lies at.
//
// GitHub: GH_TOKEN, GITHUB_TOKEN, then gh's own, for github.com and *.ghe.com; elsewhere
// GH_ENTERPRISE_TOKEN and GITHUB_ENTERPRISE_TOKEN, for the host that GH_HOST or
// GITHUB_SERVER_URL names, then gh's own. Azure DevOps: AZURE_DEVOPS_EXT_PAT,
// SYSTEM_ACCESSTOKEN, then az's own; for a Server the first two alone, and for the host
// that AZURE_DEVOPS_ORG_SERVICE_URL or SYSTEM_COLLECTIONURI names. A remote that somebody
// pointed elsewhere gets none.
func Find(ctx context.Context, environ []string, r remote.Repository, run Run) (Token, error) {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = strings.TrimSpace(value)
	}
	f := finder{env: env, host: r.Host, run: run}
	if r.Provider == provider.AzureDevOps {
		return f.azure(ctx, r.Known)
	}
	return f.gitHub(ctx, r.Known)
}

type finder struct {
	env  map[string]string
	host string
	run  Run
}

func (f finder) gitHub(ctx context.Context, known bool) (Token, error) {
	names := []string{"GH_TOKEN", "GITHUB_TOKEN"}
	if !known {
		names = []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	}
	if known || f.names("GH_HOST", "GITHUB_SERVER_URL") {
		if t, ok := f.variable(names...); ok {
			return t, nil
		}
	}
	gh := "gh"
	if path := f.env["GH_PATH"]; path != "" {
		gh = path
	}
	if out, err := f.run(ctx, gh, "auth", "token", "--hostname", f.host); err == nil {
		if v := strings.TrimSpace(out); v != "" && plain(v) {
			return Token{Source: "gh auth token", Host: f.host, value: v}, nil
		}
	}
	hint := ""
	if !known {
		hint = fmt.Sprintf(", which count where GH_HOST is %s", f.host)
	}
	return Token{}, fmt.Errorf("%w for %s: looked at %s%s, and at gh auth token", ErrNone, f.host, strings.Join(names, ", "), hint)
}

func (f finder) azure(ctx context.Context, known bool) (Token, error) {
	if known || f.names("AZURE_DEVOPS_ORG_SERVICE_URL", "SYSTEM_COLLECTIONURI") {
		if t, ok := f.variable("AZURE_DEVOPS_EXT_PAT"); ok {
			t.basic = true
			return t, nil
		}
		if t, ok := f.variable("SYSTEM_ACCESSTOKEN"); ok {
			return t, nil
		}
	}
	if !known {
		return Token{}, fmt.Errorf("%w for %s: looked at AZURE_DEVOPS_EXT_PAT and SYSTEM_ACCESSTOKEN, which count where AZURE_DEVOPS_ORG_SERVICE_URL names that host", ErrNone, f.host)
	}
	if out, err := f.run(ctx, "az", "account", "get-access-token", "--resource", azureResource, "--query", "accessToken", "--output", "tsv"); err == nil {
		if v := strings.TrimSpace(out); v != "" && plain(v) {
			return Token{Source: "az account get-access-token", Host: f.host, value: v}, nil
		}
	}
	return Token{}, fmt.Errorf("%w for %s: looked at AZURE_DEVOPS_EXT_PAT, SYSTEM_ACCESSTOKEN, and at az account get-access-token", ErrNone, f.host)
}

func (f finder) variable(names ...string) (Token, bool) {
	for _, name := range names {
		if v := f.env[name]; v != "" && plain(v) {
			return Token{Source: name, Host: f.host, value: v}, true
		}
	}
	return Token{}, false
}

// names reports whether one of the variables names the host, alone or in an address.
func (f finder) names(variables ...string) bool {
	host, _, _ := strings.Cut(f.host, "/")
	for _, name := range variables {
		said := f.env[name]
		if u, err := url.Parse(said); err == nil && u.Scheme == "https" {
			said = u.Host
		}
		if said != "" && strings.EqualFold(said, host) {
			return true
		}
	}
	return false
}

// plain reports whether a value can stand in a header.
func plain(v string) bool {
	return strings.IndexFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// Authorize adds the credential to a request. Which requests get it is for the transport
// to say, which knows the host.
func (t Token) Authorize(r *http.Request) {
	switch {
	case t.value == "":
	case t.basic:
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(":"+t.value)))
	default:
		r.Header.Set("Authorization", "Bearer "+t.value)
	}
}

// Format writes where the token came from and for which host it is, whatever the verb.
func (t Token) Format(s fmt.State, _ rune) {
	if t.value == "" {
		fmt.Fprint(s, "no token")
		return
	}
	fmt.Fprintf(s, "%s for %s", t.Source, t.Host)
}
