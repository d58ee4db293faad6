// Package traces drives a running server along generated traces and compares it, after every step, with the specification's table: the actions that it committed, what its API says, what
// the engine has, and what is really inside the container and behind every attached terminal.
//
// A trace is drawn by rapid from the model alone (draw.go), whose state is the table's lifted to a few tabs (model.go). What one operation of a tab, or of the world, makes the server do is
// written once, as a sequence of the table's actions (expect.go). runner.go carries it out, check.go compares, shrink.go makes a failing trace short, report.go shows it.
//
// It imports anything of the project. Read model.go first, then expect.go.
package traces
