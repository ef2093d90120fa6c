package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// shell runs asterweave-state as the model's shell does, and delivers the tool
// call to the hook.
func (p *Player) shell(ctx context.Context, stdin []byte, args ...string) (result, error) {
	p.calls++
	out, err := p.run(ctx, p.asAgent(child{program: p.o.State, args: args, stdin: stdin}))
	if err != nil {
		return out, err
	}
	return out, p.bash(ctx, out)
}

// bash delivers a command that ran in the conversation's shell. One that failed is
// another event for the client.
func (p *Player) bash(ctx context.Context, out result) error {
	line := commandLine(filepath.Base(out.child.program), out.child.args)
	input := map[string]string{"command": line, "description": "recorded"}
	if out.exit != 0 {
		return p.failed(ctx, agent{}, "Bash", input, fmt.Sprintf("Exit code %d\n%s", out.exit, out.tail))
	}
	return p.used(ctx, agent{}, "Bash", input, map[string]any{
		"stdout": out.tail, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
	})
}

// call is shell with the answer read. The error is a [RefusedError] when the
// answer says that nothing was done.
func (p *Player) call(ctx context.Context, stdin []byte, args ...string) (answer, outcome, error) {
	out, err := p.shell(ctx, stdin, append([]string{"--json"}, args...)...)
	if err != nil {
		return answer{}, outcome{}, err
	}
	var a answer
	if err := json.Unmarshal(out.stdout, &a); err != nil {
		return a, outcome{}, out.failure(fmt.Sprintf("the answer is no JSON object: %v", err))
	}
	if !a.OK {
		return a, outcome{}, &RefusedError{Err: out.failure(a.Error.Code + ": " + a.Error.Message)}
	}
	if a.Next.Node != "" {
		p.node, p.attempt = a.Next.Node, a.Next.Attempt
	}
	why := a.Evidence.Summary
	if a.Evidence.Because != "" {
		why += " (" + a.Evidence.Because + ")"
	}
	return a, outcome{result: a.Evidence.Result, why: why, call: &out}, nil
}
