// Package gitrepo is the one place that starts the git program. It answers what
// the repository says (heads, diffs, ancestors, remotes), computes the id of the
// working tree as it is, and makes clean checkouts of commits, all without
// touching the user's index, object store, configuration or refs.
//
// # The environment
//
// Git listens to its caller in many ways. Every process gets an environment
// without the caller's GIT_* variables (but for those that say how a remote is
// reached, see [Repo.Transport]), with GIT_WORK_TREE fixed to the root, without
// prompts, pagers, hooks, replace refs, commit-graphs and file system monitors, and in
// a session of its own, so that nothing can ask on the terminal.
//
// # Objects
//
// Git does not look whether an object is what its name says, and whoever works here can
// write over its file. [Objects] hashes what it reads: comparisons of trees and files of
// a revision rest on it. Refs, the ancestry of commits, and what a checkout lays out are
// git's word.
//
// # The working tree's id
//
// [Repo.Tree] does not rely on the stat information, flags and extensions of the
// user's index, all of which can hide an edit. From that index it takes only
// which paths are tracked and as what. It keeps, below the state folder:
//
//	tree/cache    what was seen of each path, and the tree id that came of it
//	tree/objects  the trees computed so far, without blobs
//	tree/sub/…    the same for each submodule and nested repository
//	tree/tmp-…    a computation under way
//
// A path counts as unchanged only when size, times (nanoseconds, change time
// included), inode and mode are what they were before its content was read, and when
// it had come to rest by then. All other files are given to git, with an index that
// has what the user's has at these paths and neither stat data nor flags; git hashes
// them without storing them. The tree is made of the ids: by git from nothing, and
// here when only some folders change, since git takes longer to start and to read a
// large index than that. All files are replaced by rename and checked when read, so
// that any number of computations may run at once and one that is killed leaves
// nothing that another would stumble over.
package gitrepo
