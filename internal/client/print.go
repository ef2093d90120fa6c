package client

import (
	"context"
	"errors"
	"fmt"
)

// Print runs the client for one prompt that has no human behind it, and returns what
// it printed. The error is that of the client's exit, with the last that it said.
func Print(ctx context.Context, o Options, prompt string) (Transcript, error) {
	wait := o.Wait
	if wait == 0 {
		wait = sayWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	cmd := o.command(ctx, "-p", prompt, "--output-format", "stream-json", "--verbose")
	said := &tail{}
	cmd.Stderr = said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := o.Network.start(cmd); err != nil {
		return nil, fmt.Errorf("start the client: %w", err)
	}
	var events Transcript
	err = eachLine(stdout, func(e Event) error {
		events = append(events, e)
		return nil
	})
	endGroup(cmd)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return events, fmt.Errorf("%w: %s", err, said)
	}
	return events, nil
}
