package faults

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The write lock of an SQLite database in WAL mode is one byte of the file beside it (https://www.sqlite.org/walformat.html, "WAL Locks").
const walWriteLock = 120

// LockStore takes the write lock of a server's database, as a program does that writes to it and hangs: from then on nothing can be stored, until the returned function is called.
func LockStore(ctx context.Context, database string) (unlock func() error, err error) {
	f, err := os.OpenFile(database+"-shm", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	// For the open file and not for the process: nobody else in this process gives it back by closing the same file (fcntl_locking(2)).
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: walWriteLock, Len: 1}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock); err == nil {
			return f.Close, nil
		}
		select {
		case <-tick.C: // somebody writes
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", database, err)
		}
	}
}
