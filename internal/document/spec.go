package document

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Check returns what a schema cannot say about a spec: ids that occur twice,
// texts without text.
func (s Spec) Check() []Problem {
	var c checker
	c.version(s.Version)
	c.text("task.summary", s.Task.Summary)
	for i, d := range s.Task.Dropped {
		c.text(item("task.dropped", i)+".ref", d.Ref)
		c.text(item("task.dropped", i)+".because", d.Because)
	}
	if len(s.Criteria) == 0 {
		c.add("criteria", "there is none; a delivery needs at least one")
	}
	seen := map[string]int{}
	for i, k := range s.Criteria {
		field := item("criteria", i)
		if !criterionID(k.ID) {
			c.add(field+".id", "%q is no identifier such as AC-1, FR-12 or #123", k.ID)
		}
		if first, twice := seen[k.ID]; twice {
			c.add(field+".id", "%s is also the id of criteria[%d]", k.ID, first)
		} else {
			seen[k.ID] = i
		}
		c.text(field+".text", k.Text)
		c.text(field+".verify", k.Verify)
		c.oneOf(field+".hardness", k.Hardness, Hard, Soft)
		c.texts(field+".refs", k.Refs)
		c.texts(field+".questions", k.Questions)
	}
	return c.problems
}

// Criterion returns the criterion with this id.
func (s Spec) Criterion(id string) (Criterion, bool) {
	for _, k := range s.Criteria {
		if k.ID == id {
			return k, true
		}
	}
	return Criterion{}, false
}

// OpenQuestions returns the questions that stand in criteria, each with the id of
// its criterion in front.
func (s Spec) OpenQuestions() []string {
	var out []string
	for _, k := range s.Criteria {
		for _, q := range k.Questions {
			out = append(out, k.ID+": "+OneLine(q))
		}
	}
	return out
}

// Digest returns the SHA-256, in hex, of what a verdict of the criterion is bound
// to. Questions are no part of it.
func (k Criterion) Digest() string {
	refs := k.Refs
	if refs == nil {
		refs = []string{}
	}
	return digest(struct {
		ID       string   `json:"id"`
		Text     string   `json:"text"`
		Hardness string   `json:"hardness"`
		Verify   string   `json:"verify"`
		Refs     []string `json:"refs"`
	}{k.ID, k.Text, k.Hardness, k.Verify, refs})
}

// digest hashes a struct of plain fields, which always encodes, and always alike.
func digest(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// criterionID reports whether s is # and digits, or starts with a letter and goes
// on with letters, digits and ._-, in at most 64 bytes.
func criterionID(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	if number, ok := strings.CutPrefix(s, "#"); ok {
		for i := range len(number) {
			if !isDigit(number[i]) {
				return false
			}
		}
		return number != ""
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("._-", s[i]) < 0 {
			return false
		}
	}
	return isLetter(s[0])
}
