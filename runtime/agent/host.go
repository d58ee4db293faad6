package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"podlife/runtime/boot"
	"podlife/runtime/host"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/process"
)

// Socket is where a container's session host listens. It is a name in the container's network, and no file: nobody inside can remove it, or listen there while the host lives.
const Socket = "@podlife/host"

// listenTime is how long a host may take to listen when its container has just started.
const listenTime = 2 * time.Second

// stopTime bounds the end of a host; the kernel ends what is left then with PID 1.
const stopTime = 5 * time.Second

// Init is a container's PID 1: the session host, which also takes the exit code of every process that has lost its parent. It returns when somebody outside asks the container to stop
// (process.StopSignal). Its return ends the container; the kernel ends every process in it.
func Init(l Layout) error {
	stop, err := process.First()
	if err != nil {
		return err
	}
	if err := host.CloseOff(); err != nil {
		return fmt.Errorf("close off: %w", err)
	}
	children := process.NewChildren(true)
	go children.Run(context.Background()) // as long as the container lives
	h := host.New(HostConfig(l, children))
	listener, err := host.Listen(Socket)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(listener, host.Peers{}.Admit) }()
	select {
	case <-stop:
	case err = <-served:
	}
	listener.Close()
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if stopErr := h.Stop(ctx); err == nil {
		err = stopErr
	}
	return err
}

// HostConfig is what a container's session host is made of: the check of the marker, the user's shell, and programs without a terminal.
func HostConfig(l Layout, children *process.Children) host.Config {
	return host.Config{
		Check: l.check,
		Start: (&process.Starter{Children: children, Program: l.shell}).Start,
		Run:   (&process.Runner{Children: children, Program: l.program}).Run,
	}
}

// check asks the marker, in the process that starts what it is asked for, right before it does.
func (l Layout) check(m frame.Marker) frame.Reason {
	//model:guard Dial.marker
	if v := Check(OSFiles{}, l.Marker, Wanted(m)); !v.OK {
		return frame.Reason(v.Reason)
	}
	return ""
}

// Wanted is what a container's marker must vouch for.
func Wanted(m frame.Marker) boot.Marker {
	return boot.Marker{Pod: m.Pod, Incarnation: int(m.Incarnation), Recipe: m.Recipe}
}

// Relay connects a server, which the engine has put behind in and out, with the session host, until either side ends.
func Relay(ctx context.Context, in, out *os.File) error {
	for deadline := time.Now().Add(listenTime); ; time.Sleep(5 * time.Millisecond) {
		err := host.Relay(ctx, Socket, in, out)
		if !errors.Is(err, unix.ECONNREFUSED) || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
	}
}
