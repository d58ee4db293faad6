package container

import (
	"context"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/pod"
)

// program is a program without a terminal of a container's session host.
type program struct {
	c       *Containers
	id      pod.ContainerID
	command *client.Command
}

// Run starts a program without a terminal; see pod.Containers. The context bounds the start alone. Besides the errors of the interface there is *ShellError.
func (c *Containers) Run(ctx context.Context, id pod.ContainerID, inc pod.Incarnation, req pod.CommandRequest) (pod.Command, error) {
	dir := req.Dir
	if dir == "" {
		dir = c.o.Recipe.Repo.Dir
	}
	m, err := letIn(ctx, c, id, func(ctx context.Context, host *client.Client) (*client.Command, error) {
		return host.Run(ctx, client.Run{Argv: req.Argv, Want: c.wanted(inc), Dir: dir, Exactly: req.Dir != "", Env: req.Env})
	})
	if err != nil {
		return nil, err
	}
	return &program{c: c, id: id, command: m}, nil
}

// Next gives what the program says next; see pod.Command.
func (p *program) Next(ctx context.Context) (pod.ShellEvent, error) {
	for {
		m, err := p.command.Next(ctx)
		if err != nil {
			return nil, p.c.cutOff(ctx, p.id, err)
		}
		switch m := m.(type) {
		case *frame.Output:
			return pod.Output{From: m.Offset, Data: m.Data}, nil
		case *frame.Errors:
			return pod.Errors{From: m.Offset, Data: m.Data}, nil
		case *frame.Exit:
			return pod.Exit{Code: int(m.Code), Signal: m.Signal}, nil
		}
	}
}

// Input gives the program something to read.
func (p *program) Input(ctx context.Context, b []byte) error { return p.command.Input(ctx, b) }

// EOF ends the program's input.
func (p *program) EOF() { p.command.EOF() }

// Signal sends the program a signal.
func (p *program) Signal(name string) { p.command.Signal(name) }

// Ack says how much of the outputs was dealt with.
func (p *program) Ack(bytes uint64) { p.command.Ack(bytes) }

// Close ends the program.
func (p *program) Close() error {
	p.command.Close()
	return nil
}
