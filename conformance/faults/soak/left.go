package main

import (
	"fmt"
	"time"

	"podlife/conformance/faults"
)

// Left is how much of a kind there was before a soak, and after its end.
type Left struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// The kinds of what can be left.
const (
	leftGoroutines  = "goroutines"
	leftDescriptors = "descriptors"
	leftProcesses   = "child processes"
	leftContainers  = "containers"
)

// endTime is how long what has ended may take to be gone.
const endTime = 5 * time.Second

// ownLeft compares what this process has with what it had.
func (t *Tally) ownLeft(before faults.Own) {
	now, err := faults.AwaitOwn(before, endTime)
	if err != nil {
		t.fail("what is left was not counted: %v", err)
		return
	}
	t.left(leftGoroutines, before.Goroutines, now.Goroutines)
	t.left(leftDescriptors, before.Descriptors, now.Descriptors)
	t.left(leftProcesses, before.Processes, now.Processes)
}

// left notes how much there is of a kind; more than there was is a leak.
func (t *Tally) left(kind string, before, after int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.r.Left[kind] = Left{before, after}
	if after > before {
		t.r.Leaks = append(t.r.Leaks, fmt.Sprintf("%s: %d before, %d after", kind, before, after))
	}
}
