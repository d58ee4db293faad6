package process

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deadly are the signals that end a Go program, or put it into a panic, because its runtime has a handler for them.
var deadly = [...]unix.Signal{
	unix.SIGHUP, unix.SIGQUIT, unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGUSR1, unix.SIGSEGV, unix.SIGUSR2, unix.SIGALRM, unix.SIGSTKFLT, unix.SIGXCPU, unix.SIGXFSZ,
	unix.SIGVTALRM, unix.SIGIO, unix.SIGPWR, unix.SIGSYS, unix.SIGTERM, unix.SIGINT,
}

// StopSignal asks a first process to stop: SIGRTMIN+3, as systemd has it in containers. A container is made with it (in words, SIGRTMIN+3), because a Go program can keep it blocked, which it cannot with
// SIGTERM.
const StopSignal = unix.Signal(37)

const (
	// maxRunning bounds the threads of a first process that run at the same time, on machines with many processors too.
	maxRunning = 4
	// reserved is how many threads it keeps: those that run, and those that wait in the kernel at the same time, which are one for each connection that is being admitted (at most 16) and a few more.
	reserved = 32
)

// First makes this process, the first of a container, one that nobody inside can end by a signal, and gives a channel that is closed when somebody outside asks it to stop. Call it first of all: it may
// start the program anew, in the same process and with the same arguments.
//
// The runtime's handlers of deadly signals are taken away: the kernel drops what is sent to a first process from inside and has no handler, however it is sent. What the program does wrong itself still ends
// it, though without a trace of where. Nor does it need a thread or a process later that might not be there: see ReserveThreads. StopSignal is blocked in every thread, which only works from a program's start on, and is read with its sender: to a process in a container, one outside has the number
// 0, and the kernel lets nobody forge that together with the code of a plain kill(2). SIGTERM is without effect, whoever sends it.
func First() (asked <-chan struct{}, err error) {
	blocked, err := mask(unix.SIG_BLOCK, nil)
	if err != nil {
		return nil, err
	}
	if !has(blocked, StopSignal) {
		return nil, again()
	}
	if err := harden(); err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), maxRunning))
	ReserveThreads(reserved)
	fd, err := unix.Signalfd(-1, setOf(StopSignal), unix.SFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("signalfd: %w", err)
	}
	stop := make(chan struct{})
	go func() { // lives as long as the process does
		defer close(stop)
		for {
			var info unix.SignalfdSiginfo
			b := unsafe.Slice((*byte)(unsafe.Pointer(&info)), unsafe.Sizeof(info))
			n, err := unix.Read(fd, b)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil || n != len(b):
				return
			case info.Pid == 0 && info.Code == siUser:
				return
			}
		}
	}()
	return stop, nil
}

// siUser is SI_USER of sigaction(2).
const siUser = 0

// again starts the program anew with StopSignal blocked. It returns only if it cannot.
func again() error {
	runtime.LockOSThread() // the mask is a thread's
	if _, err := mask(unix.SIG_BLOCK, setOf(StopSignal)); err != nil {
		return err
	}
	return fmt.Errorf("start anew: %w", unix.Exec("/proc/self/exe", os.Args, os.Environ()))
}

// unasked runs f, which starts a process, with StopSignal not blocked: a process inherits the mask of the thread that starts it, and must not be deaf. If the signal comes right now it may be lost.
func unasked(f func() (int, error)) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := mask(unix.SIG_UNBLOCK, setOf(StopSignal))
	if err != nil {
		return 0, err
	}
	defer func() { _, _ = mask(unix.SIG_SETMASK, before) }() // fails for no mask that it gave itself
	return f()
}

func harden() error {
	// As the kernel has it (rt_sigaction(2)), with room for the longest form: no handler, no flags, no mask.
	var none [4]uint64
	for _, s := range deadly {
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&none)), 0, 8, 0, 0); errno != 0 {
			return fmt.Errorf("rt_sigaction %d: %w", s, errno)
		}
	}
	return nil
}

// mask changes the signals that this thread blocks, and gives those before; nil changes nothing.
func mask(how int, set *unix.Sigset_t) (before *unix.Sigset_t, err error) {
	before = new(unix.Sigset_t)
	return before, unix.PthreadSigmask(how, set, before)
}

func setOf(s unix.Signal) *unix.Sigset_t {
	set := new(unix.Sigset_t)
	set.Val[(s-1)/64] |= 1 << ((s - 1) % 64)
	return set
}

func has(set *unix.Sigset_t, s unix.Signal) bool { return set.Val[(s-1)/64]&(1<<((s-1)%64)) != 0 }
