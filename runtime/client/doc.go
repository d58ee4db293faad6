// Package client speaks podlife's HTTP and WebSocket API, as docs/protocol.md says it: boot, stop, status, events and the terminal of a pod, and which pods and kept volumes there are.
//
// It is what the command line uses, and what the tests that drive a running server use, so it hides nothing: every refusal is a typed error, every message of a terminal is handed over in order,
// and "the outcome is unknown" (Interrupted) is told apart from "nothing was sent" (Unreachable) and from "the server said no" (Problem). It retries nothing by itself.
//
// It imports nothing of the project. Read client.go first, then pods.go and terminal.go.
package client
