//go:build !linux

package client

import "errors"

func isolated() (*Network, error) {
	return nil, errors.New("this system has no network namespaces")
}
