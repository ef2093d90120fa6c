package config

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/asterweave/asterweave/internal/document"
)

// list collects problems in a stable order.
type list []document.Problem

func (l *list) add(field, format string, args ...any) {
	*l = append(*l, document.Problem{Field: field, What: fmt.Sprintf(format, args...)})
}

func (l *list) oneOf(field, s string, words ...string) {
	if !slices.Contains(words, s) {
		l.add(field, "%q is none of %s", short(s), strings.Join(words, ", "))
	}
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// prune compares a decoded JSON value with the Go type that it is for, reports
// each field that is unknown or of another type, and takes it out of the value,
// so that the rest can be decoded and checked too. It reports false when the
// value itself does not fit.
func (l *list) prune(field string, v any, t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		object, ok := v.(map[string]any)
		if !ok {
			return l.mismatch(field, v, "an object")
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			inner, known := member(t, key)
			switch {
			case !known:
				l.add(join(field, key), "unknown field")
				delete(object, key)
			case !l.prune(join(field, key), object[key], inner):
				delete(object, key)
			}
		}
	case reflect.Slice:
		elements, ok := v.([]any)
		if !ok {
			return l.mismatch(field, v, "a list")
		}
		sound := true
		for i, e := range elements {
			sound = l.prune(item(field, i), e, t.Elem()) && sound
		}
		return sound
	case reflect.String:
		if _, ok := v.(string); !ok {
			return l.mismatch(field, v, "a text")
		}
	case reflect.Int:
		if n, ok := v.(float64); !ok || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
			return l.mismatch(field, v, "a whole number")
		}
	default:
		return l.mismatch(field, v, "something that this program does not read")
	}
	return true
}

func (l *list) mismatch(field string, v any, want string) bool {
	got := "a number"
	switch v := v.(type) {
	case float64:
		if want == "a whole number" {
			got = strconv.FormatFloat(v, 'g', -1, 64)
		}
	case nil:
		got = "null"
	case bool:
		got = "a boolean"
	case string:
		got = "a text"
	case []any:
		got = "a list"
	case map[string]any:
		got = "an object"
	}
	l.add(field, "has to be %s, not %s", want, got)
	return false
}

// member returns the type behind a key of an object.
func member(t reflect.Type, key string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == key {
			return f.Type, true
		}
	}
	return nil, false
}

func join(field, key string) string {
	if field == "" {
		return short(document.OneLine(key))
	}
	return field + "." + short(document.OneLine(key))
}

func item(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// short keeps messages readable.
func short(s string) string {
	const limit = 80
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
