package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"podlife/runtime/client"
)

// connection is one terminal being served: its messages come through one helper goroutine, keys go out through another, so that a shell that does not read blocks only its keys.
type connection struct {
	*shell
	t        *client.Terminal
	live     bool             // attached: keys belong to the shell
	booting  bool             // the server has said so
	silent   <-chan time.Time // of a boot of which nothing was told so far
	warned   bool             // of an idle sleep
	waitKey  bool             // asleep or destroyed: the next key boots
	exit     *int             // the remote shell's code, once told
	pending  []byte           // keys that the helper has not taken yet
	writeErr chan error
	doomed   <-chan time.Time // after a failed write: when to stop waiting for the reading side to say why
	eof      <-chan time.Time // the input has ended: when to say so again
}

// serve carries one terminal to its end. nil is never returned: errAgain, errLeft, or what run ends with.
func (s *shell) serve(ctx context.Context, t *client.Terminal) error {
	ctx, cancel := context.WithCancel(ctx)
	messages, keys := make(chan client.Message), make(chan []byte)
	c := &connection{shell: s, t: t, writeErr: make(chan error, 1)}
	var helpers sync.WaitGroup
	helpers.Go(func() {
		defer s.m.restoreOnPanic()
		receive(ctx, t, messages)
	})
	helpers.Go(func() {
		defer s.m.restoreOnPanic()
		c.send(ctx, keys)
	})
	err := c.loop(ctx, messages, keys)
	cancel()
	t.Close() // unblocks a helper that writes
	helpers.Wait()
	return err
}

// receive hands messages over until the terminal or the context ends.
func receive(ctx context.Context, t *client.Terminal, to chan<- client.Message) {
	defer close(to)
	for {
		m, err := t.Next(ctx)
		if err != nil {
			return
		}
		select {
		case to <- m:
		case <-ctx.Done():
			return
		}
	}
}

// broken notes that a write failed; once is enough.
func (c *connection) broken(err error) {
	select {
	case c.writeErr <- err:
	default:
	}
}

// send types keys until the context ends or the connection breaks.
func (c *connection) send(ctx context.Context, keys <-chan []byte) {
	for {
		select {
		case b := <-keys:
			if _, err := c.t.Write(b); err != nil {
				c.broken(err)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) loop(ctx context.Context, messages <-chan client.Message, keys chan<- []byte) error {
	for {
		in, out := c.input(), (chan<- []byte)(nil)
		if len(c.pending) > 0 {
			in, out = nil, keys
		}
		var err error
		select {
		case m, ok := <-messages:
			if !ok {
				return c.closed(ctx, client.Closed{Code: client.CloseLost})
			}
			err = c.message(ctx, m)
		case b, ok := <-in:
			err = c.typed(b, ok)
		case out <- c.pending:
			c.pending = nil
		case <-c.eof:
			c.endInput()
		case <-c.tty.resized:
			c.resize()
		case <-c.writeErr:
			// The reading side mostly knows why; it fails by itself if the connection is dead.
			if c.doomed == nil {
				c.doomed = time.After(time.Second)
			}
		case <-c.silent:
			c.saysBoot()
		case <-c.doomed:
			return c.closed(ctx, client.Closed{Code: client.CloseLost})
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// input gives the keyboard when somebody can take what comes from it.
func (c *connection) input() <-chan []byte {
	switch {
	case c.inputEnded:
		return nil
	case c.live:
		return c.in
	}
	return c.keyboard()
}

// typed handles what came from the keyboard.
func (c *connection) typed(b []byte, ok bool) error {
	switch {
	case !ok && c.interactive:
		c.inputEnded = true
		return errLeft
	case !ok:
		c.inputEnded = true
		if !c.readOnly {
			c.endInput()
		}
		return nil
	case c.live && c.interactive:
		send, left := c.filter(b)
		if left {
			return errLeft
		}
		c.keys(send)
		return nil
	case c.live:
		c.keys(b)
		return nil
	case c.waitKey:
		if _, left := c.filter(b); left || b[0] == 3 {
			return errLeft
		}
		c.waitKey = false
		return c.boot()
	}
	return c.idleKeys(b, ok)
}

// keys has the helper type something. Who only looks types nothing, and keeps the pod awake by a key all the same.
func (c *connection) keys(b []byte) {
	switch {
	case !c.readOnly:
		c.pending = b
	case c.warned && len(b) > 0:
		if err := c.t.Stay(); err != nil {
			c.broken(err)
		}
	}
}

// eofAgain is how long a program has to take the end of its input. A shell that begins throws away what was typed before it reads, and the end with it.
const eofAgain = 500 * time.Millisecond

// endInput types Ctrl-D, the end of a typed input, and will again.
func (c *connection) endInput() {
	if len(c.pending) == 0 {
		c.pending = []byte{4}
	}
	c.eof = time.After(eofAgain)
}

// boot asks for another boot.
func (c *connection) boot() error {
	if err := c.t.Boot(); err != nil {
		c.broken(err)
	}
	return nil
}

func (c *connection) resize() {
	cols, rows := c.tty.size()
	if cols == c.cols && rows == c.rows {
		return
	}
	c.cols, c.rows = cols, rows
	if err := c.t.Resize(cols, rows); err != nil {
		c.broken(err)
	}
}

// message handles what the server says.
func (c *connection) message(ctx context.Context, m client.Message) error {
	defer c.place.Follow(m) // when it was dealt with
	switch m := m.(type) {
	case client.Output:
		c.modes.see(m)
		if _, err := c.out.Write(m); err != nil {
			return fmt.Errorf("write to the terminal: %w", err)
		}
	case client.Step:
		c.saysBoot()
		c.progress.event(client.Event{Step: m.Step, Status: m.Status, Detail: m.Detail})
	case client.Log:
		c.saysBoot()
		c.progress.event(client.Event{Log: m.Data})
	case client.Attached:
		if c.mustStart && c.attached == 0 && !m.Started {
			return &codeError{code: exitFailed, text: fmt.Sprintf("the tab %s runs already, and goes on with what it runs: name another with --tab", printable(m.Tab))}
		}
		if c.mustStart && c.attached != 0 && m.Incarnation != c.attached {
			return &codeError{code: exitFailed, text: "the container ended, and the program with it"}
		}
		c.nowAttached(m)
	case client.State:
		return c.state(m)
	case client.Idle:
		c.idle(m)
	case client.Exit:
		c.exit = &m.Code
	case client.Closed:
		return c.closed(ctx, m)
	}
	return nil
}

func (c *connection) nowAttached(m client.Attached) {
	inc := m.Incarnation
	switch {
	case c.attached != 0 && inc != c.attached:
		c.note(fmt.Sprintf("a new container (incarnation %d): what was only on the old one's disk is gone", inc))
	case c.lost:
		c.note("connected again")
	}
	if m.Recorded && c.recorded != m.Epoch {
		c.recorded = m.Epoch
		c.note("this session is recorded")
	}
	c.booting, c.silent = false, nil
	c.live, c.attached, c.attempt, c.lost, c.refusedKeys = true, inc, 0, false, false
}

// idle tells of an idle sleep that is near, and of one that was.
func (c *connection) idle(m client.Idle) {
	switch {
	case m.Seconds > 0:
		c.warned = true
		c.note(fmt.Sprintf("nothing was typed or printed for long: the pod goes to sleep in %d s, and its disk is wiped; a key keeps it", m.Seconds))
	case c.warned:
		c.warned = false
		c.note("the pod stays awake")
	}
}

// bootSilence is how long a boot may say nothing before it is told of. That of a pod which is ready has nothing to do, and is over by then.
const bootSilence = time.Second

// saysBoot tells, once for each boot, that there is one.
func (c *connection) saysBoot() {
	if c.silent != nil {
		c.silent = nil
		c.note("booting your pod")
	}
}

// state handles where the pod is.
func (c *connection) state(m client.State) error {
	if m.State == "ready" {
		return nil
	}
	c.detached()
	if m.State == "booting" {
		if !c.booting { // said again once its incarnation is known
			c.booting = true
			c.silent = time.After(bootSilence)
		}
		return nil
	}
	c.booting, c.silent = false, nil
	final := m.State == "failed" && m.Reason != "shell_lost" // its message is this command's error
	if m.Message != "" && !final {
		c.note(m.Message)
	}
	byWish := m.State == "destroyed" || m.State == "asleep" && m.Reason == "idle"
	switch {
	case m.State == "failed" && m.Reason == "boot_failed":
		return bootFailed(c.notes, m.Step, m.ExitCode, m.LogTail, m.Message)
	case m.State == "failed" && m.Reason == "engine_unavailable":
		return &codeError{code: exitEngine, text: "the server cannot use its container engine: " + printable(m.Message)}
	case m.State == "failed" && m.Reason != "shell_lost":
		code := exitFailed
		if namedConflict(m.Reason) {
			code = exitConflict
		}
		if m.Reason == "no_shell" && m.ExitCode != 0 && c.mustStart {
			code = m.ExitCode // as a shell would say it of that program
		}
		return &codeError{code: code, text: printable(m.Message)}
	case byWish && c.interactive:
		c.waitKey = true
		c.note("press a key to boot it again, ~. or Ctrl-C to leave")
		return nil
	case byWish:
		return &codeError{code: exitFailed, text: "the pod is " + printable(m.State)}
	}
	return errAgain // lost by accident: a new connection boots it again, after a pause that grows
}

// closed decides what the end of a socket means.
func (c *connection) closed(ctx context.Context, m client.Closed) error {
	why := m.Reason
	if why == "" && m.Err != nil {
		why = m.Err.Error()
	}
	switch {
	case c.exit != nil && *c.exit == 0:
		return nil
	case c.exit != nil:
		return &codeError{code: *c.exit}
	case ctx.Err() != nil:
		return ctx.Err()
	case m.Code == client.CloseTabClosed:
		return &codeError{code: exitSignal + 1, text: "somebody closed this session, and its programs are gone"}
	case m.Code == client.CloseTooMany:
		return &codeError{code: exitBusy, text: "too many terminals are open: close one, or try again later"}
	case m.Code == client.CloseBadMessage, m.Code == client.CloseTooBig, m.Code == client.CloseNotReady, m.Code == client.CloseShellExited:
		return &codeError{code: exitFailed, text: fmt.Sprintf("the server closed the terminal (%d): %s", m.Code, printable(why))}
	}
	c.detached()
	c.lost = true
	if m.Code == client.CloseGoingAway {
		c.note("the server is stopping; your programs keep running, trying again")
	} else if c.attempt == 0 {
		c.note("the connection is lost; your programs keep running, trying again (Ctrl-C leaves)")
	}
	return errAgain
}

// detached notes that no shell takes keys any more, and makes the screen readable for what podlife has to say.
func (c *connection) detached() {
	if c.live {
		c.backToText()
		c.escape.lineStart, c.escape.held = true, false
	}
	c.live = false
}
