package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/asterweave/asterweave/internal/report"
)

// TestScreenshots writes pictures of a report for the README, when it is asked to.
func TestScreenshots(t *testing.T) {
	page, folder := os.Getenv("ASTERWEAVE_REPORT"), os.Getenv("ASTERWEAVE_SCREENSHOTS")
	if folder == "" {
		t.Skip("skipped: make screenshots asks for them")
	}
	var text []byte
	if page == "" {
		in := stages(t, plain())["done"]
		text = render(t, func(b *bytes.Buffer) error { return report.Report(b, report.HTML, in) })
	} else {
		var err error
		if text, err = os.ReadFile(page); err != nil {
			t.Fatal(err)
		}
	}
	b := browse(t)
	for _, scheme := range []string{"light", "dark"} {
		b.look(1120, 1000, scheme, "")
		b.open(text)
		if err := os.WriteFile(filepath.Join(folder, "report-"+scheme+".png"), b.shot(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
