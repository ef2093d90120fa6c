package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Run runs one of the client's own commands, "plugin install" say, and returns what it
// printed. The error is that of its exit.
func Run(ctx context.Context, o Options, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit())
	defer cancel()
	cmd := o.command(ctx, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := o.Network.start(cmd); err != nil {
		return "", fmt.Errorf("start the client: %w", err)
	}
	endGroup(cmd)
	if err := cmd.Wait(); err != nil {
		return said.String(), fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return said.String(), nil
}

// Print runs the client for one prompt that has no human behind it, and returns what
// it printed. The error is that of the client's exit, with the last that it said.
func Print(ctx context.Context, o Options, prompt string) (Transcript, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit())
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
