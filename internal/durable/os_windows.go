package durable

// NoFollow is a flag for [FS.OpenFile]: the last element of the name must be no
// symbolic link. It is 0 where the system has no such flag.
const NoFollow = 0

const nonblock = 0

// syncDir does nothing: Windows cannot open a folder for syncing, and NTFS
// journals renames by itself.
func syncDir(string) error { return nil }
