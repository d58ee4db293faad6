package terminal

import (
	"context"
	"sync"

	"podlife/runtime/pod"
)

// maxQueued is how many bytes of keys wait for a program that does not read its input; what is more is refused.
const maxQueued = 1 << 20

// toldFrom is from how many bytes on the client is told that a piece of input was taken. A pasting client waits for that; nobody waits for a key.
const toldFrom = 4 << 10

// typing carries what the client types, piece by piece: the next one goes when the one before was taken or refused, so that what is refused is known. It outlives a connection to a session that breaks: what waits then is typed
// over the next one.
type typing struct {
	shell pod.Shell // changed by rebind alone, while nobody types

	mu      sync.Mutex // guards the following
	waiting []piece
	under   *piece // was given to the session, which has not said yet what became of it
	queued  int    // bytes in waiting
	sent    uint64 // bytes that the session was given and did not refuse
	taken   uint64 // of them
	refusal string // of the piece that was given last
	changed chan struct{}
}

// piece is one binary message of the client.
type piece struct {
	data  []byte // nil where there was no room for it
	frame uint64 // its number on the socket
}

func newTyping(sh pod.Shell) *typing { return &typing{shell: sh, changed: make(chan struct{}, 1)} }

// rebind goes on with another terminal, and with what waits if keep is set. It gives the numbers of the pieces that are lost: of the one that was under way all, some, or nothing was typed; the others were not.
func (t *typing) rebind(sh pod.Shell, keep bool) (lost []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.under != nil {
		lost = append(lost, t.under.frame)
	}
	if !keep {
		for _, p := range t.waiting {
			lost = append(lost, p.frame)
		}
		t.waiting, t.queued = nil, 0
	}
	t.shell, t.under, t.sent, t.taken, t.refusal = sh, nil, 0, 0, ""
	t.wake()
	return lost
}

func (t *typing) wake() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// add takes a piece. One for which there is no room stands in the queue without its bytes, so that it is refused in its turn. False where too many wait to tell of each.
func (t *typing) add(b []byte, frame uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queued+len(b) > maxQueued {
		b = nil
	}
	if len(t.waiting) >= maxWaiting {
		return false
	}
	t.waiting = append(t.waiting, piece{b, frame})
	t.queued += len(b)
	t.wake()
	return true
}

// maxWaiting bounds the pieces that wait, whatever their length.
const maxWaiting = 64 << 10

// took hears from the session how much its program has taken.
func (t *typing) took(bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = max(t.taken, bytes)
	t.wake()
}

// refused hears from the session that the piece was dropped.
func (t *typing) refused(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refusal = reason
	t.wake()
}

// run is the helper that types. It ends with the context, or when the session takes no more.
func (t *typing) run(ctx context.Context, s *session) {
	for {
		p, ok := t.next(ctx)
		b := p.data
		if !ok {
			return
		}
		reason := ""
		if b == nil {
			reason = "input_full"
		} else if len(b) > 0 {
			if err := t.shell.Input(ctx, b); err != nil {
				return // the session's end is told by what it says
			}
			if reason, ok = t.outcome(ctx, len(b)); !ok {
				return
			}
		}
		t.settled()
		switch {
		case reason != "":
			ok = s.Say(&serverMessage{Type: "refused", Reason: reason, Frames: p.frame})
		case len(b) >= toldFrom:
			ok = s.Say(&serverMessage{Type: "taken", Frames: p.frame})
		}
		if !ok {
			return
		}
	}
}

// settled notes that it is known what became of the piece that was given last.
func (t *typing) settled() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.under = nil
}

// next waits for a piece.
func (t *typing) next(ctx context.Context) (p piece, ok bool) {
	for {
		t.mu.Lock()
		if len(t.waiting) > 0 {
			p = t.waiting[0]
			t.waiting[0] = piece{}
			t.waiting = t.waiting[1:]
			t.queued -= len(p.data)
			t.sent += uint64(len(p.data))
			t.refusal = ""
			t.under = &p
			t.mu.Unlock()
			return p, true
		}
		t.mu.Unlock()
		select {
		case <-t.changed:
		case <-ctx.Done():
			return piece{}, false
		}
	}
}

// outcome waits until the piece that was given last was taken, or refused.
func (t *typing) outcome(ctx context.Context, n int) (reason string, ok bool) {
	for {
		t.mu.Lock()
		switch {
		case t.refusal != "":
			reason = t.refusal
			t.sent -= uint64(n) // it does not count
			t.mu.Unlock()
			return reason, true
		case t.taken >= t.sent:
			t.mu.Unlock()
			return "", true
		}
		t.mu.Unlock()
		select {
		case <-t.changed:
		case <-ctx.Done():
			return "", false
		}
	}
}
