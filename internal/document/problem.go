package document

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Field string `json:"field"` // path such as gates[0].argv; "" for the document as a whole
	What  string `json:"what"`
}

func (p Problem) String() string {
	if p.Field == "" {
		return p.What
	}
	return p.Field + ": " + p.What
}

// Problems is everything that is wrong with a document, as an error.
type Problems []Problem //nolint:errname // a list that also is an error

func (p Problems) Error() string {
	texts := make([]string, 0, len(p))
	for _, one := range p {
		texts = append(texts, one.String())
	}
	return strings.Join(texts, "; ")
}

// checker collects problems in the order in which they are found.
type checker struct {
	prefix   string
	problems []Problem
}

func (c *checker) add(field, format string, args ...any) {
	c.problems = append(c.problems, Problem{Field: c.at(field), What: fmt.Sprintf(format, args...)})
}

// at puts the prefix in front of a field.
func (c *checker) at(field string) string {
	switch {
	case c.prefix == "":
		return field
	case field == "":
		return c.prefix
	}
	return c.prefix + "." + field
}

// text demands something to read.
func (c *checker) text(field, s string) {
	if strings.TrimSpace(OneLine(s)) == "" {
		c.add(field, "is empty")
	}
}

// texts demands something to read in each entry.
func (c *checker) texts(field string, list []string) {
	for i, s := range list {
		c.text(item(field, i), s)
	}
}

// oneOf demands one of a closed set of words.
func (c *checker) oneOf(field, s string, words ...string) {
	if !slices.Contains(words, s) {
		c.add(field, "%q is none of %s", s, strings.Join(words, ", "))
	}
}

func (c *checker) version(v int) {
	if v != 1 {
		c.add("version", "is %d; this program reads version 1", v)
	}
}

func item(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
