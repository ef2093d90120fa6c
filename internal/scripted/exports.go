package scripted

// envFile is the variable by which a client tells a session's first hook where it
// may leave text for the agents' shells.
const envFile = "CLAUDE_ENV_FILE"

// sourced runs a program behind the text that a hook left, as a client puts it before
// each command. The marker is there whatever the text says.
const sourced = `if [ -f "$0" ]; then . "$0" || exit; fi; export ` + Marker + `=1; exec "$@"`

// asAgent makes c a child of an agent's shell.
func (p *Player) asAgent(c child) child {
	c.env = p.agentEnv()
	c.behind = p.exports
	return c
}

// argv is what is run for c.
func (c child) argv() []string {
	argv := append([]string{c.program}, c.args...)
	if c.behind == "" {
		return argv
	}
	return append([]string{"/bin/sh", "-c", sourced, c.behind}, argv...)
}
