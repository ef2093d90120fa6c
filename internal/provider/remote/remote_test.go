package remote

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/provider"
)

// The table of shapes; see testdata/README.md.
func TestParse(t *testing.T) {
	data, err := os.ReadFile("testdata/remote_urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		URL      string `json:"url"`
		Provider string `json:"provider"`
		Host     string `json:"host"`
		Owner    string `json:"owner_or_org"`
		Project  string `json:"project"`
		Repo     string `json:"repo"`
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 30 {
		t.Fatalf("%d rows", len(rows))
	}
	names := map[string]string{"github": provider.GitHub, "ado": provider.AzureDevOps, "ado-server": provider.AzureDevOps, "local": provider.Local}
	for _, row := range rows {
		got, err := Parse(row.URL)
		if row.Provider == "AMBIGUOUS" {
			if !errors.Is(err, ErrAmbiguous) {
				t.Errorf("%s: %+v, %v", row.URL, got, err)
			}
			continue
		}
		want := Repository{Provider: names[row.Provider], Host: row.Host, Owner: row.Owner, Project: row.Project, Name: row.Repo}
		want.Known = row.Provider != "ado-server" && row.Host != "ghe.corp.example"
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", row.URL, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"https://gitlab.example/group/sub/widgets.git", "https:///a/b", "rsync://github.com/a/b", "https://github.com/a", "https://github.com/a/%2e%2e",
		"https://github.com/a/b%2fc", "https://dev.azure.com/_git/b", "https://dev.azure.com/a/b/c/_git/d", "https://canary:canary@github.com/a",
	} {
		r, err := Parse(text)
		if err == nil {
			t.Errorf("%s: %+v", text, r)
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("the error holds user information: %v", err)
		}
	}
}

// What is not known is said, with the key of the configuration that decides it.
func TestUnknownHosts(t *testing.T) {
	for text, alias := range map[string]bool{
		"git@work:acme/widgets.git": true, "ssh://git@work/acme/widgets": true, "work:acme/widgets": true, "git@git.corp.example:a/b/c.git": false, "https://git.corp.example/widgets": false,
	} {
		_, err := Parse(text)
		if err == nil || errors.Is(err, ErrAlias) != alias || !strings.Contains(err.Error(), `"provider"`) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if r, err := Parse("https://tfs/tfs/Coll/Widgets/_git/widgets"); err != nil || r.Known {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestParseItem(t *testing.T) {
	hub, _ := Parse("git@github.com:acme/widgets.git")
	boards, _ := Parse("https://dev.azure.com/acme/Widgets%20App/_git/widgets")
	disk, _ := Parse("/srv/git/widgets.git")
	for _, x := range []struct {
		text string
		near Repository
		want string // provider host name, "" for an error
	}{
		{"#12", hub, "github github.com acme/widgets#12"},
		{"12", hub, "github github.com acme/widgets#12"},
		{"other/thing#3", hub, "github github.com other/thing#3"},
		{"https://github.com/acme/widgets/issues/7", disk, "github github.com acme/widgets#7"},
		{"https://github.com/acme/widgets/issues/7#issuecomment-1", disk, "github github.com acme/widgets#7"},
		{"https://ghe.corp.example/acme/widgets/issues/7?x=1", disk, "github ghe.corp.example acme/widgets#7"},
		{"#42", boards, "azure-devops dev.azure.com acme/Widgets App#42"},
		{"acme/Other One#42", boards, "azure-devops dev.azure.com acme/Other One#42"},
		{"https://dev.azure.com/acme/Widgets%20App/_workitems/edit/42", disk, "azure-devops dev.azure.com acme/Widgets App#42"},
		{"https://acme.visualstudio.com/Widgets/_workitems/edit/42/", disk, "azure-devops dev.azure.com acme/Widgets#42"},
		{"https://tfs.corp.example/tfs/Coll/Widgets/_workitems/edit/42", disk, "azure-devops tfs.corp.example/tfs/Coll Coll/Widgets#42"},
		{"#12", disk, ""},
		{"#0", hub, ""},
		{"other/thing/3", hub, ""},
		{"other/thing", hub, ""},
		{"https://github.com/acme/widgets/pull/7", hub, ""},
		{"https://dev.azure.com/acme/_workitems/edit/42", hub, ""},
		{"https://github.com/acme/widgets/issues/x", hub, ""},
		{"", hub, ""},
	} {
		got, err := ParseItem(x.text, x.near)
		if said := got.Provider + " " + got.Host + " " + got.String(); (err == nil) != (x.want != "") || err == nil && said != x.want {
			t.Errorf("%q: %s, %v, want %s", x.text, said, err, x.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("https://user:secret@github.com/a/b.git")
	f.Add("git@ssh.dev.azure.com:v3/a/b%20c/d")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err == nil && r.Provider != provider.Local && (r.Owner == "" || r.Name == "" || r.Host == "" || strings.Contains(r.Host, "@")) {
			t.Errorf("%q: %+v", text, r)
		}
		_, _ = ParseItem(text, r) // must not panic
	})
}

// What one reader takes for the end of a host and another does not is no host.
func TestNoHost(t *testing.T) {
	for _, host := range []string{
		"evil.com?.ghe.com", "evil.com#.ghe.com", `evil.com\.ghe.com`, "evil.com%2f.ghe.com", "evil.com%00.ghe.com", "evil.com\t.ghe.com", "evil.com .ghe.com", "a\n.ghe.com",
		".ghe.com", "-.ghe.com", "a..ghe.com", "evil.com,.ghe.com", "evil.com;.ghe.com", "evil.com&.ghe.com", "github.com.", "dev.azure.com.", "g\u0131thub.com", "evil.com?.visualstudio.com",
		"e%20v.visualstudio.com", "[::1]", "[::1]:8080",
	} {
		for _, text := range []string{"https://" + host + "/o/r", "https://" + host + "/o/p/_git/r", "ssh://git@" + host + "/o/r", "git@" + host + ":o/r"} {
			if r, err := Parse(text); err == nil && (r.Known && r.Provider != provider.Local || r.Host != "") {
				t.Errorf("%q: %+v", text, r)
			}
		}
		if i, err := ParseItem("https://"+host+"/o/r/issues/1", Repository{}); err == nil {
			t.Errorf("%q: %+v", host, i)
		}
	}
}
