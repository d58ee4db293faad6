package harness

import (
	"sync"

	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
)

// gates holds, in simulated containers, the user script until the gate of its container is open: what GateScript does in real ones.
type gates struct {
	programs *simprograms.Programs
	stop     chan struct{} // closed by close
	renewers sync.WaitGroup

	mu      sync.Mutex // guards the following
	open    map[engine.ID]bool
	release map[engine.ID]func() // of the boots that wait
}

func newGates(p *simprograms.Programs) *gates {
	return &gates{programs: p, stop: make(chan struct{}), open: map[engine.ID]bool{}, release: map[engine.ID]func(){}}
}

// watch holds every boot of a pod from now on. A hold is good for one boot, so a goroutine sets the next one as soon as one is taken; a second one stands ready, since
// the next incarnation may be quick.
func (g *gates) watch(pod string) {
	for range 2 {
		entered := g.hold(pod)
		g.renewers.Go(func() {
			for {
				select {
				case <-entered:
					entered = g.hold(pod)
				case <-g.stop:
					return
				}
			}
		})
	}
}

func (g *gates) hold(pod string) (entered <-chan struct{}) {
	var release func()
	ready := make(chan struct{})
	release, entered = g.programs.Hold(func(s simprograms.Step) bool {
		if s.Pod != pod || s.Name != boot.StepUserScript {
			return false
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.open[s.Container] {
			return false
		}
		g.release[s.Container] = func() { <-ready; release() }
		return true
	})
	close(ready)
	return entered
}

func (g *gates) openGate(id engine.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[id] = true
	if release := g.release[id]; release != nil {
		release()
	}
}

func (g *gates) close() {
	close(g.stop)
	g.renewers.Wait()
}
