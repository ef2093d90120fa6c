package gitrepo

import (
	"context"
	"strings"
)

// SigningKey returns the SSH key that Git is set up to sign with: the path of a file, or
// the key itself behind "key::" or as "ssh-…". It is "" where Git signs with something
// else or with nothing, and where it would run a command to find the key.
func (r *Repo) SigningKey(ctx context.Context) (string, error) {
	list, err := r.config(ctx)
	if err != nil {
		return "", err
	}
	format, _ := list.get("gpg.format")
	key, _ := list.get("user.signingkey")
	if !strings.EqualFold(format, "ssh") || key == "" {
		return "", nil
	}
	if strings.HasPrefix(key, "key::") || strings.HasPrefix(key, "ssh-") {
		return key, nil
	}
	return list.path("user.signingkey", "", r.root), nil
}
