package document

// Triage is triage.json: what each comment on the pull request asks for.
type Triage struct {
	Version int          `json:"version"`
	Items   []TriageItem `json:"items"`
}

// TriageItem says what one comment asks for, and why it is so.
type TriageItem struct {
	ID      string `json:"id"`    // as `read comments` names it
	Class   string `json:"class"` // actionable, informational, changes-behaviour
	Because string `json:"because"`
}

// Check returns what a schema cannot say about a triage.
func (t Triage) Check() []Problem {
	var c checker
	c.version(t.Version)
	if len(t.Items) == 0 {
		c.add("items", "there is none")
	}
	seen := map[string]int{}
	for i, one := range t.Items {
		field := item("items", i)
		c.text(field+".id", one.ID)
		c.text(field+".because", one.Because)
		c.oneOf(field+".class", one.Class, "actionable", "informational", "changes-behaviour")
		if first, twice := seen[one.ID]; twice {
			c.add(field+".id", "%q is also the id of items[%d]", one.ID, first)
		}
		seen[one.ID] = i
	}
	return c.problems
}

// Comment is a comment as the artifact of a read holds it, as far as prompts show
// it. Its texts are data that others wrote.
type Comment struct {
	ID      string  `json:"id"`
	Kind    string  `json:"kind"`
	Author  string  `json:"author"`
	URL     string  `json:"url"`
	Path    string  `json:"path"`
	Line    int     `json:"line"`
	Text    string  `json:"text"`
	Replies []Reply `json:"replies"`
}

// Reply is an answer within a comment.
type Reply struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}
