// Package remote reads the addresses of Git remotes and of work items: which service
// they lie at, and what they name there. It asks nobody: what Git rewrites (insteadOf)
// has to be rewritten before, and an alias of ssh's configuration is a host like another.
package remote

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
)

// Hosts of the services themselves.
const (
	gitHub = "github.com"
	azure  = "dev.azure.com"
)

// Repository is what the address of a remote names. User information is not kept.
type Repository struct {
	Provider string // github, azure-devops or local
	// Host answers for it: lower case, with a port where it is not the scheme's own. Of an
	// Azure DevOps Server it ends with the path of the collection.
	Host string
	// Known: the host is the service's own or one of its tenants', and not one that merely
	// looks like it by the shape of the path.
	Known   bool
	Owner   string // of GitHub, or the organisation or collection of Azure DevOps
	Project string // of Azure DevOps
	Name    string
}

// ErrAmbiguous is for an address that two readers would take for different places.
var ErrAmbiguous = errors.New("it can be read in two ways")

// ErrAlias is for an ssh address whose host has no domain: ssh's own configuration may give
// it any, and nobody but ssh knows which.
var ErrAlias = errors.New("the host of the remote is an alias or a name of this network alone")

// address is a remote's URL in its parts.
type address struct {
	scheme, user, host, port string
	path                     []string // unescaped
}

// Parse returns what the address of a remote names. A path on this machine is local.
func Parse(text string) (Repository, error) {
	text = strings.TrimSpace(text)
	a, local, err := split(text)
	switch {
	case err != nil:
		return Repository{}, fmt.Errorf("the address of the remote: %w; write it as https:// or ssh://", err)
	case local:
		return Repository{Provider: provider.Local, Known: true}, nil
	}
	r, ok := azureOf(a)
	if !ok {
		r, ok = gitHubOf(a)
	}
	if !ok {
		return Repository{}, fmt.Errorf("the remote at %s names no repository of a service that is known here; where it is a plain Git server, name \"provider\": \"local\" in .claude/asterweave.json", a.host)
	}
	if a.scheme == "ssh" && !strings.Contains(a.host, ".") {
		return Repository{}, fmt.Errorf("%w: %s; give the remote the name of the real host, or name \"provider\": \"local\" in .claude/asterweave.json", ErrAlias, a.host)
	}
	return r, nil
}

// split takes an address apart; local is a path on this machine.
func split(text string) (a address, local bool, err error) {
	scheme, rest, hasScheme := strings.Cut(text, "://")
	if !hasScheme {
		host, path, ok := strings.Cut(text, ":")
		if !ok || strings.ContainsAny(host, `/\`) || len(host) == 1 { // a drive's letter
			return a, true, nil
		}
		// Between a path that begins with digits and a port nobody can tell.
		if first, _, more := strings.Cut(path, "/"); more && digits(first) {
			return a, false, fmt.Errorf("%w: %s is a port or the begin of a path", ErrAmbiguous, first)
		}
		scheme, rest = "ssh", host+"/"+strings.TrimPrefix(path, "/")
	}
	a.scheme = strings.TrimPrefix(strings.ToLower(scheme), "git+")
	switch a.scheme {
	case "file":
		return a, true, nil
	case "ssh", "https", "http", "git":
	default:
		return a, false, fmt.Errorf("the scheme %.20q is none of Git's", scheme)
	}
	authority, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		a.user, _, _ = strings.Cut(authority[:i], ":")
		authority = authority[i+1:]
	}
	host, port, _ := strings.Cut(authority, ":")
	if port != "" && !digits(port) { // ssh://git@host:v3/…
		path, port = port+"/"+path, ""
	}
	a.host, a.port = strings.ToLower(host), port
	if a.host == "" {
		return a, false, errors.New("it names no host")
	}
	// Git, curl and Go's client part ways over where the host of anything else ends.
	if !regexp.MustCompile(`^[a-z0-9_]+(-+[a-z0-9_]+)*(\.[a-z0-9_]+(-+[a-z0-9_]+)*)*$`).MatchString(a.host) {
		return a, false, fmt.Errorf("%.60q is no plain name of a host", a.host)
	}
	path, _, _ = strings.Cut(path, "?")
	for s := range strings.SplitSeq(path, "/") {
		if s == "" {
			continue
		}
		plain, err := url.PathUnescape(s)
		if err != nil || strings.ContainsAny(plain, "/\x00") || plain == "." || plain == ".." {
			return a, false, fmt.Errorf("the part %.40q of its path is no name", s)
		}
		a.path = append(a.path, plain)
	}
	return a, false, nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// web is the host as a browser would name it; a port of ssh says nothing about it.
func (a address) web() string {
	standard := map[string]string{"https": "443", "http": "80"}[a.scheme]
	if a.port == "" || standard == "" || a.port == standard {
		return a.host
	}
	return a.host + ":" + a.port
}

func gitHubOf(a address) (Repository, bool) {
	r := Repository{Provider: provider.GitHub, Host: a.web()}
	switch {
	case slices.Contains([]string{gitHub, "www." + gitHub, "ssh." + gitHub}, a.host):
		r.Host, r.Known = gitHub, true
	case strings.HasSuffix(a.host, ".ghe.com"):
		r.Known = true
	}
	if len(a.path) != 2 {
		return r, false
	}
	r.Owner, r.Name = a.path[0], strings.TrimSuffix(a.path[1], ".git")
	return r, regexp.MustCompile(`^[A-Za-z0-9][\w-]*$`).MatchString(r.Owner) && regexp.MustCompile(`^[\w.-]+$`).MatchString(r.Name)
}

// azureOf reads the shapes of Azure DevOps: …/_git/NAME over HTTPS, v3/ORG/PROJECT/NAME and
// …/_ssh/NAME over ssh. A project that is left out is called as the repository.
func azureOf(a address) (Repository, bool) {
	r := Repository{Provider: provider.AzureDevOps, Host: azure, Known: true}
	tenant, isTenant := strings.CutSuffix(a.host, ".visualstudio.com")
	ssh := a.host == "ssh."+azure || tenant == "vs-ssh" && isTenant
	if ssh && len(a.path) == 4 && a.path[0] == "v3" {
		r.Owner, r.Project, r.Name = a.path[1], a.path[2], a.path[3]
		return r, true
	}
	at := slices.IndexFunc(a.path, func(s string) bool { return s == "_git" || s == "_ssh" })
	if at < 0 {
		return r, false
	}
	before, after := a.path[:at], a.path[at+1:]
	if len(after) == 2 && (after[0] == "_full" || after[0] == "_optimized") {
		after = after[1:]
	}
	if len(after) != 1 {
		return r, false
	}
	r.Name = after[0]
	switch {
	case ssh:
		r.Owner = a.user
	case isTenant:
		r.Owner = tenant
	case a.host == azure && len(before) > 0:
		r.Owner, before = before[0], before[1:]
	default:
		return server(a, r, before)
	}
	if len(before) > 0 && strings.EqualFold(before[0], "DefaultCollection") {
		before = before[1:]
	}
	return project(r, before)
}

// server reads what stands before _git on a server of one's own: perhaps the virtual
// folder tfs, the collection, perhaps the project.
func server(a address, r Repository, before []string) (Repository, bool) {
	n := 1
	if len(before) > 0 && strings.EqualFold(before[0], "tfs") {
		n = 2
	}
	if len(before) < n {
		return r, false
	}
	r.Known = false
	r.Host = a.web() + "/" + strings.Join(before[:n], "/")
	r.Owner = before[n-1]
	return project(r, before[n:])
}

func project(r Repository, before []string) (Repository, bool) {
	switch len(before) {
	case 0:
		r.Project = r.Name
	case 1:
		r.Project = before[0]
	default:
		return r, false
	}
	return r, r.Owner != ""
}

// Loopback reports whether a host, with a port or without, is an address that leads
// nowhere but to this machine: it may be asked without TLS. A name can lead anywhere.
func Loopback(host string) bool {
	if at, err := netip.ParseAddrPort(host); err == nil {
		return at.Addr().IsLoopback()
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
