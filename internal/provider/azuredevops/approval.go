package azuredevops

import (
	"regexp"
	"strings"
)

// approved returns the digest of a comment that approves, or "". The whole comment is the
// approval: a line of somebody's quotation of one is none.
func (c itemComment) approved() string {
	m := regexp.MustCompile(`(?i)^/asterweave\s+approve\s+([0-9a-f]{8,64})$`).FindStringSubmatch(strings.TrimSpace(plain(c.Text)))
	if m == nil {
		return ""
	}
	return strings.ToLower(m[1])
}

// flaw says why the comment itself counts for nothing, or is "".
func (c itemComment) flaw(own string) string {
	switch {
	case c.CreatedBy.ID == "":
		return "the answer does not say who wrote it"
	case c.CreatedOnBehalfOf != nil && !strings.EqualFold(c.CreatedOnBehalfOf.ID, c.CreatedBy.ID):
		return "it was written by one identity on behalf of another"
	case c.CreatedBy.isService() || c.CreatedBy.IsContainer:
		return "it was written by a service or a group and not by a person"
	case strings.EqualFold(c.CreatedBy.ID, own):
		return "it was written by the identity whose token Asterweave reads with"
	case c.Version != 1 || c.CreatedDate.IsZero() || !c.ModifiedDate.Equal(c.CreatedDate.Time):
		return "it was edited, or the answer does not say that it was not"
	case c.ModifiedBy != nil && !strings.EqualFold(c.ModifiedBy.ID, c.CreatedBy.ID):
		return "it was edited by somebody else"
	}
	return ""
}
