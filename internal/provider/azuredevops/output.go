package azuredevops

import (
	"bytes"
	"encoding/json"

	"github.com/asterweave/asterweave/internal/provider/wire"
)

// output is the artifact of a read: a JSON line for each answer of the service, and
// then one for each thing that the verdict was made of.
func output(proofs []wire.Proof, f found) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, p := range proofs {
		if err := e.Encode(map[string]any{"answer": p}); err != nil {
			return nil, err
		}
	}
	for _, v := range f.Basis {
		if err := e.Encode(v); err != nil {
			return nil, err
		}
	}
	err := e.Encode(map[string]any{"verdict": f.verdict, "summary": f.Summary})
	return b.Bytes(), err
}
