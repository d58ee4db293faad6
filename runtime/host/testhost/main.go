// Command testhost is the session host alone, as a container's first process, and the relay to it: for tests, in a binary that builds in a second.
//
// It imports runtime/host and runtime/host/process. There is nothing more to read.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"podlife/runtime/host"
	"podlife/runtime/host/frame"
	"podlife/runtime/host/process"
	"podlife/runtime/host/session"
)

const socket = "/run/podlife-test/host.sock"

func main() {
	err := fmt.Errorf("what is wanted of %s: init or relay", os.Args[0])
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "init":
			err = serve()
		case "relay":
			err = host.Relay(context.Background(), socket, os.Stdin, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is the first process: it reaps, owns the terminals, and stops when it is asked to from outside.
func serve() error {
	stop, err := process.First()
	if err != nil {
		return err
	}
	if err := host.CloseOff(); err != nil {
		return err
	}
	children := process.NewChildren(true)
	go children.Run(context.Background()) // as long as the container lives
	starter := &process.Starter{Children: children, Program: shell}
	h := host.New(host.Config{
		Check: func(m frame.Marker) frame.Reason {
			if _, err := os.Stat("/marker-" + m.Pod); err != nil {
				return "marker_missing"
			}
			return ""
		},
		Start: starter.Start,
	})
	l, err := host.Listen(socket)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(l, host.Peers{}.Admit) }()
	select {
	case <-stop:
	case err = <-served:
	}
	l.Close()
	stopping, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if stopErr := h.Stop(stopping); err == nil {
		err = stopErr
	}
	return err
}

func shell(s session.Spec) (process.Program, error) {
	env := append([]string{"PS1=$ ", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM=xterm-256color", "HOME=/root"}, s.Env...)
	return process.Program{Path: "/bin/sh", Args: []string{"sh", "-i"}, Env: env, Dirs: []string{s.Dir, "/root"}}, nil
}
