// Package linear asks whether what many tabs saw at once can be told as one story: porcupine looks for an order of their operations in which the specification's table (model/podruntime), taken one
// action at a time, gives every answer that was given.
//
// The sequential model is that table itself. What callers do are actions of it (model.go); what the server and the containers do by themselves nobody sees, so it may happen between any two
// operations (hidden.go). A state of the model is therefore a set of states of the table. It imports anything of the project.
//
// Read history.go first, which says what is in a history, then model.go. drive.go makes tabs and the world do things and records what they saw, through users.go (a running server) or
// machine.go (a server in this process, on which time and crashes are the test's). check.go asks porcupine.
package linear
