package azuredevops

import (
	"regexp"
	"strings"
)

// approved returns the digest of a comment that approves or rejects, or "". The whole
// comment is the approval: a line of somebody's quotation of one is none. Behind a rejection
// a reason may stand.
func (c itemComment) approved() (digest string, rejects bool) {
	if regexp.MustCompile(`(?i)<(pre|code|blockquote)\b`).MatchString(c.Text) {
		return "", false // it shows how one is written
	}
	m := regexp.MustCompile(`(?i)^/asterweave\s+(?:approve\s+([0-9a-f]{8,64})$|reject\s+([0-9a-f]{8,64})\b)`).FindStringSubmatch(strings.TrimSpace(plain(c.Text)))
	if m == nil {
		return "", false
	}
	return strings.ToLower(m[1] + m[2]), m[2] != ""
}

// flaw says why the comment itself counts for nothing, or is "".
func (c itemComment) flaw(own string, rejects bool) string {
	switch {
	case c.CreatedBy.ID == "":
		return "the answer does not say who wrote it"
	case c.CreatedOnBehalfOf != nil && !strings.EqualFold(c.CreatedOnBehalfOf.ID, c.CreatedBy.ID):
		return "it was written by one identity on behalf of another"
	case c.CreatedBy.isService() || c.CreatedBy.IsContainer:
		return "it was written by a service or a group and not by a person"
	case strings.EqualFold(c.CreatedBy.ID, own):
		return "it was written by the identity whose token Asterweave reads with"
	case rejects:
		return "" // it may have been edited
	case c.Version != 1 || c.CreatedDate.IsZero() || !c.ModifiedDate.Equal(c.CreatedDate.Time):
		return "it was edited, or the answer does not say that it was not"
	case c.ModifiedBy != nil && !strings.EqualFold(c.ModifiedBy.ID, c.CreatedBy.ID):
		return "it was edited by somebody else"
	}
	return ""
}
