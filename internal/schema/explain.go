package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxProblems bounds what an error lists.
const maxProblems = 100

// Problem is one thing that is wrong with a document.
type Problem struct {
	Field string // path such as gates[0].argv; "" for the document as a whole
	What  string
}

func (p Problem) String() string {
	if p.Field == "" {
		return p.What
	}
	return p.Field + ": " + p.What
}

// Error says everything that is wrong with a document, in the order of its fields.
type Error struct {
	Name     string // of the schema
	Problems []Problem
}

func (e *Error) Error() string {
	texts := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, "; ")
}

// explain turns the validator's tree of errors into problems that name fields.
func explain(name string, root *jsonschema.ValidationError, doc any) *Error {
	var x explainer
	x.walk(root, doc)
	slices.SortStableFunc(x.problems, func(a, b located) int { return slices.CompareFunc(a.path, b.path, compareStep) })
	e := &Error{Name: name}
	for _, p := range x.problems {
		problem := Problem{Field: field(p.path, doc), What: p.what}
		if slices.Contains(e.Problems, problem) {
			continue
		}
		if len(e.Problems) == maxProblems {
			e.Problems = append(e.Problems, Problem{What: fmt.Sprintf("and more than %d problems in all", maxProblems)})
			break
		}
		e.Problems = append(e.Problems, problem)
	}
	return e
}

type located struct {
	path []string // of the instance
	what string
}

// explainer stops collecting long after what is shown, so that a hostile document
// costs no more than reading it.
type explainer struct{ problems []located }

func (x *explainer) add(path []string, what string) {
	if len(x.problems) < 10*maxProblems {
		x.problems = append(x.problems, located{path, what})
	}
}

func (x *explainer) walk(e *jsonschema.ValidationError, doc any) {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	path := pointer(e.InstanceLocation)
	switch {
	case keyword == "oneOf":
		x.alternatives(e, path)
		return
	case strings.Contains(e.KeywordLocation, "/propertyNames/") && len(e.Causes) == 0:
		x.add(path, "the name "+e.Message)
		return
	}
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			x.walk(c, doc)
		}
		return
	}
	switch keyword {
	case "required":
		for _, name := range quoted(e.Message) {
			x.add(append(slices.Clone(path), name), "is missing")
		}
	case "additionalProperties":
		for _, name := range quoted(e.Message) {
			x.add(append(slices.Clone(path), name), "unknown field")
		}
	case "type":
		x.add(path, strings.Replace(e.Message, "expected ", "has to be ", 1))
	case "pattern":
		x.add(path, fmt.Sprintf("%s %s", value(path, doc), e.Message))
	case "enum", "const":
		x.add(path, fmt.Sprintf("%s: %s", value(path, doc), strings.ReplaceAll(e.Message, `"`, "")))
	case "minLength", "minItems":
		x.add(path, emptyOr(path, doc, e.Message))
	default:
		x.add(path, e.Message)
	}
}

// alternatives explains a oneOf whose branches each demand a field.
func (x *explainer) alternatives(e *jsonschema.ValidationError, path []string) {
	var names []string
	var collect func(*jsonschema.ValidationError)
	collect = func(c *jsonschema.ValidationError) {
		if strings.HasSuffix(c.KeywordLocation, "/required") {
			names = append(names, quoted(c.Message)...)
		}
		for _, cause := range c.Causes {
			collect(cause)
		}
	}
	collect(e)
	if len(names) > 0 {
		x.add(path, "has none of "+strings.Join(names, ", ")+"; it needs one of them")
		return
	}
	x.add(path, "has fields that exclude each other, such as argv and shell")
}

// value shows the value that a message is about.
func value(path []string, doc any) string {
	s := fmt.Sprintf("%v", at(path, doc))
	if r := []rune(s); len(r) > 80 {
		s = string(r[:80]) + "…"
	}
	return strconv.Quote(s)
}

// emptyOr says "is empty" where a minimum of one is not reached.
func emptyOr(path []string, doc any, message string) string {
	switch v := at(path, doc).(type) {
	case string:
		if v == "" {
			return "is empty"
		}
	case []any:
		if len(v) == 0 {
			return "is empty"
		}
	}
	return message
}

// at returns the value at a path, nil where there is none.
func at(path []string, doc any) any {
	for _, step := range path {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

// field writes a path as people do: gates[0].argv.
func field(path []string, doc any) string {
	var b strings.Builder
	for i, step := range path {
		_, list := at(path[:i], doc).([]any)
		switch {
		case list:
			b.WriteString("[" + step + "]")
		case b.Len() == 0:
			b.WriteString(printable(step))
		default:
			b.WriteString("." + printable(step))
		}
	}
	return b.String()
}

// printable keeps a key of the document from being more than a name in a message.
func printable(s string) string {
	if q := strconv.Quote(s); len(s) > 80 || q != `"`+s+`"` {
		r := []rune(q)
		return string(r[:min(len(r), 80)])
	}
	return s
}

// pointer splits a JSON pointer, as the validator writes it, into its steps.
func pointer(p string) []string {
	if p == "" {
		return nil
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	steps := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, s := range steps {
		steps[i] = unescape.Replace(decoded(s))
	}
	return steps
}

func decoded(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// quoted returns the names that a message of the validator lists, sorted: it
// writes 'a', 'b' with the escapes of Go and of the single quote.
func quoted(message string) []string {
	var out []string
	for i := 0; i < len(message); i++ {
		if message[i] != '\'' {
			continue
		}
		end := i + 1
		for end < len(message) && message[end] != '\'' {
			if message[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(message) {
			break
		}
		raw := strings.NewReplacer(`\'`, `'`, `\\`, `\\`, `"`, `\"`).Replace(message[i+1 : end])
		name, err := strconv.Unquote(`"` + raw + `"`)
		if err != nil {
			name = raw
		}
		out = append(out, name)
		i = end
	}
	slices.Sort(out)
	return out
}

// compareStep orders indexes by number and names by text.
func compareStep(a, b string) int {
	i, errA := strconv.Atoi(a)
	j, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return i - j
	}
	return strings.Compare(a, b)
}
