// Package pod is the only place where lifecycle state changes: one actor per pod, and every change is an action of model/podlifecycle that the table allowed.
//
// It imports model and nothing else of the project: engines, stores and clocks are the interfaces in world.go, which is the file to read first; then actor.go.
package pod
