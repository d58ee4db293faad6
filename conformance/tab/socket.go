package tab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"podlife/runtime/client"
)

// keepOutput is how much of a terminal's newest output a socket keeps, in bytes.
const keepOutput = 64 << 10

// Socket is one open terminal of a tab, and everything that it was told. Its methods may be called from any goroutine.
type Socket struct {
	term   *client.Terminal
	cancel context.CancelFunc
	pumped chan struct{} // closed by the pump at its end

	mu      sync.Mutex // guards the following
	seen    Seen
	changed chan struct{} // closed and replaced at every change
}

// Seen is what a socket was told so far.
type Seen struct {
	States   []client.State // every one, oldest first
	Attached int            // the incarnation whose shell this terminal shows now; 0 while it shows none
	Shells   []int          // the incarnation of every shell that it ever showed, oldest first
	Exit     *client.Exit
	Closed   *client.Closed
	Output   []byte // the newest keepOutput bytes
	Progress int    // how many pieces of a boot's progress were told
}

// Last gives the newest state; the zero value when there was none.
func (s Seen) Last() client.State {
	if len(s.States) == 0 {
		return client.State{}
	}
	return s.States[len(s.States)-1]
}

// StateWords gives every state that was told, in order.
func (s Seen) StateWords() string {
	var words []string
	for _, st := range s.States {
		words = append(words, strings.TrimSuffix(st.State+":"+st.Reason, ":"))
	}
	return "told [" + strings.Join(words, " ") + "]"
}

// String is what a report shows of a socket: where it is, in a few words.
func (s Seen) String() string {
	switch {
	case s.Closed != nil && s.Closed.Err != nil:
		return fmt.Sprintf("socket closed %d (%v)", s.Closed.Code, s.Closed.Err)
	case s.Closed != nil:
		return fmt.Sprintf("socket closed %d (%s)", s.Closed.Code, s.Closed.Reason)
	case s.Attached > 0:
		return fmt.Sprintf("attached to incarnation %d", s.Attached)
	case len(s.States) > 0:
		return fmt.Sprintf("told %s %s", s.Last().State, s.Last().Reason)
	}
	return "told nothing yet"
}

// Open opens a terminal and says hello. Close must be called.
func Open(ctx context.Context, c *client.Client, h client.Hello) (*Socket, error) {
	term, err := c.Terminal(ctx, h)
	if err != nil {
		return nil, err
	}
	pumping, cancel := context.WithCancel(context.Background())
	s := &Socket{term: term, cancel: cancel, pumped: make(chan struct{}), changed: make(chan struct{})}
	go s.pump(pumping)
	return s, nil
}

// pump is the one goroutine that reads; Close ends it and waits for it.
func (s *Socket) pump(ctx context.Context) {
	defer close(s.pumped)
	for {
		m, err := s.term.Next(ctx)
		if err != nil {
			return
		}
		s.take(m)
	}
}

func (s *Socket) take(m client.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case client.State:
		s.seen.States = append(s.seen.States, m)
		s.seen.Attached = 0
	case client.Attached:
		s.seen.Attached = m.Incarnation
		s.seen.Shells = append(s.seen.Shells, m.Incarnation)
	case client.Exit:
		s.seen.Exit = &m
		s.seen.Attached = 0
	case client.Closed:
		s.seen.Closed = &m
		s.seen.Attached = 0
	case client.Step, client.Log:
		s.seen.Progress++
	case client.Output:
		s.seen.Output = append(s.seen.Output, m...)
		if n := len(s.seen.Output); n > keepOutput {
			s.seen.Output = append([]byte(nil), s.seen.Output[n-keepOutput:]...)
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Seen gives what the socket was told so far.
func (s *Socket) Seen() Seen {
	now, _ := s.look()
	return now
}

// forgetOutput drops what the shell has written so far.
func (s *Socket) forgetOutput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.Output = nil
}

func (s *Socket) look() (Seen, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.seen
	now.States = append([]client.State(nil), s.seen.States...)
	now.Shells = append([]int(nil), s.seen.Shells...)
	now.Output = append([]byte(nil), s.seen.Output...)
	return now, s.changed
}

// TimeoutError says that a terminal was not told in time what was awaited.
type TimeoutError struct {
	Awaited string
	Seen    Seen
	Err     error // of the context
}

// Error says what was awaited and what was seen instead.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("awaited %s, but the terminal is %s: %v", e.Awaited, e.Seen, e.Err)
}

// Unwrap gives the context's error.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Await waits until the condition holds of what the socket was told, and gives that. A socket that is closed without it, and a context that ends, are a *TimeoutError.
func (s *Socket) Await(ctx context.Context, what string, holds func(Seen) bool) (Seen, error) {
	for {
		now, changed := s.look()
		if holds(now) {
			return now, nil
		}
		if now.Closed != nil {
			return now, &TimeoutError{Awaited: what, Seen: now, Err: errors.New("nothing more can come")}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return now, &TimeoutError{Awaited: what, Seen: now, Err: ctx.Err()}
		}
	}
}

// AwaitDecision waits until an attach is decided: attached, refused with a close, or failed. A shell counts also when it is gone again by now: Attached is then the incarnation that it was of.
func (s *Socket) AwaitDecision(ctx context.Context) (Seen, error) {
	seen, err := s.Await(ctx, "the attach to be decided", func(n Seen) bool {
		return len(n.Shells) > 0 || n.Closed != nil || n.Last().State == "failed"
	})
	if n := len(seen.Shells); n > 0 {
		seen.Attached = seen.Shells[n-1]
	}
	return seen, err
}

// AwaitAttached waits for a shell that is there now.
func (s *Socket) AwaitAttached(ctx context.Context) (Seen, error) {
	return s.Await(ctx, "a shell", func(n Seen) bool { return n.Attached > 0 })
}

// Boot says "boot again now" on the socket, as the page does after asleep, destroyed or failed.
func (s *Socket) Boot() error { return s.term.Boot() }

// Type types into the shell.
func (s *Socket) Type(keys string) error {
	_, err := s.term.Write([]byte(keys))
	return err
}

// Drop cuts the connection without a word, as a dead network does, and waits for the pump.
func (s *Socket) Drop() {
	s.term.Drop()
	s.cancel()
	<-s.pumped
}

// Close leaves, and waits for the pump. Safe to call twice.
func (s *Socket) Close() {
	_ = s.term.Close() // it is documented to give nil
	s.cancel()
	<-s.pumped
}
