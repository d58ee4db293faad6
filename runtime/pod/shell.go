package pod

import (
	"context"
	"time"
)

// ShellRequest is what a terminal asks for.
type ShellRequest struct {
	Attempt    string // names this request in logs, and to whoever holds it up in a test
	Tab        string // the session to look at, [A-Za-z0-9_-]{1,64}
	Cols, Rows uint16 // 1 to 1000 each
	Epoch      uint64 // of the session that the terminal knows; 0 for none
	Have       uint64 // up to which offset it has that session's output
	ReadOnly   bool
	Argv       []string // what a new session runs in place of the shell; empty is the shell. A session that runs already goes on with what it runs
	// Follow only follows the session that Epoch names, as a recording does: it starts none, is not counted with those who look, has no size and nobody waits for it. ErrNoTab where there is no such session.
	Follow bool
}

// Opened says what a terminal was let into.
type Opened struct {
	Epoch      uint64 // names the session: no other ever has it, neither in this container nor in another
	Have       uint64 // where the output goes on: at what the terminal has, or with Reset behind the picture
	Reset      bool   // what the terminal knows is of no use: a picture comes first
	Tab        string // its name now: it may have been given another since the terminal knew it
	Cols, Rows uint16 // the session's
	Started    bool   // the session began with this request
}

// Shell is a terminal on a session inside a container: on a process that was started only after the marker was checked, by the same process. The session lives on when the terminal leaves, and ends with
// its program, or with the container. Next is for one goroutine at a time, everything else for any.
type Shell interface {
	Opened() Opened
	// Next gives what the session says next: [Output], [Picture], [Size], [Taken], [Refused] or [Exit], after which nothing comes. *GoneError when the container went away under it, *LostError when the connection to
	// the session broke, which then lives on; or the context's error.
	Next(ctx context.Context) (ShellEvent, error)
	// Input types. What the program does not take is told by Next.
	Input(ctx context.Context, b []byte) error
	// Resize says that the terminal's window has another size. It does not wait.
	Resize(cols, rows uint16)
	// Ack says that the terminal has dealt with the output up to an offset. It does not wait. A terminal that never does is sent a window's worth, and no more.
	Ack(have uint64)
	// Close lets the terminal leave. Safe to call twice.
	Close() error
}

// ShellEvent is what a session says to a terminal: one of the types below.
type ShellEvent interface{ event() }

// Output is a piece of the session's output.
type Output struct {
	From uint64 // the offset of its first byte
	Data []byte
}

// Picture is a piece of what takes a terminal in any state to where the session is; it has no offsets. The output goes on at From, behind the last piece.
type Picture struct {
	First, Last bool
	From        uint64
	Data        []byte
}

// Size says which size the session has now.
type Size struct{ Cols, Rows uint16 }

// Taken says how many bytes of all that this terminal typed the program has taken, or will never take. What was refused does not count.
type Taken struct{ Bytes uint64 }

// Refused says that something that was typed was dropped as a whole.
type Refused struct{ Reason string } // input_full, read_only

// Exit says that the session's program has ended, and that this was all its output.
type Exit struct {
	Code   int    // 128 and the number for a signal
	Signal string // its name, such as SIGKILL, or empty
}

func (Output) event()  {}
func (Picture) event() {}
func (Size) event()    {}
func (Taken) event()   {}
func (Refused) event() {}
func (Exit) event()    {}

// LostError says that the connection to a session broke; the session lives on as far as its container does.
type LostError struct{ Err error }

// Error gives the cause.
func (e *LostError) Error() string {
	return "the connection to the container's sessions broke: " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *LostError) Unwrap() error { return e.Err }

// Tab is a session of a container, as a list has it.
type Tab struct {
	Name      string
	Epoch     uint64
	Viewers   int
	Started   time.Time
	LastInput time.Time // zero for never
	Exited    bool
	ExitCode  int // of one that has exited
}
