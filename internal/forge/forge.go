// Package forge is a service on loopback that a demonstration delivers to: one repository,
// pushed to and fetched from by Git itself, and the stand-in of package githubserver that
// answers reads about it, at one address. It shows nothing about the real service.
//
// What people, their tools and a pipeline do there is done by acts, which are JSON
// objects. Over HTTP nothing but Git writes.
package forge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

// Owner and login of what a forge has.
const (
	owner = "acme"
	agent = "agent" // the login that the token belongs to
)

// Forge is a running service. Its methods are for one goroutine at a time.
type Forge struct {
	host   string
	name   string
	token  string
	git    string
	http   *http.Server
	served chan error
	api    *githubserver.Server
	pull   int // the pull request, 0 for none
	issue  int // the issue, 0 for none
}

// Open makes an empty bare repository below folder and serves it until Close. What Git's
// server runs gets home as its home and none of the user's settings.
func Open(ctx context.Context, folder, name, home string) (*Forge, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	environ := []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
	f := &Forge{name: name, token: rand.Text(), git: filepath.Join(folder, owner, name+".git"), served: make(chan error, 1)}
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--initial-branch=main", f.git},
		{"--git-dir=" + f.git, "config", "http.receivepack", "true"}, // who pushes is not asked: it is this machine
	} {
		c := exec.CommandContext(ctx, program, args...)
		c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, environ...)
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("forge: git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
		}
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("forge: %w", err)
	}
	f.host = l.Addr().String()
	f.api = githubserver.New(githubserver.Options{Git: f.git, Token: f.token, Owner: owner, Name: name, Agent: agent, Web: "http://" + f.host})
	backend := &cgi.Handler{
		Path: program, Args: []string{"http-backend"}, Dir: folder,
		Env: append(environ, "GIT_PROJECT_ROOT="+folder, "GIT_HTTP_EXPORT_ALL=1"),
	}
	mux := http.NewServeMux()
	mux.Handle("/"+owner+"/"+name+".git/", backend)
	mux.Handle("/", f.api)
	f.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { f.served <- f.http.Serve(l) }()
	return f, nil
}

// Close ends the service.
func (f *Forge) Close() error {
	err := f.http.Close()
	if ended := <-f.served; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// Git returns the folder of the bare repository.
func (f *Forge) Git() string { return f.git }

// URL returns where the repository is pushed to.
func (f *Forge) URL() string { return "http://" + f.host + "/" + owner + "/" + f.name + ".git" }

// Environ returns the variables by which a program finds the token for this host.
func (f *Forge) Environ() []string {
	return []string{"GH_HOST=" + f.host, "GH_ENTERPRISE_TOKEN=" + f.token}
}

// Requests counts the requests that were no push and no fetch.
func (f *Forge) Requests() int { return f.api.Requests() }

// Refused counts those among them that were not reads, all of which were refused.
func (f *Forge) Refused() int { return f.api.Writes() }
