// Package tab behaves as the specification's client does: a browser tab, or whatever else boots a pod and keeps a terminal open to it, told apart from others by a name.
//
// It speaks to a running server through runtime/client alone, and finds out what a shell is by typing into it. It imports runtime/client and nothing else of the project, and no test
// package, since `podlife replay` uses it too. Read socket.go first, then probe.go.
package tab
