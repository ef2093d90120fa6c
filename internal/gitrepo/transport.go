package gitrepo

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
)

// Transport is what decides how a remote is reached.
type Transport struct {
	// Digest is of all settings and variables, in order and with their values; 64 hex
	// digits. It is the same for the same settings, whichever file they stand in.
	Digest string
	// Names are the configuration keys and variables that are set, sorted, each once,
	// for people: without values, and of a URL within a key only scheme and host, since
	// the rest may hold a credential.
	Names []string
}

// Transport returns what decides how git reaches the remote, in the settings that were
// read and in the environment as it is:
//
//	core.sshCommand, core.gitProxy, ssh.*, http.*, protocol.*, url.*
//	remote.<remote>.url, pushurl, proxy, proxyAuthMethod, uploadpack, receivepack, vcs;
//	the others (fetch, prune, promisor, what forges' tools note) do not say where it lies
//	GIT_SSH, GIT_SSH_COMMAND, GIT_SSH_VARIANT, GIT_PROXY_COMMAND and the GIT_SSL_*
//	variables that a git process gets; SSL_CERT_FILE, SSL_CERT_DIR and CURL_CA_BUNDLE,
//	which say whose word is taken for a host's name
//
// Not covered, since they differ legitimately between the shells and sessions of one
// person: credential.* and askpass programs, which say who asks and not who answers,
// and the variables of proxies (http_proxy, https_proxy, all_proxy, no_proxy). Nor are
// the programs on PATH that git starts (ssh), and their own configuration.
func (r *Repo) Transport(settings Settings, remote string) (Transport, error) {
	if err := checkRemote(remote); err != nil {
		return Transport{}, err
	}
	d := newDigest()
	names := map[string]bool{}
	for _, s := range settings.list {
		if !reaches(s.key, remote) {
			continue
		}
		kind := "config"
		if s.bare {
			kind = "bare config"
		}
		d.add(kind, s.key, s.value)
		names[publicKey(s.key)] = true
	}
	environ := map[string]string{}
	for _, kv := range sanitized(os.Environ()) {
		name, value, _ := strings.Cut(kv, "=")
		switch upper := strings.ToUpper(name); {
		case slices.Contains([]string{
			"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
		}, upper),
			strings.HasPrefix(upper, "GIT_SSL_"):
			environ[name] = value // of a name that is there twice, a process gets the last
		}
	}
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		d.add("environment", name, environ[name])
		names[name] = true
	}
	return Transport{Digest: d.sum(), Names: slices.Sorted(maps.Keys(names))}, nil
}

// reaches reports whether a setting has a say in how git reaches the remote.
func reaches(key, remote string) bool {
	if key == "core.sshcommand" || key == "core.gitproxy" {
		return true
	}
	section, _, _ := strings.Cut(key, ".")
	switch section {
	case "ssh", "http", "protocol", "url":
		return true
	case "remote":
		name, ok := strings.CutPrefix(key, "remote."+remote+".")
		return ok && slices.Contains([]string{"url", "pushurl", "proxy", "proxyauthmethod", "uploadpack", "receivepack", "vcs"}, name)
	}
	return false
}

// publicKey returns a configuration key without what may be a secret in it: of a
// middle part that looks like a URL, only scheme and host are left.
func publicKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 || first == last {
		return key
	}
	middle := key[first+1 : last]
	if !strings.ContainsAny(middle, ":@/?") {
		return key
	}
	host := "…"
	if u, err := url.Parse(middle); err == nil && u.Host != "" {
		host = u.Scheme + "://" + u.Host
	}
	return key[:first+1] + host + key[last:]
}
