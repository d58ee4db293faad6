package harness

import (
	"sync"

	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
)

// gates holds, in simulated containers, the user script until the gate of its container is open: what GateScript does in real ones.
type gates struct {
	mu      sync.Mutex // guards the following
	watched map[string]bool
	gates   map[engine.ID]chan struct{} // closed when open
}

func newGates(p *simprograms.Programs) *gates {
	g := &gates{watched: map[string]bool{}, gates: map[engine.ID]chan struct{}{}}
	p.Gate(g.of)
	return g
}

// watch holds every boot of a pod from now on.
func (g *gates) watch(pod string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watched[pod] = true
}

// of gives what a step waits for.
func (g *gates) of(s simprograms.Step) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.Name != boot.StepUserScript || !g.watched[s.Pod] {
		return nil
	}
	return g.gate(s.Container)
}

// gate gives the gate of a container. g.mu is held.
func (g *gates) gate(id engine.ID) chan struct{} {
	if g.gates[id] == nil {
		g.gates[id] = make(chan struct{})
	}
	return g.gates[id]
}

func (g *gates) openGate(id engine.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.gate(id):
	default:
		close(g.gate(id))
	}
}
