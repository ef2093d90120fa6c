package client

import (
	"fmt"
	"net"
	"runtime"

	"golang.org/x/sys/unix"
)

// isolated makes a network namespace with nothing in it but a loopback.
//
// A namespace belongs to a thread, and a socket to the namespace of the thread that
// made it, whoever accepts from it later. So one thread is moved, makes the listener
// and starts the clients; the rest of the process stays where it is. The thread is
// never unlocked, and ends with its goroutine. Making a namespace takes a privilege;
// without it the error says so.
func isolated() (*Network, error) {
	jobs := make(chan func())
	made := make(chan error)
	n := &Network{close: func() { close(jobs) }}
	go func() {
		runtime.LockOSThread()
		var err error
		if err = unix.Unshare(unix.CLONE_NEWNET); err != nil {
			err = fmt.Errorf("no network namespace can be made: %w", err)
		} else if err = loopback(); err == nil {
			n.listener, err = net.Listen("tcp4", "127.0.0.1:0")
		}
		made <- err
		if err != nil {
			return
		}
		for job := range jobs {
			job()
		}
	}()
	if err := <-made; err != nil {
		return nil, err
	}
	n.inside = func(f func()) {
		ran := make(chan struct{})
		jobs <- func() { f(); close(ran) }
		<-ran
	}
	return n, nil
}

// loopback brings the namespace's loopback up.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}
