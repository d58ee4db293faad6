package resume

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"podlife/model/sessionresume"
	"podlife/runtime/host"
	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

const (
	tab     = "main"
	keptFor = time.Minute // how long a host keeps what has exited
)

// world is a real host with a process that does what it is told, and the client and the pages of the viewers. It knows nothing of the table.
type world struct {
	c      sessionresume.Constants
	host   *host.Host
	client *client.Client
	wire   wire
	held   bool
	proc   *process
	number int      // of the session, in truth
	epochs []uint64 // that were given, each once; a session's number to viewers is its place here, from 1 on
	epoch  int      // of the session
	final  []int    // blocks of each session, by its number
	pages  []*page
}

// page is a viewer: what it shows, and its connection.
type page struct {
	sessionresume.View
	viewer *client.Viewer // nil while there is none, or while it is asked for
	opened chan opening   // nil where nothing is asked for
	cancel func()         // ends the asking
	told   frame.Opened   // of this connection
}

// opening is the answer to an Open.
type opening struct {
	viewer *client.Viewer
	err    error
}

func newWorld(c sessionresume.Constants, viewers int) (*world, error) {
	w := &world{c: c, final: []int{0}}
	for range viewers {
		w.pages = append(w.pages, &page{View: sessionresume.View{Alone: true}})
	}
	return w, w.boot()
}

// boot starts a host, as a container that is new has one, and a session in it.
func (w *world) boot() error {
	w.host = host.New(host.Config{
		Session: session.Config{Ring: w.c.Ring * Block, Window: w.c.Window * Block, Replay: 1}, FinishedFor: keptFor,
		Check: func(frame.Marker) frame.Reason { return "" },
		Start: func(context.Context, session.Spec) (session.PTY, error) { return w.proc, nil },
	})
	wire, here, there := newWire()
	w.wire = wire
	if !w.host.Connect(there) {
		return errors.New("the host does not take the connection")
	}
	var err error
	if w.client, err = client.Dial(context.Background(), here); err != nil {
		return err
	}
	return w.shell()
}

// shell has the tab's shell started, by somebody who leaves at once.
func (w *world) shell() error {
	w.number++
	w.proc = newProcess(w.number)
	w.final = append(w.final, 0)
	v, err := w.client.Open(context.Background(), client.Open{Tab: tab})
	if err != nil {
		return err
	}
	if !v.Opened().Started {
		return errors.New("there is a shell already")
	}
	v.Close()
	if w.epoch = slices.Index(w.epochs, v.Opened().Epoch) + 1; w.epoch == 0 {
		w.epochs = append(w.epochs, v.Opened().Epoch)
		w.epoch = len(w.epochs)
	}
	settle()
	return nil
}

// replace has another shell in the place of the one that is there: in the same host, where that one has exited and is forgotten, or in a new container.
func (w *world) replace(sameHost bool) error {
	for _, p := range w.pages {
		w.drop(p)
	}
	settle()
	if sameHost {
		time.Sleep(keptFor + time.Second)
		settle()
		return w.shell()
	}
	w.close()
	return w.boot()
}

func (w *world) close() {
	w.host.Stop(context.Background()) // the processes end when they are told to
	_ = w.client.Close()
	settle()
	w.held = false
}

// ask has a viewer connect. The answer may be held back.
func (w *world) ask(p *page) {
	o := client.Open{Tab: tab, Cols: 80, Rows: 24, Have: uint64(p.Page.Have * Block)}
	if p.Page.Epoch > 0 {
		o.Epoch = w.epochs[p.Page.Epoch-1]
	}
	p.Conn = sessionresume.Conn{N: p.Conn.N + 1, At: sessionresume.Asked}
	p.opened = make(chan opening, 1)
	answer, c := p.opened, w.client
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() { // ends with the answer, the client, or the page's giving up
		v, err := c.Open(ctx, o)
		answer <- opening{v, err}
	}()
}

// drop ends a viewer's connection; what is under way on it goes on being under way.
func (w *world) drop(p *page) {
	if p.opened != nil {
		p.cancel()
	}
	if p.viewer != nil {
		p.viewer.Close()
	}
	p.viewer, p.opened = nil, nil
	p.Conn, p.Wire = sessionresume.Conn{N: p.Conn.N}, nil
}

// ack says that a page has all that it shows.
func (w *world) ack(p *page) {
	p.viewer.Ack(uint64(p.Page.Have * Block))
	p.Conn.Acked = max(p.Conn.Acked, p.Page.Have)
}

// hostNow is the host's part of the state. Over is what the host says of it.
func (w *world) hostNow() (sessionresume.Host, int, error) {
	h := sessionresume.Host{Session: w.number, Epoch: w.epoch}
	for _, t := range w.host.Tabs() {
		if t.Name == tab && t.Epoch == w.epochs[w.epoch-1] {
			h.Hi, h.Over = int(t.Hi/Block), t.Exited
			h.Lo = max(0, h.Hi-w.c.Ring)
			w.final[w.number] = h.Hi
			return h, int(t.Viewers), nil
		}
	}
	return h, 0, fmt.Errorf("the host has no session %d of epoch %d", w.number, w.epoch)
}

// settle waits until nothing moves, also none of the output that streams, which a host gathers for a moment.
func settle() {
	synctest.Wait()
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
}
