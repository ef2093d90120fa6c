//go:build unix

package bench

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// resident returns the largest resident size of a process, in MB.
func resident(dir string, argv ...string) (float64, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir, c.Stdin = dir, bytes.NewReader(payload(dir))
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", argv[0], err)
	}
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("the system does not tell the memory of a process")
	}
	kib := float64(usage.Maxrss)
	if runtime.GOOS == "darwin" {
		kib /= 1024 // it counts bytes
	}
	return kib / 1024, nil
}
