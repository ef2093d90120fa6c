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

// redactJSON redacts every string in a JSON value. Names stay: who approved is
// part of the evidence.
func redactJSON(r *redact.Redactor, data []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("redact: %w", err)
	}
	out, err := json.Marshal(redactValue(r, v))
	if err != nil {
		return nil, fmt.Errorf("redact: %w", err)
	}
	return out, nil
}

func redactValue(r *redact.Redactor, v any) any {
	switch v := v.(type) {
	case string:
		return r.String(v)
	case []any:
		for i := range v {
			v[i] = redactValue(r, v[i])
		}
	case map[string]any:
		for k := range v {
			if k != "by" {
				v[k] = redactValue(r, v[k])
			}
		}
	}
	return v
}

// putArtifact stores captured output, redacted and capped.
func (e *Engine) putArtifact(f *gate.Facts, data []byte) (string, error) {
	r, err := redactor(f)
	if err != nil {
		return "", err
	}
	return e.log.PutArtifact(redact.Cap(r.Bytes(data), maxArtifact))
}
