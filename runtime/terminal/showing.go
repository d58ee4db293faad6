package terminal

import (
	"context"

	"podlife/runtime/pod"
	"podlife/runtime/socket"
)

// showing is what a client is shown of a session. It belongs to the output helper; the session reads it when that has ended.
type showing struct {
	session *session
	shell   pod.Shell
	typing  *typing
	active  func() // something was printed

	epoch    uint64
	have     uint64 // what the client has been sent of the session's output
	progress bool   // some output came
	behind   bool   // the client was told where the output begins: a picture from now on is for one that is too slow
	drawing  bool   // the client has the beginning of a picture
	exit     pod.Exit
}

// sent is what the client has been sent of which session; 0 of none where it has half a picture.
func (o *showing) sent() (epoch, have uint64) {
	if o.drawing {
		return 0, 0
	}
	return o.epoch, o.have
}

// begin tells the client what it was let into, and where the output goes on. False when the socket is gone.
func (o *showing) begin(a *pod.Attachment) bool {
	s, opened := o.session, a.Shell.Opened()
	o.epoch, o.have, o.drawing = opened.Epoch, opened.Have, opened.Reset // the client has nothing of it before the picture is whole
	s.hello.Tab = opened.Tab
	m := serverMessage{
		Type: "attached", Incarnation: a.Incarnation.Inc, Tab: opened.Tab, Epoch: FormatEpoch(opened.Epoch), Cols: opened.Cols, Rows: opened.Rows, ReadOnly: s.hello.ReadOnly, Started: opened.Started, Recorded: a.Recorded,
	}
	if !s.Say(m) {
		return false
	}
	if opened.Reset {
		return true // the picture comes first
	}
	o.behind = true
	from := o.have // a message is written later, when have has gone on
	return s.Say(&serverMessage{Type: "resumed", From: &from})
}

// run is the helper that carries what the session says. nil when its program has ended, and everything was told; the socket's end is an error, too.
func (o *showing) run(ctx context.Context) error {
	for {
		event, err := o.shell.Next(ctx)
		if err != nil {
			return err
		}
		ok := true
		switch e := event.(type) {
		case pod.Output:
			o.progress = true
			o.active()
			ok = o.bytes(e.Data)
			o.have = e.From + uint64(len(e.Data))
		case pod.Picture:
			ok = o.picture(e)
		case pod.Size:
			ok = o.session.Say(&serverMessage{Type: "size", Cols: e.Cols, Rows: e.Rows})
		case pod.Taken:
			o.typing.took(e.Bytes)
		case pod.Refused:
			o.typing.refused(e.Reason)
		case pod.Exit:
			o.exit = e
			return nil
		}
		if !ok {
			return socket.ErrClosed
		}
	}
}

func (o *showing) bytes(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), pieceSize)
		if !o.session.Bytes(b[:n]) {
			return false
		}
		b = b[n:]
	}
	return true
}

// picture tells a piece of a picture: what the client shows is reset before the first, and behind the last the output goes on.
func (o *showing) picture(p pod.Picture) bool {
	if p.First {
		if !o.session.Say(&serverMessage{Type: "reset", Reason: o.why()}) {
			return false
		}
		o.behind, o.drawing = true, true
	}
	if !o.bytes(p.Data) {
		return false
	}
	if !p.Last {
		return true
	}
	from := p.From
	o.have, o.drawing = from, false
	return o.session.Say(&serverMessage{Type: "live", From: &from})
}

// why is why what the client shows is of no use.
func (o *showing) why() string {
	switch known := o.session.hello.Epoch; {
	case o.behind:
		return "slow"
	case known == 0:
		return "new"
	case known != o.epoch:
		return "epoch"
	}
	return "behind"
}
