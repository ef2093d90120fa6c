//go:build !linux

package client

import "os/exec"

// endGroup leaves what a process left behind alone: its id may be another's already.
func endGroup(*exec.Cmd) {}
