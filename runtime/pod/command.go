package pod

import "context"

// CommandRequest is a program without a terminal that is asked for.
type CommandRequest struct {
	Argv []string // what is run is found as a shell finds it
	Dir  string   // where it starts, which has to exist; "" is where a shell starts
	Env  []string // NAME=value, beside what the container has
}

// Command is a program without a terminal inside a container, which was started only after the marker was checked, by the same process. It lives as long as who asked for it stays: a connection that breaks ends it. Next is for one goroutine at
// a time, Input and EOF for another, everything else for any.
type Command interface {
	// Next gives what the program says next: [Output], [Errors] or [Exit], after which nothing comes. *GoneError when the container went away under it, *LostError when the connection to it broke, which ends the program; or the
	// context's error.
	Next(ctx context.Context) (ShellEvent, error)
	// Input gives the program something to read, and waits while it does not.
	Input(ctx context.Context, b []byte) error
	// EOF ends its input. It does not wait.
	EOF()
	// Signal sends it, and what it started in its group, a signal by its name, such as SIGINT; one that is not known is dropped. It does not wait.
	Signal(name string)
	// Ack says that so many bytes of both outputs together were dealt with. It does not wait. Who never does is sent a window's worth, and no more.
	Ack(bytes uint64)
	// Close ends the program, if it has not ended. Safe to call twice.
	Close() error
}

// Errors is a piece of what a program without a terminal said on its standard error. Offsets are in both outputs together.
type Errors struct {
	From uint64
	Data []byte
}

func (Errors) event() {}

// Run starts a guarded program for the client, or refuses. It is an attach like that of a terminal: the same steps of the specification, the same guards, the same hold on the pod.
func (p *Pod) Run(ctx context.Context, c ClientID, req CommandRequest) (*Attachment, error) {
	return p.enter(ctx, c, "", func(container ContainerID, inc Incarnation, _ string) (*Attachment, error) {
		m, err := p.o.Containers.Run(ctx, container, inc, req)
		return &Attachment{Command: m}, err
	})
}
