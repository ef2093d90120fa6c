//go:build linux

package ledger_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/asterweave/asterweave/internal/ledger"
)

// TestFaultsOfTheKernel injects errors into the system calls of a real writer. It
// checks that the seam of package durable does not hide a call.
func TestFaultsOfTheKernel(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed; the faults are tried through the seam only")
	}
	for name, inject := range map[string]string{
		"fsync EIO":          "inject=fsync:error=EIO:when=13+",
		"write ENOSPC":       "inject=pwrite64:error=ENOSPC:when=5+",
		"rename EIO":         "inject=renameat,rename,renameat2:error=EIO",
		"write ENOSPC early": "inject=pwrite64:error=ENOSPC",
		"flock EIO":          "inject=flock:error=EIO",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			cmd := exec.Command(strace, "-f", "-qq", "-o", filepath.Join(t.TempDir(), "trace"), "-e", "trace=fsync,pwrite64,rename,renameat,renameat2,flock", "-e", inject, os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|w|1|20", childEnv, p.dir, p.anchor))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if strings.Contains(stderr.String(), "ptrace") {
				t.Skipf("strace may not trace here: %s", stderr.String())
			}
			if err == nil {
				t.Fatalf("the writer did not notice: %s", out)
			}
			if !strings.Contains(stderr.String(), "input/output error") && !strings.Contains(stderr.String(), "no space left") {
				t.Errorf("the writer said %q", stderr.String())
			}
			acked := strings.Count(string(out), "ack ")
			w, err := p.log().Lock(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Append(draft(0), true); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r := p.audit(t)
			if !r.Clean() || r.Events < int64(acked)+1 {
				t.Errorf("%d events were acknowledged: %+v", acked, r)
			}
			found := map[string]bool{}
			collect(t, ledger.Open(p.dir, ledger.Options{}), found)
			for i := 1; i <= acked; i++ {
				if !found[childData("w", i)] {
					t.Errorf("event %d was acknowledged and is lost", i)
				}
			}
			t.Logf("%d acknowledged, then: %s", acked, strings.TrimSpace(stderr.String()))
		})
	}
}
