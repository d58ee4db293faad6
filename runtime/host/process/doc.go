// Package process starts processes on terminals of their own, and takes the exit codes of all that end: in a container's first process also of those that have lost their parents.
//
// It imports runtime/host/session and runtime/host/command, whose PTY and Process it implements. Read children.go first, which is the one place that waits for a process; pty.go has the terminal, pipes.go the programs without one, first.go what a container's first process needs
// besides.
package process
