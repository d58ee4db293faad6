package pod

import (
	"time"

	"podlife/model/podlifecycle"
)

// This file is what runtime/workspace, which keeps the list of the pods, tells a pod. It does so under its own lock, so nothing here may call back into it.

// RefuseBoots has every later boot of the pod refused with this error, until it is called with nil (Boot.there of Workspace). What is awake stays so.
func (p *Pod) RefuseBoots(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = why
}

// RefuseWakes has every later boot refused that would start the pod, with this error, until it is called with nil. What is awake stays so, and is booted and entered as before.
func (p *Pod) RefuseWakes(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unwakeable = why
}

// DefaultName is what everybody calls the pod that they have without creating it, whose ID is their own name.
const DefaultName = "default"

// BelongsTo says whose pod it is, and what they call it, by which Options.MaxRunning counts. Without it a pod is the default one of the user whose name it has.
func (p *Pod) BelongsTo(owner, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of = belonging{owner, name}
	p.count()
}

// count counts the pod as awake if it is, also while what became of it is not known and it was meant to be. p.mu is held.
func (p *Pod) count() {
	p.running.set(p.id, p.of, p.state.Outside(p.outside).Ctr != podlifecycle.Asleep)
}

// KeepsHome says that what is in the pod's home outlives its containers. It changes what people are told, and nothing else.
func (p *Pod) KeepsHome() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.homeStays = true
}

// Deleted says that somebody has deleted the pod, and whether its home stays as a volume. It changes what people are told, and nothing else.
func (p *Pod) Deleted(homeStays bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deleted, p.homeStays = true, homeStays
}

// SetIdleTimeout gives the pod an idle timeout of its own; 0 is the server's. The one that it has already changes nothing; another counts from when somebody did something last.
func (p *Pod) SetIdleTimeout(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d == p.ownIdle {
		return
	}
	p.ownIdle = d
	p.takeBack()
	p.scheduleSweep()
}

// idleTimeout is the pod's own, or the server's; 0 is never. p.mu is held.
func (p *Pod) idleTimeout() time.Duration {
	if p.ownIdle > 0 {
		return p.ownIdle
	}
	return p.o.IdleTimeout
}

// Forget drops a pod that is deleted, and has no container any more.
func (m *Manager) Forget(id ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pods, id)
}
