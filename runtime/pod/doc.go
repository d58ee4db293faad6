// Package pod is the only place where lifecycle state changes: one actor per pod, and every change is an action of
// model/podruntime that the table allowed, and that is one of model/podlifecycle, or none, for the outside. Only recover sets what was found at a start of the server.
//
// It imports model and nothing else of the project: engines, stores and clocks are the interfaces in world.go, which is the file to read first; then actor.go.
package pod
