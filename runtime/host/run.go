package host

import (
	"errors"
	"fmt"
	"strings"

	"podlife/runtime/host/command"
	"podlife/runtime/host/frame"
)

// run answers a Run: a command, whose first message is Ran, or why not. What is asked of the marker is what a terminal is asked.
func (c *conn) run(r *frame.Run, l *looker) {
	p, err := c.start(r, l)
	if err != nil {
		c.drop(l)
		c.refuse(r.Request, r.Viewer, err)
		return
	}
	c.enter(l, p)
}

// start checks the request, and the marker, and starts the program.
func (c *conn) start(r *frame.Run, l *looker) (*command.Command, error) {
	h := c.host
	if err := validRun(r); err != nil {
		return nil, err
	}
	if reason := h.config.Check(r.Want); reason != "" {
		return nil, &refusal{reason: reason}
	}
	if err := h.takeCommand(); err != nil {
		return nil, err
	}
	p, err := h.config.Run(h.ctx, command.Spec{Argv: r.Argv, Dir: r.Dir, Exactly: r.Exactly, Env: r.Env})
	if err != nil {
		h.leaveCommand()
		return nil, toldOfCommand(err)
	}
	m := command.New(r.Request, r.Viewer, p, h.config.Command, func() { c.mark(l) })
	go func() { // is waited for by Stop; the connection's end ends the command
		<-m.Done()
		h.leaveCommand()
	}()
	return m, nil
}

// takeCommand makes room for one more; leaveCommand gives it back.
func (h *Host) takeCommand() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.stopping:
		return &refusal{reason: frame.Stopping}
	case h.config.Run == nil:
		return &refusal{reason: frame.BadRequest, detail: "no programs are run here"}
	case h.commands >= h.config.Commands:
		return &refusal{reason: frame.TooManySessions, detail: fmt.Sprintf("%d programs run, and no more may", h.commands)}
	}
	h.commands++
	h.serving.Add(1)
	return nil
}

func (h *Host) leaveCommand() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.commands--
	h.serving.Done()
}

func validRun(r *frame.Run) error {
	if err := validArgv(r.Argv); err != nil {
		return err
	}
	if strings.ContainsRune(r.Dir, 0) {
		return &refusal{reason: frame.BadRequest, detail: "not a folder's name"}
	}
	return validEnv(r.Env)
}

func validArgv(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return &refusal{reason: frame.BadRequest, detail: "no program is named"}
	}
	for _, a := range argv {
		if strings.ContainsRune(a, 0) {
			return &refusal{reason: frame.BadRequest, detail: "a zero byte in an argument"}
		}
	}
	return nil
}

// toldOfCommand is told, in the words of a program.
func toldOfCommand(err error) error {
	var r *refusal
	if errors.As(told(err), &r) && r.reason == frame.NoShell {
		return &refusal{reason: frame.NoCommand, code: r.code, detail: r.detail}
	}
	return told(err)
}

// command gives the command with a number, nil if there is none, or not yet.
func (c *conn) command(id uint32) *command.Command {
	p, _ := c.viewer(id).(*command.Command)
	return p
}
