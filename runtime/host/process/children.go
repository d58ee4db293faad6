package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"
)

// Children waits for processes. There is one in a program, since an exit code can be taken only once.
type Children struct {
	all bool

	mu      sync.Mutex // held over the start of a process, so that none is reaped before it is known; guards the next
	waiting map[int]chan unix.WaitStatus
	waits   sync.WaitGroup // for those that wait for one process
}

// NewChildren gives the one that waits. With all it also takes every other child's exit code, as a container's first process must; Run does that. Then no other code of the program may wait for a process of
// its own, which os/exec does. Without all it waits for what Start started, and for nothing else.
func NewChildren(all bool) *Children {
	return &Children{all: all, waiting: map[int]chan unix.WaitStatus{}}
}

// Run takes exit codes until the context ends. Only with all.
func (c *Children) Run(ctx context.Context) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGCHLD)
	defer signal.Stop(signals)
	for {
		c.reap() // also those that ended before we listened; one signal may stand for many
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
	}
}

// Start runs start, which starts a process and gives its number, and gives where its exit code will come, once.
func (c *Children) Start(start func() (pid int, err error)) (pid int, exit <-chan unix.WaitStatus, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err = start()
	if err != nil {
		return 0, nil, err
	}
	ended := make(chan unix.WaitStatus, 1) // sent once, by reap or by the goroutine below
	c.waiting[pid] = ended
	if c.all {
		return pid, ended, nil
	}
	c.waits.Go(func() {
		// It stays a zombie, and its number its own, until its exit code is taken under the lock.
		for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		var status unix.WaitStatus
		for {
			if _, err := unix.Wait4(pid, &status, 0, nil); !errors.Is(err, unix.EINTR) {
				break
			}
		}
		delete(c.waiting, pid)
		ended <- status
	})
	return pid, ended, nil
}

// While calls f if the exit code of the process was not taken yet: as long as f runs its number is not given to another.
func (c *Children) While(pid int, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ours := c.waiting[pid]; ours {
		f()
	}
}

// Wait returns when every process of Start has ended. Only without all.
func (c *Children) Wait() { c.waits.Wait() }

// reap takes the exit code of every child that has ended.
func (c *Children) reap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if ended, ours := c.waiting[pid]; ours {
			delete(c.waiting, pid)
			ended <- status
		}
	}
}
