package verify_test

import (
	"testing"
	"time"

	"github.com/asterweave/asterweave/internal/bundle"
	"github.com/asterweave/asterweave/internal/verify"
)

func options(dir string) verify.Options {
	return verify.Options{
		Root: dir, Now: time.Now, Environ: environ(), Providers: providers,
		Signers: func(bundle.Signed, []byte, time.Time) (who, refused []string) { return nil, []string{"nobody signs here"} },
	}
}

func TestHonest(t *testing.T) {
	h := honest(t)
	o := options(h.cloned())
	o.Rerun = true
	v, err := verify.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Checks {
		t.Logf("%s %s: %s", c.State, c.Name, c.Reason)
		if c.State != verify.Open {
			t.Errorf("%s is %s: %s", c.Name, c.State, c.Reason)
		}
	}
}
