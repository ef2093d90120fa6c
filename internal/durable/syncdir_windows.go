package durable

// syncDir does nothing: Windows cannot open a folder for syncing, and NTFS
// journals renames by itself.
func syncDir(string) error { return nil }
