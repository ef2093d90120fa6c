package azureserver

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type item struct {
	id       int
	kind     string
	title    string
	text     string // HTML
	state    string
	links    []string
	comments []map[string]any
}

// AddItem makes a work item in the first of its states.
func (s *Server) AddItem(kind, title, text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &item{id: 101 + len(s.items), kind: kind, title: title, text: "<div>" + html.EscapeString(text) + "</div>", state: "New"}
	s.items = append(s.items, i)
	return i.id
}

// Move brings a work item into a state: New, Active, Resolved, Closed or Removed.
func (s *Server) Move(id int, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.item(id).state = state
}

// Link links a work item and a pull request, on both sides.
func (s *Server) Link(id, pull int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, p := s.item(id), s.pull(pull)
	i.links = append(i.links, fmt.Sprintf("vstfs:///Git/PullRequestId/%s%%2F%s%%2F%d", strings.ToUpper(ProjectID), RepositoryID, pull))
	p.items = append(p.items, id)
}

// Comment writes a comment on a work item, which is kept as HTML.
func (s *Server) Comment(id int, by Person, text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.item(id)
	n := s.next()
	at := s.stamp()
	i.comments = append(i.comments, map[string]any{
		"id": n, "workItemId": id, "version": 1, "text": wrap(text), "format": "html", "createdBy": by.view(), "createdDate": at,
		"modifiedBy": by.view(), "modifiedDate": at,
	})
	return n
}

// wrap is the HTML that an editor makes of a text.
func wrap(text string) string {
	return "<div>" + strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") + "</div>"
}

// CommentAs writes a comment that is kept as it was sent, as markdown or html.
func (s *Server) CommentAs(id int, by Person, format, text string) int {
	n := s.Comment(id, by, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.comment(id, n)
	c["text"], c["format"] = text, format
	return n
}

// DeleteComment deletes a comment, which is then told to those alone who ask for deleted ones.
func (s *Server) DeleteComment(id, comment int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.comment(id, comment)["isDeleted"] = true
}

// comment is for set-up, as item is.
func (s *Server) comment(id, comment int) map[string]any {
	for _, c := range s.item(id).comments {
		if c["id"] == comment {
			return c
		}
	}
	panic(fmt.Sprintf("there is no comment %d", comment))
}

// EditComment changes a comment.
func (s *Server) EditComment(id, comment int, by Person, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.comment(id, comment)
	c["version"], c["text"], c["modifiedBy"] = 2, wrap(text), by.view()
	c["modifiedDate"] = "2031-01-01T00:00:00.1234567Z"
}

func (s *Server) item(id int) *item {
	at := slices.IndexFunc(s.items, func(i *item) bool { return i.id == id })
	if at < 0 {
		panic(fmt.Sprintf("there is no work item %d", id))
	}
	return s.items[at]
}

func (s *Server) workItem(q url.Values, path []string) (int, any) {
	id, err := strconv.Atoi(path[2])
	at := slices.IndexFunc(s.items, func(i *item) bool { return i.id == id })
	if err != nil || at < 0 {
		return failure(404, "WorkItemUnauthorizedAccessException", "TF401232: Work item does not exist, or you do not have permissions to read it.")
	}
	i := s.items[at]
	if len(path) == 4 {
		return 200, i.commentsView(q)
	}
	relations := []any{}
	for _, l := range i.links {
		relations = append(relations, map[string]any{"rel": "ArtifactLink", "url": l, "attributes": map[string]any{"name": "Pull Request"}})
	}
	return 200, map[string]any{
		"id": i.id, "rev": 1, "relations": relations, "url": fmt.Sprintf("https://stand-in.example/_apis/wit/workItems/%d", i.id),
		"fields": map[string]any{
			"System.TeamProject": s.o.Project, "System.WorkItemType": i.kind, "System.State": i.state, "System.Title": i.title, "System.Description": i.text,
		},
	}
}

func (i *item) commentsView(q url.Values) map[string]any {
	from, _ := strconv.Atoi(q.Get("continuationToken"))
	all := slices.DeleteFunc(slices.Clone(i.comments), func(c map[string]any) bool {
		return c["isDeleted"] == true && q.Get("includeDeleted") != "true"
	})
	if q.Get("order") != "asc" {
		slices.Reverse(all)
	}
	top, err := strconv.Atoi(q.Get("$top"))
	if err != nil || top > 200 {
		top = 200
	}
	end := min(from+top, len(all))
	some := slices.Clone(all[min(from, len(all)):end])
	if some == nil {
		some = []map[string]any{}
	}
	v := map[string]any{"totalCount": len(all), "count": len(some), "comments": some}
	if end < len(all) {
		v["continuationToken"] = strconv.Itoa(end)
	}
	return v
}

func (s *Server) workItemTypes(_ url.Values, path []string) (int, any) {
	if len(path) == 4 && strings.EqualFold(path[3], "states") {
		return 200, values([]any{
			map[string]any{"name": "New", "color": "b2b2b2", "category": "Proposed"},
			map[string]any{"name": "Active", "color": "007acc", "category": "InProgress"},
			map[string]any{"name": "Resolved", "color": "ff9d00", "category": "Resolved"},
			map[string]any{"name": "Closed", "color": "339933", "category": "Completed"},
			map[string]any{"name": "Removed", "color": "ffffff", "category": "Removed"},
		})
	}
	return 200, values([]any{map[string]any{"name": "User Story"}, map[string]any{"name": "Bug"}})
}
