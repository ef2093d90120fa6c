//go:build !unix

package bench

import "errors"

func resident(string, ...string) (float64, error) {
	return 0, errors.New("the memory of a process is measured on Linux and macOS only")
}
