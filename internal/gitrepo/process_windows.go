package gitrepo

import "os/exec"

// detach does nothing: the process alone ends when the context does.
func detach(*exec.Cmd) {}
