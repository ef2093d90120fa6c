package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/provider/remote"
)

func at(t *testing.T, url string) remote.Repository {
	t.Helper()
	r, err := remote.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	hub    = "https://github.com/acme/widgets"
	tenant = "https://acme.ghe.com/acme/widgets"
	ghes   = "https://ghe.corp.example/acme/widgets"
	boards = "https://dev.azure.com/acme/widgets/_git/widgets"
	tfs    = "https://tfs.corp.example/tfs/Coll/widgets/_git/widgets"
)

func TestFind(t *testing.T) {
	all := []string{
		"GH_TOKEN=gh", "GITHUB_TOKEN=actions", "GH_ENTERPRISE_TOKEN=enterprise", "GITHUB_ENTERPRISE_TOKEN=enterprise2",
		"AZURE_DEVOPS_EXT_PAT=pat", "SYSTEM_ACCESSTOKEN=system",
	}
	for _, x := range []struct {
		name    string
		url     string
		environ []string
		run     string // what a program prints, "" for one that is not there
		source  string // "" for none
		header  string
	}{
		{"first", hub, all, "own", "GH_TOKEN", "Bearer gh"},
		{"second", hub, all[1:], "own", "GITHUB_TOKEN", "Bearer actions"},
		{"tenant", tenant, all, "own", "GH_TOKEN", "Bearer gh"},
		{"gh's own", hub, all[2:], "own\n", "gh auth token", "Bearer own"},
		{"none", hub, all[2:], "", "", ""},
		{"empty", hub, []string{"GH_TOKEN= "}, "", "", ""},
		{"two lines", hub, nil, "own\nmore", "", ""},
		{"enterprise, not named", ghes, all, "", "", ""},
		{"enterprise, another named", ghes, append(all, "GH_HOST=ghe.other.example"), "", "", ""},
		{"enterprise, named", ghes, append(all, "GH_HOST=ghe.corp.example"), "", "GH_ENTERPRISE_TOKEN", "Bearer enterprise"},
		{"enterprise, a runner's", ghes, append(all, "GITHUB_SERVER_URL=https://ghe.corp.example"), "", "GH_ENTERPRISE_TOKEN", "Bearer enterprise"},
		{"enterprise, gh's own", ghes, all, "own", "gh auth token", "Bearer own"},
		{"PAT", boards, all, "", "AZURE_DEVOPS_EXT_PAT", "Basic OnBhdA=="},
		{"a pipeline's", boards, all[5:], "", "SYSTEM_ACCESSTOKEN", "Bearer system"},
		{"az's own", boards, all[:4], "own", "az account get-access-token", "Bearer own"},
		{"server, not named", tfs, all, "own", "", ""},
		{"server, named", tfs, append(all, "AZURE_DEVOPS_ORG_SERVICE_URL=https://tfs.corp.example/tfs/Coll"), "", "AZURE_DEVOPS_EXT_PAT", "Basic OnBhdA=="},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := Find(t.Context(), x.environ, at(t, x.url), func(_ context.Context, argv ...string) (string, error) {
				if x.run == "" {
					return "", errors.New("not there")
				}
				if strings.Contains(strings.Join(argv, " "), "--hostname") && argv[len(argv)-1] != at(t, x.url).Host {
					t.Errorf("%v asks for another host", argv)
				}
				return x.run, nil
			})
			if got.Source != x.source || errors.Is(err, ErrNone) != (x.source == "") {
				t.Fatalf("%v, %v", got, err)
			}
			r := &http.Request{Header: http.Header{}}
			got.Authorize(r)
			if h := r.Header.Get("Authorization"); h != x.header {
				t.Errorf("%q", h)
			}
		})
	}
}

func TestNeverPrinted(t *testing.T) {
	got, err := Find(t.Context(), []string{"GH_TOKEN=canary"}, at(t, hub), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb+" ", got)
		fmt.Fprintf(&b, verb+" ", &got)
		fmt.Fprintf(&b, verb+" ", struct{ T Token }{got})
	}
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "token", got)
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "token", got)
	j, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(j)
	for _, leak := range []string{"canary", "63616e617279", "Y2FuYXJ5"} {
		if strings.Contains(b.String(), leak) {
			t.Errorf("%s", b.String())
		}
	}
}
