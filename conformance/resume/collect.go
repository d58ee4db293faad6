package resume

import (
	"context"
	"errors"
	"fmt"

	"podlife/model/sessionresume"
	"podlife/runtime/host/frame"
)

// A ProtocolError says that the host broke its protocol, so that there is nothing to compare.
type ProtocolError struct {
	Viewer  int // its place
	Problem string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("%s is told what makes no sense: %s", sessionresume.ViewerName(e.Viewer), e.Problem)
}

// collect takes what has come to each page. opened is called right after a page was let in, before anything else is taken for it.
func (w *world) collect(opened func(v int)) error {
	for i, p := range w.pages {
		if p.opened != nil {
			select {
			case o := <-p.opened:
				if o.err != nil {
					return fmt.Errorf("%s is refused: %w", sessionresume.ViewerName(i), o.err)
				}
				w.let(p, o)
				opened(i)
			default:
			}
		}
		if p.viewer == nil {
			continue
		}
		if err := w.drain(p); err != nil {
			return &ProtocolError{i, err.Error()}
		}
	}
	return nil
}

// let is the answer to a page that asked.
func (w *world) let(p *page, o opening) {
	p.cancel()
	p.opened, p.viewer, p.told = nil, o.viewer, o.viewer.Opened()
	p.Conn.At = sessionresume.On
	p.Conn.Sent = int(p.told.From / Block)
	p.Conn.Acked = p.Conn.Sent
}

// drain takes all messages that wait for a page.
func (w *world) drain(p *page) error {
	now, cancel := context.WithCancel(context.Background())
	cancel() // what is there is given all the same
	for {
		m, err := p.viewer.Next(now)
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.take(p, m); err != nil {
			return err
		}
	}
}

// take puts a message on the page's wire, as frames of the model.
func (w *world) take(p *page, m frame.Message) error {
	add := func(kind sessionresume.Kind, at, number int) {
		p.Wire = append(p.Wire, sessionresume.Frame{Conn: p.Conn.N, Kind: kind, Epoch: w.known(p.told.Epoch), At: at, Session: number})
	}
	switch m := m.(type) {
	case *frame.Output:
		if m.Offset%Block != 0 || len(m.Data)%Block != 0 || len(m.Data) == 0 {
			return fmt.Errorf("%d bytes from byte %d on", len(m.Data), m.Offset)
		}
		at := int(m.Offset / Block)
		for b := m.Data; len(b) > 0; b = b[Block:] {
			add(sessionresume.Data, at, whose(b[:Block], at, w.number))
			at++
		}
		p.Conn.Sent = at
	case *frame.Reset:
		if m.From%Block != 0 {
			return fmt.Errorf("a reset to byte %d", m.From)
		}
		if m.Last {
			p.Conn.Sent = int(m.From / Block)
			p.Conn.Acked = p.Conn.Sent
			add(sessionresume.ResetTo, p.Conn.Sent, 0)
		}
	case *frame.Exit:
		p.Conn.Told = true
		add(sessionresume.Exited, int(m.At/Block), w.number)
	}
	return nil
}

// known is the number of an epoch, 0 for one that was never given.
func (w *world) known(epoch uint64) int {
	for i, e := range w.epochs {
		if e == epoch {
			return i + 1
		}
	}
	return 0
}
