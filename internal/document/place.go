package document

// Where things lie in a worktree, relative to its root, with slashes.
const (
	StateFolder = ".claude/asterweave"      // the delivery's ledger, artifacts and documents
	ConfigPath  = ".claude/asterweave.json" // a [Config]
)
