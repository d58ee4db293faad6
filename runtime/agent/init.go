package agent

import (
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Init is a container's PID 1: it takes the exit code of every process that lost its parent, so that none stays as a zombie, and returns when the container is asked to stop.
// Its return ends the container; the kernel ends every process in it. It starts no process of its own, so waiting for any child takes nobody else's.
func Init() {
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, unix.SIGCHLD, unix.SIGTERM, unix.SIGINT)
	defer signal.Stop(signals)
	reap() // those that ended before we listened
	for s := range signals {
		if s != unix.SIGCHLD {
			return
		}
		reap()
	}
}

// reap waits for all children that have ended. One signal may stand for many.
func reap() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid == 0 {
			return
		}
	}
}
