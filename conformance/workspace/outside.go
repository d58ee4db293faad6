package workspace

import (
	"fmt"

	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// removeByHand is somebody at the engine. What a dead server has made and never started goes first.
func (w *world) removeByHand(v int) error {
	name := w.volumeOf(v)
	if w.catalogue == nil {
		all, err := w.engine.List(endless(), nil)
		if err != nil {
			return err
		}
		for _, c := range all {
			if c.State == engine.Created {
				if err := w.engine.Remove(endless(), c.ID); err != nil {
					return err
				}
			}
		}
	}
	if err := w.engine.RemoveVolume(endless(), name); err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	return nil
}

// refuse has the engine refuse what is asked of it, and waits until it is asked for again.
func (w *world) refuse(p int) error {
	g := w.gates.Load()
	for _, at := range []point{atRemove, atVolume, atMade, atMake} {
		if g.open(at, p, errFull) {
			w.again()
			if !g.has(p, atRemove, atVolume, atMake) {
				return fmt.Errorf("%w: it does not try again", errAway)
			}
			if info, _, err := w.catalogue.Get(w.owner(p), names()[p]); at != atRemove && (err != nil || info.Trouble == "") {
				return fmt.Errorf("%w: it says nothing of what the engine refused: %v", errAway, err)
			}
			return nil
		}
	}
	return errAway
}

// die has a container die, of which the server is told.
func (w *world) die(p int) error {
	c, _, err := w.box(p)
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	w.engine.Kill(c.ID)
	actor := w.actor(p)
	ask("died", func() error { actor.Died(endless(), pod.ContainerID(c.ID)); return nil })
	return nil
}
