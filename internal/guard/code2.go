package guard

import "strings"

// calls judges the words behind a script as those of a command that it may run.
func (w *walker) calls(args []arg, e *env) bool {
	before := w.out.Decision
	w.tail(args, e)
	return w.out.Decision > before
}

// arithmetic judges the commands in a text that a shell would evaluate as an index.
func (w *walker) arithmetic(text string, e *env) {
	if strings.Contains(text, "[$(") || strings.Contains(text, "[`") {
		w.refuseOnly(": "+text, e)
	}
}
