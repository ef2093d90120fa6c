package remote

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/provider"
)

// Item is a work item's name.
type Item struct {
	Repository     // where it lies; of Azure DevOps without a repository's name
	Number     int // from 1
}

// String is the name as people write it: owner/repo#1, org/project#42.
func (i Item) String() string {
	if i.Provider == provider.AzureDevOps {
		return fmt.Sprintf("%s/%s#%d", i.Owner, i.Project, i.Number)
	}
	return fmt.Sprintf("%s/%s#%d", i.Owner, i.Name, i.Number)
}

// ParseItem reads the name of a work item: #1 or 1 in the repository itself, a/b#1, or the
// address of its page. near is the repository that the delivery is for; a/b#1 is read at
// its service.
func ParseItem(text string, near Repository) (Item, error) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "://") {
		return page(text)
	}
	m := regexp.MustCompile(`^(?:([^\s/#]+)/([^/#]+))?#?(\d{1,9})$`).FindStringSubmatch(text)
	if m == nil || m[1] != "" && !strings.Contains(text, "#") {
		return Item{}, fmt.Errorf("the work item %.60q is not understood; write #1, owner/repo#1, org/project#42, or the address of its page", text)
	}
	i := Item{Repository: near}
	if m[1] != "" {
		i.Owner = m[1]
		if near.Provider == provider.AzureDevOps {
			i.Project = m[2]
		} else {
			i.Name = m[2]
		}
	}
	if near.Provider == provider.Local {
		return Item{}, fmt.Errorf("the remote is no forge, so that nobody says where %s lies; write the address of its page, and name the provider in .claude/asterweave.json", text)
	}
	if i.Provider == provider.AzureDevOps {
		i.Name = ""
	}
	return i.number(m[3])
}

// page reads the address of a work item's page.
func page(text string) (Item, error) {
	plain, _, _ := strings.Cut(text, "#")
	wrong := fmt.Errorf("the address %.200q is not that of an issue or a work item", text)
	a, local, err := split(plain)
	if err != nil || local {
		return Item{}, wrong
	}
	n := len(a.path)
	if n == 4 && a.path[2] == "issues" {
		number := a.path[3]
		a.path = a.path[:2]
		r, ok := gitHubOf(a)
		if !ok {
			return Item{}, wrong
		}
		return Item{Repository: r}.number(number)
	}
	if n < 4 || a.path[n-3] != "_workitems" || a.path[n-2] != "edit" {
		return Item{}, wrong
	}
	number := a.path[n-1]
	a.path = append(append([]string{}, a.path[:n-3]...), "_git", "any")
	r, ok := azureOf(a)
	if !ok || r.Project == "any" {
		return Item{}, wrong
	}
	r.Name = ""
	return Item{Repository: r}.number(number)
}

func (i Item) number(text string) (Item, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return Item{}, fmt.Errorf("%.20q is no number of a work item", text)
	}
	i.Number = n
	return i, nil
}
