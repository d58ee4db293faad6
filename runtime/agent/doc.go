// Package agent is podlife inside a container: the program's own static binary, mounted read-only, as PID 1, the session host that
// checks the marker and starts the user's shells, as the relay to it, and as the runner of the boot script.
//
// It imports runtime/boot and runtime/host and nothing else of the project. The pure core is check.go, which the simulated engine runs too; everything else touches the
// container's processes and files. Read check.go first, then host.go and shell.go.
package agent
