package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/evidence"
	"github.com/asterweave/asterweave/internal/ledger"
	"github.com/asterweave/asterweave/internal/report"
	"github.com/asterweave/asterweave/internal/state"
)

// TestLogKnowsEveryChange fails when a kind of change has no words of its own.
func TestLogKnowsEveryChange(t *testing.T) {
	kinds := reflect.TypeFor[state.Change]()
	for i := range kinds.NumField() {
		var c state.Change
		reflect.ValueOf(&c).Elem().Field(i).Set(reflect.New(kinds.Field(i).Type.Elem()))
		data, err := json.Marshal(state.Data{Changes: []state.Change{c}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := report.Log(&b, ledger.Event{Seq: 1, Type: "test", Data: data}, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "does not know") {
			t.Errorf("%s is not described", kinds.Field(i).Name)
		}
	}
}

func TestLogOfUnknownChanges(t *testing.T) {
	for data, want := range map[string]string{`{"changes":[{"future":{}}]}`: "does not know", `{"changes":7}`: "event data"} {
		var b bytes.Buffer
		if err := report.Log(&b, ledger.Event{Seq: 1, Type: "test", Data: json.RawMessage(data)}, report.Options{}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %q, %v", data, b.String(), err)
		}
	}
}

// TestLogJSONIsTheLedger compares with the bytes of a real ledger.
func TestLogJSONIsTheLedger(t *testing.T) {
	l := ledger.Open(t.TempDir(), ledger.Options{})
	w, err := l.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range []string{"", `{"changes":[]}`, `{ "a": "<b> & \u2028 ü", "n": 1.50 }`} {
		d := ledger.Draft{
			Type: "test", Node: "intake", Attempt: i, By: evidence.By{Channel: "client", Identity: "a<b>"}, Cause: "x & y", Data: json.RawMessage(data),
			At: time.Date(2026, 3, 2, 9, 0, i, 5, time.UTC),
		}
		if _, err := w.Append(d, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := l.Scan(0, func(e ledger.Event, _ int64) error { return report.LogJSON(&got, e) }); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("log and ledger differ:\n%s\n%s", got.String(), want)
	}
}
