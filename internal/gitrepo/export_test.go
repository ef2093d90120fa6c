package gitrepo

// Reads returns how many objects git was asked for.
func (o *Objects) Reads() int { return o.reads }

// Process returns the id of the process, 0 while none runs.
func (o *Objects) Process() int {
	if o.batch == nil {
		return 0
	}
	return o.batch.cmd.Process.Pid
}
