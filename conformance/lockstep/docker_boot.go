package lockstep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"sync"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// heldBoots is an engine that holds the request and the result of every boot.
type heldBoots struct {
	engine.Engine
	d *Docker
}

// Exec starts a process.
func (e heldBoots) Exec(ctx context.Context, id engine.ID, spec engine.ExecSpec) (engine.Process, error) {
	if len(spec.Command) < 3 || spec.Command[2] != "boot" {
		return e.Engine.Exec(ctx, id, spec)
	}
	c, err := e.Inspect(ctx, id)
	if err != nil {
		return nil, err
	}
	n, _ := strconv.Atoi(c.Labels[container.LabelIncarnation]) // the server's own label
	if before := e.d.script(n); before != nil {
		before.ends()
	}
	if c.State == engine.Running {
		if err := e.d.sh(ctx, id, "rm -rf /run/lockstep"); err != nil {
			return nil, err
		}
	}
	p, err := e.begin(ctx, id, spec, c.State)
	if err != nil {
		return nil, err
	}
	s := newHeldBoot(p)
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	e.d.scripts[n] = s
	close(e.d.begun)
	e.d.begun = make(chan struct{})
	return s, nil
}

// begin starts a boot's agent. On a busy machine runc fails now and then to start a process, and who holds a boot has to know which one it is: so it is looked for (by a pattern that is not itself), and asked for again where it is not there.
func (e heldBoots) begin(ctx context.Context, id engine.ID, spec engine.ExecSpec, state engine.State) (engine.Process, error) {
	const there = "i=0; until cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q '[a]gent boot --lifeline'; do i=$((i+1)); [ $i -lt 50 ] || exit 1; sleep 0.02; done"
	for try := 1; ; try++ {
		p, err := e.Engine.Exec(ctx, id, spec)
		if err != nil || state != engine.Running || try == openTries || e.d.sh(ctx, id, there) == nil {
			return p, err
		}
		if c, err := e.Inspect(ctx, id); err != nil || c.State != engine.Running {
			return p, nil // it went meanwhile: the server has to find out by itself
		}
		_ = p.Close()
	}
}

// Remove removes a container, and what its boot has not told yet with it.
func (e heldBoots) Remove(ctx context.Context, id engine.ID) error {
	c, err := e.Inspect(ctx, id)
	if err == nil {
		n, _ := strconv.Atoi(c.Labels[container.LabelIncarnation]) // the server's own label
		if s := e.d.script(n); s != nil {
			defer s.lost()
		}
	}
	return e.Engine.Remove(ctx, id)
}

// heldBoot is one boot in a real container, between the agent and the server.
type heldBoot struct {
	engine.Process
	out   *io.PipeReader
	start chan struct{} // closed when the request may go in
	reply chan struct{} // closed when the result may come out
	told  chan struct{} // closed when there is a result
	gone  chan struct{} // closed when nothing comes out any more

	mu     sync.Mutex // guards the following
	state  podruntime.Script
	failed bool // it fails before it has begun: it gets no request
	shut   map[chan struct{}]bool
}

func newHeldBoot(p engine.Process) *heldBoot {
	out, in := io.Pipe()
	s := &heldBoot{
		Process: p, out: out, start: make(chan struct{}), reply: make(chan struct{}), told: make(chan struct{}), gone: make(chan struct{}),
		state: podruntime.ScriptOn, shut: map[chan struct{}]bool{},
	}
	go s.follow(in) // ends with the process's output
	return s
}

// follow reads what the agent says.
func (s *heldBoot) follow(in *io.PipeWriter) {
	defer close(s.gone)
	lines := bufio.NewReaderSize(s.Process, boot.MaxEventLine)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.HasPrefix(line, []byte(`{"result"`)) {
			err = s.result(line, in)
		} else if len(line) > 0 {
			_, _ = in.Write(line) // without a reader there is nobody to tell
		}
		if err != nil {
			_ = in.CloseWithError(err) // never fails
			return
		}
	}
}

// result holds a result. A container that dies meanwhile takes it along.
func (s *heldBoot) result(line []byte, in *io.PipeWriter) error {
	var e boot.Event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	s.mu.Lock()
	s.state = podruntime.ScriptBad
	if e.Result.OK {
		s.state = podruntime.ScriptOK
	}
	s.mu.Unlock()
	s.close(s.told)
	<-s.reply
	s.mu.Lock()
	lost := s.state == podruntime.ScriptOff
	s.mu.Unlock()
	if lost {
		return io.EOF
	}
	_, err := in.Write(line)
	return err
}

// Read gives what the agent says, as far as it is not held.
func (s *heldBoot) Read(b []byte) (int, error) { return s.out.Read(b) }

// Write holds the request.
func (s *heldBoot) Write(b []byte) (int, error) {
	go func() { // ends when it may go in, which at the latest is when the world ends
		<-s.start
		s.mu.Lock()
		failed := s.failed
		s.mu.Unlock()
		if !failed {
			_, _ = s.Process.Write(b) // what came of it is in the result, or its absence
		}
	}()
	return len(b), nil
}

// Close ends the connection.
func (s *heldBoot) Close() error {
	_ = s.out.CloseWithError(engine.ErrClosed) // never fails
	return s.Process.Close()
}

// close closes one of its channels, once.
func (s *heldBoot) close(c chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shut[c] {
		s.shut[c] = true
		close(c)
	}
}

// fresh says that nothing has been asked of the agent, and that the server lives.
func (s *heldBoot) fresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == podruntime.ScriptOn && !s.shut[s.start] && !s.shut[s.reply]
}

// fails makes a boot fail that has not got its request: it gets none. False if it has got it.
func (s *heldBoot) fails() bool {
	s.mu.Lock()
	if s.shut[s.start] {
		s.mu.Unlock()
		return false
	}
	s.failed = true
	s.mu.Unlock()
	s.close(s.start)
	_ = s.CloseWrite() // the agent then says that there is no request
	return true
}

// lost is the end of its container: what it has not told is not told any more.
func (s *heldBoot) lost() {
	s.mu.Lock()
	if !s.shut[s.reply] {
		s.state = podruntime.ScriptOff
	}
	s.failed = true
	s.mu.Unlock()
	s.close(s.start)
	s.close(s.reply)
}

// ends ends the boot of a server that is dead: its connection has come to its end.
func (s *heldBoot) ends() {
	s.mu.Lock()
	s.failed = true
	s.mu.Unlock()
	s.close(s.start)
	s.close(s.reply)
	_ = s.CloseWrite() // there may be nobody any more
	<-s.gone
}
