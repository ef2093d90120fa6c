package forge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/asterweave/asterweave/internal/provider/githubserver"
)

// act is what somebody does at the forge. Which fields it has depends on What:
//
//	issue     title, text, by     opens the issue
//	require   name                makes a check of the pipeline required
//	open      branch, title, file opens the pull request into main, described by a file
//	report    name, conclusion    the pipeline reports a check of the pull request's head
//	thread    path, line, text, by   begins a review thread, the value "thread"
//	reply     thread, text        the token's account answers in a thread
//	resolve   thread              resolves a thread
//	close     reason, text        the token's account closes the issue as completed or
//	                              not_planned, with a comment
type act struct {
	What       string `json:"what"`
	By         string `json:"by"`
	Title      string `json:"title"`
	Text       string `json:"text"`
	Name       string `json:"name"`
	Branch     string `json:"branch"`
	File       string `json:"file"`
	Conclusion string `json:"conclusion"` // in the words of GraphQL
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Thread     string `json:"thread"`
	Reason     string `json:"reason"`
}

// Act does what a JSON object says, and returns what later acts can name by it. It is an
// error where there is nothing for it to be done to.
func (f *Forge) Act(data []byte) (map[string]string, error) {
	var a act
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return nil, fmt.Errorf("forge: %w", err)
	}
	switch a.What {
	case "issue":
		f.issue = f.api.NewIssue(a.By, a.Title, a.Text)
		return map[string]string{"issue": fmt.Sprintf("%s/%s#%d", owner, f.name, f.issue)}, nil
	case "require":
		f.api.Require(a.Name, githubserver.Actions)
		return nil, nil
	case "open":
		return nil, f.open(a)
	case "close":
		if f.issue == 0 {
			return nil, fmt.Errorf("forge: %s: there is no issue", a.What)
		}
		f.api.Comment(f.issue, agent, a.Text)
		f.api.SetIssue(f.issue, "closed", a.Reason)
		return nil, nil
	}
	if f.pull == 0 {
		return nil, fmt.Errorf("forge: %q: it is unknown, or there is no pull request", a.What)
	}
	switch a.What {
	case "report":
		f.api.Report(f.api.Head(f.pull), githubserver.Run{Name: a.Name, Conclusion: a.Conclusion})
	case "thread":
		return map[string]string{"thread": f.api.Thread(f.pull, a.By, a.Path, a.Line, a.Text)}, nil
	case "reply":
		f.api.Reply(a.Thread, agent, a.Text, false)
	case "resolve":
		f.api.Resolve(a.Thread)
	default:
		return nil, fmt.Errorf("forge: %q is unknown", a.What)
	}
	return nil, nil
}

// open opens the one pull request; a second one is refused, as the service does for a
// branch that has one.
func (f *Forge) open(a act) error {
	if f.pull != 0 {
		return fmt.Errorf("forge: a pull request for %s already exists", a.Branch)
	}
	body, err := os.ReadFile(a.File)
	if err != nil {
		return fmt.Errorf("forge: %w", err)
	}
	number := f.api.Open(a.Branch, "main", a.Title, string(body))
	if f.api.Head(number) == "" {
		return fmt.Errorf("forge: the branch %s was not pushed", a.Branch)
	}
	f.pull = number
	return nil
}
