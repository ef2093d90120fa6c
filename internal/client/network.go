package client

import (
	"net"
	"os/exec"
)

// Network is where a client and the stand-in of its model meet: a loopback.
type Network struct {
	listener net.Listener
	inside   func(func()) // runs a function where sockets and processes are the loopback's
	close    func()
	reason   string // why it is not isolated, "" when it is
}

// NewNetwork returns a loopback that nothing else is on, where the machine allows
// it, else the machine's own; Isolated tells which.
func NewNetwork() (*Network, error) {
	n, why := isolated()
	if why == nil {
		return n, nil
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &Network{listener: l, inside: func(f func()) { f() }, close: func() {}, reason: why.Error()}, nil
}

// Listener is where the stand-in listens.
func (n *Network) Listener() net.Listener { return n.listener }

// Listen returns another listener that clients reach, for a server besides the
// stand-in; the caller closes it.
func (n *Network) Listen() (l net.Listener, err error) {
	n.inside(func() { l, err = net.Listen("tcp4", "127.0.0.1:0") })
	return l, err
}

func (n *Network) start(cmd *exec.Cmd) (err error) {
	n.inside(func() { err = cmd.Start() })
	return err
}

// URL is how a client reaches the stand-in.
func (n *Network) URL() string { return "http://" + n.listener.Addr().String() }

// Isolated reports whether a client has no way out, and why it has one.
func (n *Network) Isolated() (ok bool, why string) { return n.reason == "", n.reason }

// Close closes the listener and gives the namespace back; processes in it keep it
// until they end.
func (n *Network) Close() error {
	err := n.listener.Close()
	n.close()
	return err
}
