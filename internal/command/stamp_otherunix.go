//go:build unix && !linux

package command

import "syscall"

func changed(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
