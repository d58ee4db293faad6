package outlive

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"podlife/runtime/client"
)

// result is what a program inside said, and in which incarnation it ran.
type result struct {
	out string
	inc int
}

// program runs a program in a pod through the product, which starts a stopped workspace first. in may be nil. Anything but exit code 0 is an error.
func program(ctx context.Context, c *client.Client, name string, in io.Reader, argv ...string) (result, error) {
	e, err := c.Exec(ctx, client.ExecRequest{Client: name, Argv: argv, Env: map[string]string{"LC_ALL": "C.UTF-8"}})
	if err != nil {
		return result{}, err
	}
	fed := make(chan error, 1)
	started := false
	defer func() {
		e.Close()
		if started {
			<-fed
		}
	}()
	var r result
	var out, errs strings.Builder
	for {
		m, err := e.Next(ctx)
		if err != nil {
			return r, fmt.Errorf("%q: %w", argv[0], err)
		}
		switch m := m.(type) {
		case client.Started:
			r.inc, started = m.Incarnation, true
			go func() { fed <- feed(e, in) }()
		case client.Stdout:
			out.Write(m)
		case client.Stderr:
			errs.Write(m)
		case client.Exit:
			r.out = out.String()
			if m.Code != 0 {
				return r, fmt.Errorf("%.60q: exit code %d: %s", argv, m.Code, errs.String())
			}
			return r, nil
		case client.Denied:
			return r, fmt.Errorf("%.60q was refused: %s: %s", argv, m.Reason, m.Message)
		case client.Lost:
			return r, fmt.Errorf("%.60q was cut off: %s: %s", argv, m.Reason, m.Message)
		case client.Closed:
			return r, fmt.Errorf("%.60q: the socket closed with %d %s", argv, m.Code, m.Reason)
		}
	}
}

func feed(e *client.Exec, in io.Reader) error {
	if in != nil {
		if _, err := io.Copy(e, in); err != nil {
			return err
		}
	}
	return e.CloseWrite()
}

// docker runs the docker command, past the product, and gives what it wrote.
func docker(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "docker", args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", args[0], err, errs.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// lines counts the lines of a command's output, each of which is one word.
func lines(out string) int { return len(strings.Fields(out)) }
