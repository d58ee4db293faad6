// Package command is a program without a terminal: what it reads and writes, apart from each other, for the one connection that started it, and no longer than that connection.
//
// It imports runtime/host/frame, and runtime/host/session for how a process ends. Processes are behind an interface. Read this file first; io.go has the streams.
package command

import (
	"io"
	"sync"
	"time"

	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

// Spec says which program is wanted.
type Spec struct {
	Argv []string // what is run is found as a shell finds it
	Dir  string   // where it starts, when that exists
	// Exactly says that Dir has to exist.
	Exactly bool
	Env     []string
}

// Process is a program with a pipe for each of its streams. Its methods may be called from any goroutine.
type Process interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader // any error is the end of it
	Stderr() io.Reader
	// Signal sends to the program and what it started, by the signal's name, such as SIGINT; one that is not known is dropped. Kill is SIGKILL.
	Signal(name string)
	Kill()
	// Wait returns when the program has ended; called once.
	Wait() session.Exit
	// Close closes this side of the pipes; reads and writes return.
	Close()
}

// Config has the bounds of a command. The zero value of a field means the default.
type Config struct {
	Window   int           // bytes of both outputs that are not acknowledged, at which the program has to wait; 512 KiB
	Input    int           // bytes of its input that wait for it, 256 KiB
	EndGrace time.Duration // how long it has after the hangup before it is killed, when its connection has gone; 100 ms
	Drain    time.Duration // how long nothing may come after the program has ended, where somebody else has its pipes, before its output is taken for whole; 300 ms
}

// WithDefaults fills what is not set.
func (c Config) WithDefaults() Config {
	if c.Window <= 0 {
		c.Window = 512 << 10
	}
	if c.Input <= 0 {
		c.Input = 256 << 10
	}
	if c.EndGrace <= 0 {
		c.EndGrace = 100 * time.Millisecond
	}
	if c.Drain <= 0 {
		c.Drain = 300 * time.Millisecond
	}
	return c
}

// Command is a program that runs, and who it runs for. Safe for use by several goroutines at once.
type Command struct {
	id      uint32
	config  Config
	process Process
	wake    func()
	gone    chan struct{} // closed when the program has ended
	done    chan struct{} // closed when nothing of the command runs any more

	mu       sync.Mutex // guards the following
	changed  sync.Cond
	started  *frame.Ran // to be told first
	output   []piece    // that was read and not told yet
	read     uint64     // bytes of both outputs
	acked    uint64
	input    [][]byte
	queued   int    // bytes in input
	written  uint64 // bytes of the input that the program's pipe has
	told     uint64 // of them
	ended    bool   // no more input comes
	deaf     bool   // the program reads no more
	refusals []frame.Reason
	exit     *session.Exit // nil as long as output may come
	exitTold bool
	closed   bool
}

// piece is some output.
type piece struct {
	stderr bool
	at     uint64 // of its first byte, in both outputs together
	data   []byte
}

// New takes a program that runs. What there is to say comes by Next; wake is called when Next may have something, also when it has not. It must not block and not call the command.
func New(request, id uint32, p Process, c Config, wake func()) *Command {
	m := &Command{id: id, config: c.WithDefaults(), process: p, wake: wake, gone: make(chan struct{}), done: make(chan struct{}), started: &frame.Ran{Request: request, Viewer: id}}
	m.changed.L = &m.mu
	go m.live()
	wake()
	return m
}

// Done is closed when the program has ended, with its pipes, and nothing of the command runs any more.
func (m *Command) Done() <-chan struct{} { return m.done }

// live owns the command's goroutines: it ends when they have.
func (m *Command) live() {
	var reading, typing sync.WaitGroup
	reading.Go(func() { m.readFrom(m.process.Stdout(), false) })
	reading.Go(func() { m.readFrom(m.process.Stderr(), true) })
	typing.Go(m.writeInput)
	read := make(chan struct{})
	go func() { reading.Wait(); close(read) }() // ends below: the pipes are closed

	exit := m.process.Wait()
	close(m.gone)
	m.drain(read)
	m.process.Close()
	<-read
	m.mu.Lock()
	m.exit = &exit
	m.stopInput()
	m.changed.Broadcast()
	m.wake()
	m.mu.Unlock()
	typing.Wait()
	close(m.done)
}

// drain waits for the end of the output. Where somebody else has the pipes open, it ends when nothing more has come for a while in which it could.
func (m *Command) drain(read <-chan struct{}) {
	for {
		m.mu.Lock()
		before := m.read
		m.mu.Unlock()
		timer := time.NewTimer(m.config.Drain)
		select {
		case <-read:
			timer.Stop()
			return
		case <-timer.C:
		}
		m.mu.Lock()
		quiet := m.read == before && !m.full()
		for m.full() && !m.closed {
			m.changed.Wait()
		}
		quiet = quiet || m.closed
		m.mu.Unlock()
		if quiet {
			return
		}
	}
}

// Close ends the command: its program is hung up, and killed when it does not heed that. It returns at once; see Done.
func (m *Command) Close() {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closed, m.output, m.input, m.queued = true, nil, nil, 0
	m.changed.Broadcast()
	m.mu.Unlock()
	m.process.Signal("SIGHUP")
	timer := time.AfterFunc(m.config.EndGrace, m.process.Kill)
	go func() { // ends with the program, which is killed at the latest
		<-m.gone
		timer.Stop()
	}()
}
