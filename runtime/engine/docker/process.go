package docker

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"

	"podlife/runtime/engine"
)

const (
	stderrMax = 8 << 10 // what Stderr keeps, from the end
	headMax   = 4 << 10 // what is kept of the beginning of the output, where the daemon writes why a command could not be run
)

// process is one exec and its connection. There is no goroutine: Read takes the stream apart while it reads.
type process struct {
	e         *Engine
	ctx       context.Context // of Exec: its end closes the connection
	container engine.ID
	exec      string
	tty       bool
	conn      net.Conn
	unwatch   func() bool // stops watching ctx
	closed    atomic.Bool
	started   atomic.Bool   // the daemon was seen to have started it
	ended     chan struct{} // closed by the reader that met the end of the stream

	readMu sync.Mutex // one reader at a time; guards the following
	in     *bufio.Reader
	stream byte   // without a TTY: stream of the frame being read
	left   uint32 // and how much of it is left
	early  []byte // output that Wait had to read, for the next Read
	eof    bool

	outMu  sync.Mutex // guards the following
	head   []byte
	stderr []byte
}

var _ engine.Process = (*process)(nil)

func (p *process) fail(op string, kind engine.Kind, err error) error {
	return fail(op, string(p.container), kind, err)
}

// Read gives output; see engine.Process.
func (p *process) Read(b []byte) (int, error) {
	p.readMu.Lock()
	defer p.readMu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	if len(p.early) > 0 && p.cut() == nil {
		n := copy(b, p.early)
		p.early = p.early[n:]
		return n, nil
	}
	return p.read(b)
}

// read takes the next output from the connection. The caller holds readMu.
func (p *process) read(b []byte) (int, error) {
	if err := p.cut(); err != nil {
		return 0, p.fail("read", engine.Canceled, err)
	}
	if p.eof {
		return 0, io.EOF
	}
	n, err := p.readFrame(b)
	if n > 0 {
		p.outMu.Lock()
		p.head = append(p.head, b[:min(n, headMax-len(p.head))]...)
		p.outMu.Unlock()
		return n, nil
	}
	if cut := p.cut(); cut != nil {
		return 0, p.fail("read", engine.Canceled, cut)
	}
	if errors.Is(err, io.EOF) {
		p.eof = true
		close(p.ended)
		return 0, io.EOF
	}
	return 0, p.fail("read", engine.Unavailable, err)
}

// cut says why this side ended the connection, or nil.
func (p *process) cut() error {
	switch {
	case p.closed.Load():
		return engine.ErrClosed
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	default:
		return nil
	}
}

// readFrame reads plain bytes with a TTY, and without one the stdout out of frames of 8 bytes header (stream, three zeros, big-endian length) and payload, keeping the end of stderr.
func (p *process) readFrame(b []byte) (int, error) {
	if p.tty {
		return p.in.Read(b)
	}
	for {
		for p.left == 0 {
			var header [8]byte
			if _, err := io.ReadFull(p.in, header[:]); err != nil {
				return 0, err // io.EOF only between frames
			}
			p.stream, p.left = header[0], binary.BigEndian.Uint32(header[4:])
		}
		if p.stream == 1 {
			n, err := p.in.Read(b[:min(len(b), int(p.left))])
			p.left -= uint32(n)
			if n == 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
		var scratch [4 << 10]byte
		n, err := p.in.Read(scratch[:min(len(scratch), int(p.left))])
		p.left -= uint32(n)
		p.keepStderr(scratch[:n])
		if err != nil && n == 0 {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
}

func (p *process) keepStderr(b []byte) {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	p.stderr = append(p.stderr, b...)
	if over := len(p.stderr) - stderrMax; over > 0 {
		p.stderr = append(p.stderr[:0], p.stderr[over:]...)
	}
}

// Stderr gives the last 8 KiB of stderr.
func (p *process) Stderr() string {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	return string(p.stderr)
}

// Write feeds input.
func (p *process) Write(b []byte) (int, error) {
	n, err := p.conn.Write(b)
	if err == nil {
		return n, nil
	}
	if cut := p.cut(); cut != nil {
		return n, p.fail("write", engine.Canceled, cut)
	}
	return n, p.fail("write", engine.Failed, err)
}

// CloseWrite ends the input of a process without a TTY. With one it would cut the output too, so it is refused.
func (p *process) CloseWrite() error {
	if p.tty {
		return p.fail("closewrite", engine.Invalid, errors.New("a terminal's input ends with byte 0x04"))
	}
	if cut := p.cut(); cut != nil {
		return p.fail("closewrite", engine.Canceled, cut)
	}
	half, ok := p.conn.(types.CloseWriter)
	if !ok {
		return p.fail("closewrite", engine.Failed, errors.New("the connection cannot be closed in one direction"))
	}
	if err := half.CloseWrite(); err != nil {
		return p.fail("closewrite", engine.Failed, err)
	}
	return nil
}

// Resize sets the terminal's size, waiting until the process has started: a resize before that blocks the daemon for ten seconds and then fails.
func (p *process) Resize(ctx context.Context, cols, rows uint16) error {
	if err := engine.ValidateSize(cols, rows); err != nil {
		return p.fail("resize", engine.Invalid, err)
	}
	if !p.tty {
		return p.fail("resize", engine.Invalid, errors.New("the process has no terminal"))
	}
	if err := p.waitStarted(ctx); err != nil {
		return err
	}
	err := p.e.cli.ContainerExecResize(ctx, p.exec, container.ResizeOptions{Width: uint(cols), Height: uint(rows)})
	if err == nil {
		return nil
	}
	if rec, ierr := p.e.cli.ContainerExecInspect(ctx, p.exec); ierr == nil && !rec.Running {
		return p.fail("resize", engine.NotRunning, err)
	}
	return p.fail("resize", kindOf(ctx, err), err)
}

// Close drops the connection; the process goes on.
func (p *process) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	if p.unwatch != nil {
		p.unwatch()
	}
	_ = p.conn.Close() // it is given up, so whether the other side heard of it does not matter
	return nil
}
