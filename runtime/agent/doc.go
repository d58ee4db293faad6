// Package agent is podlife inside a container: the program's own static binary, mounted read-only, as PID 1, as the runner of the boot script, and as the process that
// checks the marker and then becomes the user's shell.
//
// It imports runtime/boot and nothing else of the project. The pure core is check.go and guard.go, which the simulated engine runs too; everything else touches the
// container's processes and files. Read check.go first, then shell.go.
package agent
