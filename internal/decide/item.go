package decide

import (
	"fmt"

	"github.com/asterweave/asterweave/internal/evidence"
)

// Item is the work item that a delivery starts from, as it was read.
type Item struct {
	Source string
	State  string
	URL    string
	Proof  string
	Path   string // artifact: title and text
	Text   string // title and text
}

// StartFrom records the work item that was read back, right after Start. It is the
// task's witness; what it opens depends on whether spec.json covers its text.
func (d *Draft) StartFrom(item Item) error {
	d.Facts.Item = item.Text
	d.Facts.Task = d.State.Delivery.Goal + "\n" + item.Text
	_, err := d.record(evidence.Record{
		Kind: evidence.Task, Result: evidence.Pass, Summary: fmt.Sprintf("work item %s, state %q", item.Source, item.State),
		Witness: evidence.ReadBack, Counts: true, Path: item.Path, URL: item.URL, Proof: item.Proof,
	})
	return err
}
