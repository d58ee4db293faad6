package resume

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"podlife/runtime/host/session"
)

// Block is how many bytes of the host are one byte of the model.
const Block = 4 << 10

// content is the nth block of a session's output. No two blocks of any sessions are equal, and no terminal does more with one than show it.
func content(number, n int) []byte {
	unit := fmt.Sprintf("session %d block %d, ", number, n)
	text := strings.Repeat(unit, Block/len(unit)+1)
	return append([]byte(text[:Block-2]), "\r\n"...)
}

// whose gives the session whose nth block this is, 0 for nobody's.
func whose(b []byte, n, sessions int) int {
	for s := 1; s <= sessions; s++ {
		if bytes.Equal(b, content(s, n)) {
			return s
		}
	}
	return 0
}

// process is a shell that writes a block when it is told to. It implements session.PTY.
type process struct {
	number int

	mu      sync.Mutex // guards the following
	changed sync.Cond
	out     []byte // written, and not read yet
	written int    // blocks
	over    bool   // it has ended by itself
	closed  bool
	ended   chan session.Exit
	once    sync.Once
}

func newProcess(number int) *process {
	p := &process{number: number, ended: make(chan session.Exit, 1)}
	p.changed.L = &p.mu
	return p
}

// Read gives a block at once at most.
func (p *process) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.out) == 0 && !p.over && !p.closed {
		p.changed.Wait()
	}
	if len(p.out) == 0 || p.closed {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), Block)], p.out)
	p.out = p.out[n:]
	return n, nil
}

// write writes the next block.
func (p *process) write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = append(p.out, content(p.number, p.written)...)
	p.written++
	p.changed.Broadcast()
}

// blocks is how many blocks it has written.
func (p *process) blocks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written
}

// end ends the process, which has been read to its end.
func (p *process) end() {
	p.mu.Lock()
	p.over = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.once.Do(func() { p.ended <- session.Exit{} })
}

func (p *process) Write(b []byte) (int, error) { return len(b), nil }
func (p *process) Resize(_, _ uint16) error    { return nil }
func (p *process) Wait() session.Exit          { return <-p.ended }
func (p *process) Hangup()                     { p.end() }
func (p *process) Kill()                       { p.end() }

func (p *process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.changed.Broadcast()
	return nil
}
