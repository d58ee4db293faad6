package lockstep

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"podlife/runtime/engine"
)

// console is a shell in a container that takes one command after the other: starting a process for each takes the engine fifty times as long.
type console struct {
	mu  sync.Mutex // guards the following, and is held for one command
	p   engine.Process
	out *bufio.Reader
}

// consoleEnd begins the line that ends the output of a command.
const consoleEnd = "::end "

// sh runs a line in a container, and fails when it does.
func (d *Docker) sh(ctx context.Context, id engine.ID, line string) error {
	_, err := d.run(ctx, id, line)
	return err
}

// run runs a piece of sh in a container, without input, and gives what it wrote. No argument has a quote in it.
func (d *Docker) run(ctx context.Context, id engine.ID, script string, args ...string) (string, error) {
	d.mu.Lock()
	c := d.consoles[id]
	if c == nil {
		c = &console{}
		d.consoles[id] = c
	}
	d.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.p == nil {
		if err := d.open(ctx, id, c); err != nil {
			return "", err
		}
	}
	defer context.AfterFunc(ctx, func() { _ = c.p.Close() })()
	command := "(\nset -- '" + strings.Join(args, "' '") + "'\n" + script + "\n) </dev/null 2>&1\necho \"" + consoleEnd + "$?\"\n"
	if _, err := c.p.Write([]byte(command)); err != nil {
		return "", err
	}
	var out strings.Builder
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			return "", fmt.Errorf("in container %.12s: %w", id, err)
		}
		if code, ends := strings.CutPrefix(strings.TrimSpace(line), consoleEnd); ends {
			if n, err := strconv.Atoi(code); err != nil || n != 0 {
				return "", fmt.Errorf("in container %.12s: %.100q ended with code %s: %s", id, script, code, out.String())
			}
			return out.String(), nil
		}
		out.WriteString(line)
	}
}

// openTries is how often a console is asked for whose shell the engine could not start: on a busy machine runc fails now and then.
const openTries = 3

// open starts a console's shell and hears from it.
func (d *Docker) open(ctx context.Context, id engine.ID, c *console) error {
	for try := 1; ; try++ {
		p, err := d.o.Engine.Exec(context.WithoutCancel(ctx), id, engine.ExecSpec{Command: []string{"/bin/sh"}, Env: []string{"HOME=/root"}})
		if err != nil {
			return err
		}
		out := bufio.NewReader(p)
		_, werr := p.Write([]byte("echo '" + consoleEnd + "'\n"))
		line, rerr := out.ReadString('\n')
		if strings.HasPrefix(line, consoleEnd) {
			c.p, c.out = p, out
			return nil
		}
		_ = p.Close()
		if try == openTries || ctx.Err() != nil {
			return fmt.Errorf("in container %.12s: no shell: %.200q: %w", id, line, errors.Join(werr, rerr, ctx.Err()))
		}
	}
}

// leave ends the consoles.
func (d *Docker) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.consoles {
		c.mu.Lock()
		if c.p != nil {
			_ = c.p.Close() // its container is removed
		}
		c.mu.Unlock()
	}
}
