package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Own is what this process has that it must have given back at the end of a test.
type Own struct {
	Goroutines  int
	Descriptors int // open files and sockets
	Processes   int // children, also those that have ended and were not waited for
}

// CountOwn counts. An error says that it could not be counted, which is no pass.
func CountOwn() (Own, error) {
	fds, err := Descriptors(os.Getpid())
	if err != nil {
		return Own{}, err
	}
	children, err := Children(os.Getpid())
	return Own{runtime.NumGoroutine(), fds, children}, err
}

// exceeds says whether there is more of anything than there was.
func (o Own) exceeds(before Own) bool {
	return o.Goroutines > before.Goroutines || o.Descriptors > before.Descriptors || o.Processes > before.Processes
}

// AwaitOwn counts until there is no more of anything than there was, for at most so long: what has ended needs a moment until it is gone.
func AwaitOwn(before Own, limit time.Duration) (Own, error) {
	deadline := time.Now().Add(limit)
	for {
		now, err := CountOwn()
		if err != nil || !now.exceeds(before) || time.Now().After(deadline) {
			return now, err
		}
		time.Sleep(20 * time.Millisecond) // what the system does is polled for
	}
}

// Descriptors counts those of a process. The one that the counting itself needs is not among them.
func Descriptors(pid int) (int, error) {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0, err
	}
	if pid == os.Getpid() {
		return len(list) - 1, nil
	}
	return len(list), nil
}

// Children counts the processes whose parent this one is.
func Children(pid int) (int, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	n, read := 0, false
	for _, t := range tasks {
		b, err := os.ReadFile(t)
		if err != nil {
			continue // a thread that has ended meanwhile
		}
		read = true
		n += len(strings.Fields(string(b)))
	}
	if !read {
		return 0, fmt.Errorf("the children of process %d cannot be seen: %w", pid, os.ErrNotExist)
	}
	return n, nil
}
