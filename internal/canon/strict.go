package canon

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep objects and lists may nest.
const MaxDepth = 64

// manyKeys is the size from which an object's keys are looked up in a map; below
// it, comparing them one by one is faster.
const manyKeys = 16

// Strict refuses data that is longer than limit bytes, is not UTF-8, is not
// exactly one JSON value, repeats a key in an object (named with its path, such
// as criteria[0].id), or nests deeper than [MaxDepth].
func Strict(data []byte, limit int) error {
	return check(data, limit, nil)
}

// check does the work of Strict and, when t is not nil, compares each key with
// the fields of the type that it will be decoded into.
func check(data []byte, limit int, t reflect.Type) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes are more than the %d that are allowed", len(data), limit)
	}
	if !utf8.Valid(data) {
		return fmt.Errorf("not UTF-8 at byte %d", firstInvalid(data))
	}
	if !json.Valid(data) {
		return syntax(data)
	}
	w := walker{data: data}
	return w.value(t, 0)
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(data []byte) int {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return at
}

// syntax says what is wrong with data, which is not one JSON value.
func syntax(data []byte) error {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	var at *json.SyntaxError
	if errors.As(err, &at) && at.Offset > 0 && at.Offset <= int64(len(data)) {
		line := 1 + strings.Count(string(data[:at.Offset-1]), "\n")
		return fmt.Errorf("not one JSON value: line %d: %s", line, at.Error())
	}
	return fmt.Errorf("not one JSON value: %w", err)
}

// walker goes through JSON text that is known to be valid. path grows and
// shrinks with the nesting; it is turned into text only for an error.
type walker struct {
	data []byte
	at   int
	path []step
}

// step is one level of a path: a key, or an index when key is nil.
type step struct {
	key   []byte // with its quotes
	index int
}

func (w *walker) value(t reflect.Type, depth int) error {
	w.space()
	switch w.data[w.at] {
	case '{', '[':
		if depth == MaxDepth {
			return fmt.Errorf("nested deeper than %d levels", MaxDepth)
		}
		if w.data[w.at] == '{' {
			return w.object(target(t), depth+1)
		}
		return w.list(target(t), depth+1)
	case '"':
		w.text()
	default:
		w.scalar()
	}
	return nil
}

// scalar passes a number, true, false or null.
func (w *walker) scalar() {
	for ; w.at < len(w.data); w.at++ {
		switch w.data[w.at] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return
		}
	}
}

func (w *walker) object(t reflect.Type, depth int) error {
	var few [manyKeys][]byte
	seen := few[:0]
	var many map[string]bool
	w.at++ // {
	for w.space(); w.data[w.at] != '}'; w.space() {
		if w.data[w.at] == ',' {
			w.at++
			w.space()
		}
		key := w.text()
		w.path = append(w.path, step{key: key})
		name := unquote(key)
		switch {
		case many != nil:
			if many[string(name)] {
				return fmt.Errorf("key %s occurs twice", w.where())
			}
			many[string(name)] = true
		case contains(seen, name):
			return fmt.Errorf("key %s occurs twice", w.where())
		case len(seen) < manyKeys:
			seen = append(seen, name)
		default:
			many = map[string]bool{string(name): true}
			for _, s := range seen {
				many[string(s)] = true
			}
		}
		inner, known := member(t, name)
		if !known {
			return fmt.Errorf("unknown field %s", w.where())
		}
		w.space()
		w.at++ // :
		if err := w.value(inner, depth); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	w.at++
	return nil
}

func (w *walker) list(t reflect.Type, depth int) error {
	var inner reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		inner = t.Elem()
	}
	w.at++ // [
	for i := 0; ; i++ {
		w.space()
		if w.data[w.at] == ']' {
			break
		}
		if w.data[w.at] == ',' {
			w.at++
		}
		w.path = append(w.path, step{index: i})
		if err := w.value(inner, depth); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	w.at++
	return nil
}

// text passes a string and returns it with its quotes.
func (w *walker) text() []byte {
	start := w.at
	for w.at++; w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	return w.data[start:w.at]
}

func (w *walker) space() {
	for w.at < len(w.data) && (w.data[w.at] == ' ' || w.data[w.at] == '\n' || w.data[w.at] == '\t' || w.data[w.at] == '\r') {
		w.at++
	}
}

// where writes the current path, such as criteria[0].id.
func (w *walker) where() string {
	var b strings.Builder
	for _, s := range w.path {
		switch {
		case s.key == nil:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case b.Len() == 0:
			b.Write(unquote(s.key))
		default:
			b.WriteByte('.')
			b.Write(unquote(s.key))
		}
	}
	return b.String()
}

func contains(list [][]byte, name []byte) bool {
	for _, s := range list {
		if string(s) == string(name) {
			return true
		}
	}
	return false
}

// unquote returns what a key says: "a" and "\u0061" are the same key.
func unquote(key []byte) []byte {
	for _, c := range key {
		if c == '\\' {
			var s string
			if json.Unmarshal(key, &s) == nil {
				return []byte(s)
			}
		}
	}
	return key[1 : len(key)-1]
}

// target is the type whose fields or elements a JSON value fills; nil when it is
// not known or decodes itself.
func target(t reflect.Type) reflect.Type {
	for t != nil {
		if decodesItself(t) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			return t
		}
		t = t.Elem()
	}
	return nil
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// member returns the type behind a key of an object that fills a t, and whether
// there may be such a key.
func member(t reflect.Type, key []byte) (reflect.Type, bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, true // the decoder names the mismatch
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && name == "":
			if inner, ok := embedded(f.Type, key); ok {
				return inner, true
			}
			continue
		case !f.IsExported():
			continue
		case !tagged || name == "":
			name = f.Name
		}
		if name == string(key) {
			return f.Type, true
		}
	}
	return nil, false
}

// embedded looks a key up in a struct that another one embeds.
func embedded(t reflect.Type, key []byte) (reflect.Type, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, t.Name() == string(key)
	}
	return member(t, key)
}
