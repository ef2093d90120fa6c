package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/redact"
)

// maxArtifact is how much of a captured output is kept, in bytes.
const maxArtifact = 1 << 20

func redactor(f *gate.Facts) (*redact.Redactor, error) {
	r, err := redact.New(f.Config.Redact)
	if err != nil {
		return nil, fmt.Errorf("redaction patterns: %w", err)
	}
	return r, nil
}

// redactJSON takes secrets out of a JSON value, which stays one. Names stay: who
// approved is part of the evidence.
func redactJSON(r *redact.Redactor, data []byte) ([]byte, error) {
	var was, is any
	if err := decodeNumbers(data, &was); err != nil {
		return nil, err
	}
	if err := decodeNumbers(r.Bytes(data), &is); err != nil {
		return nil, err
	}
	keepNames(was, is)
	out, err := json.Marshal(is)
	if err != nil {
		return nil, fmt.Errorf("redact: %w", err)
	}
	return out, nil
}

func decodeNumbers(data []byte, v *any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("redact: %w", err)
	}
	return nil
}

// kept are the fields that hold no text of anybody: who it was by, and digests under
// paths and names that may look like those of secrets. What is compared later must not
// become another thing.
func kept(field string) bool {
	switch field {
	case "by", "refs", "files", "programs", "surroundings":
		return true
	}
	return false
}

// keepNames puts the kept fields back.
func keepNames(was, is any) {
	switch was := was.(type) {
	case []any:
		if is, ok := is.([]any); ok && len(is) == len(was) {
			for i := range was {
				keepNames(was[i], is[i])
			}
		}
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return
		}
		for k, v := range was {
			if kept(k) {
				is[k] = v
				continue
			}
			keepNames(v, is[k])
		}
	}
}

// putArtifact stores captured output, redacted and capped.
func (e *Engine) putArtifact(f *gate.Facts, data []byte) (string, error) {
	r, err := redactor(f)
	if err != nil {
		return "", err
	}
	return e.log.PutArtifact(redact.Cap(r.Bytes(data), maxArtifact))
}
