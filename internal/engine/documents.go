package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/asterweave/asterweave/internal/canon"
	"github.com/asterweave/asterweave/internal/decide"
	"github.com/asterweave/asterweave/internal/document"
	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/gate"
	"github.com/asterweave/asterweave/internal/problem"
	"github.com/asterweave/asterweave/internal/state"
)

// schemaOf maps a document to its schema and to the file that people read.
func schemaOf(name string) (schema, file string) {
	switch name {
	case state.DocManifest:
		return "context-manifest", "context-manifest.json"
	default:
		return name, name + ".json"
	}
}

// Put stores a document.
func (e *Engine) Put(ctx context.Context, by By, name string, data []byte) (*decide.Draft, error) {
	sub := document.Documents{}
	doc, w, err := e.readDocument(name, data)
	if err != nil {
		return nil, err
	}
	switch v := doc.(type) {
	case *document.Spec:
		sub.Spec = v
	case *document.Plan:
		sub.Plan = v
	case *document.Manifest:
		sub.Manifest = v
	case *document.Triage:
		sub.Triage = v
	}
	var copies []stored
	d, err := e.transact(ctx, call{verb: name + "-put", by: by, want: w}, func(d *decide.Draft) error {
		copies, err = e.put(d, sub)
		return err
	})
	e.copyAll(err, copies)
	return d, err
}

func (e *Engine) readDocument(name string, data []byte) (any, want, error) {
	schema, file := schemaOf(name)
	into := map[string]any{state.DocSpec: &document.Spec{}, state.DocPlan: &document.Plan{}, state.DocManifest: &document.Manifest{}, state.DocTriage: &document.Triage{}}[name]
	if err := e.decode(schema, file, data, into); err != nil {
		return nil, want{}, err
	}
	var w want
	switch v := into.(type) {
	case *document.Manifest:
		w.paths = v.Paths()
	case *document.Spec:
		for _, c := range v.Criteria {
			w.refs = append(w.refs, c.Refs...)
		}
	}
	return into, w, nil
}

// decode checks a document against its schema, all errors at once, and reads it.
func (e *Engine) decode(schema, file string, data []byte, into any) error {
	var err error
	if e.o.Schemas != nil {
		err = e.o.Schemas.Validate(schema, data)
	}
	if err == nil {
		err = canon.Decode(data, document.MaxBytes, into)
	}
	if err != nil {
		return problem.Wrap(problem.Invalid, fmt.Errorf("%s is refused: %w", file, err), "correct every named field and store it again; next prints the form of the step, and "+schema+".schema.json in the project's schemas folder says all of it")
	}
	return nil
}

// stored is a document that an event names, to be copied out for people.
type stored struct {
	file string
	data []byte
}

func (e *Engine) copyAll(err error, list []stored) {
	if err != nil {
		return
	}
	for _, s := range list {
		e.copyOut(s.file, s.data)
	}
}

// put stores the artifacts of documents and decides on them, in their order.
func (e *Engine) put(d *decide.Draft, docs document.Documents) ([]stored, error) {
	var out []stored
	if docs.Spec != nil {
		digest, data, err := e.artifactOf(d.Facts, docs.Spec)
		if err != nil {
			return nil, err
		}
		out = append(out, stored{"spec.json", data})
		if err := d.PutSpec(*docs.Spec, digest); err != nil {
			return nil, err
		}
	}
	if docs.Manifest != nil {
		digest, data, err := e.artifactOf(d.Facts, docs.Manifest)
		if err != nil {
			return nil, err
		}
		out = append(out, stored{"context-manifest.json", data})
		if err := d.PutManifest(*docs.Manifest, digest); err != nil {
			return nil, err
		}
	}
	if docs.Plan != nil {
		gates := digestsOf(docs.Plan.Gates)
		digest, data, err := e.artifactOf(d.Facts, docs.Plan)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(digestsOf(docs.Plan.Gates), gates) {
			return nil, problem.New(problem.Invalid, "plan.json is refused: a gate holds what looks like a credential", "let the gate read it from its environment")
		}
		out = append(out, stored{"plan.json", data})
		if err := e.readPrograms(d.Facts, docs.Plan.Gates); err != nil {
			return nil, err
		}
		if err := d.PutPlan(*docs.Plan, digest); err != nil {
			return nil, err
		}
	}
	if docs.Triage != nil {
		digest, data, err := e.artifactOf(d.Facts, docs.Triage)
		if err != nil {
			return nil, err
		}
		out = append(out, stored{"triage.json", data})
		if err := d.PutTriage(*docs.Triage, digest); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func digestsOf(gates []document.Gate) []string {
	out := make([]string, len(gates))
	for i, g := range gates {
		out[i] = g.Digest()
	}
	return out
}

// artifactOf stores a document without secrets, and leaves in doc what was stored.
func (e *Engine) artifactOf(f *gate.Facts, doc any) (string, []byte, error) {
	b, err := json.Marshal(doc)
	if err != nil {
		return "", nil, fmt.Errorf("document: %w", err)
	}
	r, err := redactor(f)
	if err != nil {
		return "", nil, err
	}
	if b, err = redactJSON(r, b); err != nil {
		return "", nil, err
	}
	if err := json.Unmarshal(b, doc); err != nil {
		return "", nil, fmt.Errorf("document: %w", err)
	}
	digest, err := e.log.PutArtifact(b)
	return digest, b, ledgerError(err)
}

// Submit applies one structured result, all or nothing.
func (e *Engine) Submit(ctx context.Context, by By, node string, data []byte) (*decide.Draft, error) {
	var sub document.Submission
	if err := e.decode("submission", "the submission", data, &sub); err != nil {
		return nil, err
	}
	var w want
	if m := sub.Documents.Manifest; m != nil {
		w.paths = m.Paths()
	}
	if s := sub.Documents.Spec; s != nil {
		for _, c := range s.Criteria {
			w.refs = append(w.refs, c.Refs...)
		}
	}
	var copies []stored
	d, err := e.transact(ctx, call{verb: "submit", by: by, want: w}, func(d *decide.Draft) error {
		var err error
		copies, err = e.submit(d, node, sub)
		return err
	})
	e.copyAll(err, copies)
	return d, err
}

func (e *Engine) submit(d *decide.Draft, node string, sub document.Submission) ([]stored, error) {
	if d.State.Node != node {
		return nil, problem.New(problem.Conflict, fmt.Sprintf("the current node is %s, not %s", d.State.Node, node), "next says what is due")
	}
	copies, err := e.put(d, sub.Documents)
	if err != nil {
		return nil, err
	}
	for _, v := range sub.Verdicts {
		if _, err := d.Judge(v); err != nil {
			return nil, err
		}
	}
	for _, r := range sub.Records {
		if err := e.checkPath(d.Facts, &r); err != nil {
			return nil, err
		}
		if _, err := d.Record(r); err != nil {
			return nil, err
		}
	}
	if sub.Outcome == "" {
		return copies, nil
	}
	return copies, d.Complete(node, sub.Outcome, sub.Reason)
}

// Record stores evidence that somebody states.
func (e *Engine) Record(ctx context.Context, by By, in document.RecordInput) (evidence.Record, error) {
	var r evidence.Record
	_, err := e.transact(ctx, call{verb: "record", by: by}, func(d *decide.Draft) error {
		if err := e.checkPath(d.Facts, &in); err != nil {
			return err
		}
		var err error
		r, err = d.Record(in)
		return err
	})
	return r, err
}

// checkPath keeps a named file as an artifact; a URL stays as it is.
func (e *Engine) checkPath(f *gate.Facts, in *document.RecordInput) error {
	if in.Path == "" || strings.HasPrefix(in.Path, "https://") || strings.HasPrefix(in.Path, "http://") {
		return nil
	}
	data, err := e.ReadInside(in.Path)
	if err != nil {
		return err
	}
	in.Path, err = e.putArtifact(f, data)
	return ledgerError(err)
}
