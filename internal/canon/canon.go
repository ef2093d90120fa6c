// Package canon gives JSON one meaning: it refuses text that two readers could
// understand differently. It also has the digest that everything is named by.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// HashLen is the length of a digest: 64 lower-case hex digits.
const HashLen = 2 * sha256.Size

// Hash returns the SHA-256 of b as 64 lower-case hex digits.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// IsHash reports whether s has the form of a digest.
func IsHash(s string) bool {
	if len(s) != HashLen {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Decode checks data with [Strict] and decodes it into v, a non-nil pointer.
// A key that is not exactly the name of a field is an error that names the key
// with its path; encoding/json alone would take "ID" for "id".
func Decode(data []byte, limit int, v any) error {
	if err := check(data, limit, reflect.TypeOf(v)); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return describe(err)
	}
	return nil
}

// describe words an error of encoding/json in terms of the document.
func describe(err error) error {
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return fmt.Errorf("field %s: %s cannot be %s", mismatch.Field, mismatch.Value, jsonName(mismatch.Type))
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s cannot be %s", mismatch.Value, jsonName(mismatch.Type))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON text ends too early")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// jsonName says what JSON calls the values of a Go type.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return jsonName(t.Elem())
	}
	return "a " + t.Kind().String()
}
