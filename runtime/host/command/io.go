package command

import (
	"io"

	"podlife/runtime/host/frame"
)

// readSize is how much is read from a pipe at once, in bytes.
const readSize = 32 << 10

// MaxPieces is in how many pieces output may wait, whatever their length: what a program writes to its two outputs in turn is kept in their order.
const MaxPieces = 16 << 10

// full says that the program has to wait. m.mu is held.
func (m *Command) full() bool { return m.read-m.acked >= uint64(m.config.Window) }

// readFrom reads one of the outputs, as long as what was read is acknowledged.
func (m *Command) readFrom(r io.Reader, stderr bool) {
	b := make([]byte, readSize)
	for {
		m.mu.Lock()
		for (m.full() || len(m.output) >= MaxPieces) && !m.closed {
			m.changed.Wait()
		}
		m.mu.Unlock()
		n, err := r.Read(b)
		m.mu.Lock()
		if n > 0 && !m.closed {
			m.add(stderr, b[:n])
			m.wake()
		}
		m.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// add keeps what was read, with what waits already where it is of the same output. m.mu is held.
func (m *Command) add(stderr bool, b []byte) {
	if n := len(m.output) - 1; n >= 0 && m.output[n].stderr == stderr && len(m.output[n].data)+len(b) <= readSize {
		m.output[n].data = append(m.output[n].data, b...)
	} else {
		m.output = append(m.output, piece{stderr, m.read, append([]byte(nil), b...)})
	}
	m.read += uint64(len(b))
}

// writeInput writes what came, in order, and closes the program's input behind the last.
func (m *Command) writeInput() {
	in := m.process.Stdin()
	for {
		m.mu.Lock()
		for len(m.input) == 0 && !m.ended && !m.deaf && !m.closed {
			m.changed.Wait()
		}
		if m.closed { // whoever fed it has gone, which is not the end of the input: the pipe is closed when the program is over
			m.mu.Unlock()
			return
		}
		if m.deaf || len(m.input) == 0 {
			m.mu.Unlock()
			_ = in.Close() // the program sees the end of its input
			return
		}
		b := m.input[0]
		m.input = m.input[1:]
		m.mu.Unlock()
		_, err := in.Write(b)
		m.mu.Lock()
		m.queued = max(0, m.queued-len(b))
		m.written += uint64(len(b)) // also what a program that reads no more did not take: nobody is to wait for that
		if err != nil {
			m.stopInput()
		}
		m.wake()
		m.mu.Unlock()
	}
}

// Next gives the next message, nil when there is none now. One goroutine at a time.
func (m *Command) Next([]byte) frame.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return nil
	case m.started != nil:
		s := m.started
		m.started = nil
		return s
	case len(m.refusals) > 0:
		r := &frame.Refused{Viewer: m.id, Reason: m.refusals[0]}
		m.refusals = m.refusals[1:]
		return r
	case m.told < m.written:
		m.told = m.written
		return &frame.Taken{Viewer: m.id, Offset: m.told}
	case len(m.output) > 0:
		p := m.output[0]
		m.output[0] = piece{}
		m.output = m.output[1:]
		m.changed.Broadcast() // one more may be read
		if p.stderr {
			return &frame.Errors{Viewer: m.id, Offset: p.at, Data: p.data}
		}
		return &frame.Output{Viewer: m.id, Offset: p.at, Data: p.data}
	case m.exit != nil && !m.exitTold:
		m.exitTold = true
		return &frame.Exit{Viewer: m.id, Code: uint16(m.exit.Code), Signal: m.exit.Signal, At: m.read}
	}
	return nil
}

// stopInput drops what waits for the program, which reads no more: it counts as taken. m.mu is held.
func (m *Command) stopInput() {
	for _, b := range m.input {
		m.written += uint64(len(b))
	}
	m.deaf, m.input, m.queued = true, nil, 0
}

// Input gives the program something to read. What is more than was allowed is dropped as a whole, and told. What a program that reads no more is given is dropped and counts as taken.
func (m *Command) Input(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed || m.ended || len(b) == 0:
		return
	case m.deaf:
		m.written += uint64(len(b))
		m.wake()
		return
	case m.queued+len(b) > m.config.Input:
		m.refusals = append(m.refusals, frame.InputFull)
		m.ended = true // the program must not read what has a hole in it
		m.wake()
	default:
		m.input = append(m.input, append([]byte(nil), b...))
		m.queued += len(b)
	}
	m.changed.Broadcast()
}

// EOF ends the program's input, behind what was given.
func (m *Command) EOF() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	m.changed.Broadcast()
}

// Signal sends the program a signal, by its name.
func (m *Command) Signal(name string) {
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	if !closed {
		m.process.Signal(name)
	}
}

// Ack says that both outputs were dealt with up to an offset in both together.
func (m *Command) Ack(offset uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if offset > m.acked && offset <= m.read {
		m.acked = offset
		m.changed.Broadcast()
	}
}

// Resize does nothing: there is no terminal.
func (m *Command) Resize(uint16, uint16) {}
