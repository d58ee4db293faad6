package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"podlife/conformance/faults"
	"podlife/runtime/boot"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// chatter is one event of a script that prints much.
func chatter() []byte { return []byte(`{"log":"` + strings.Repeat("x", 4000) + `"}` + "\n") }

// draw lets one call in a hundred go wrong while there is a storm.
func (s *simulation) draw(op string) *faults.Fault {
	if s.storm.Load() == 0 || rand.IntN(100) > 0 {
		return nil
	}
	kinds := []engine.Kind{engine.Failed, engine.Unavailable, engine.Canceled}
	f := &faults.Fault{Op: op, Kind: kinds[rand.IntN(len(kinds))]}
	f.Lost = f.Kind != engine.Failed && rand.IntN(2) == 0
	name := "call fails: " + op
	if op == faults.Save {
		f.Lost, name = false, "disk full"
	}
	s.tally.fault(name)
	return f
}

// chaos is what the world does to containers and scripts.
type chaos struct {
	s       *simulation
	l       *faults.Life
	rand    *rand.Rand
	pending sync.WaitGroup // what was begun and has an end
}

// rage does one thing after the other until the storm is over.
func (c *chaos) rage(ctx context.Context) {
	for ctx.Err() == nil {
		c.strike(ctx)
		select {
		case <-time.After(time.Duration(2+c.rand.IntN(25)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
	c.pending.Wait()
	c.l.Wire.Away(false)
}

func (c *chaos) strike(ctx context.Context) {
	id := c.s.ids[c.rand.IntN(len(c.s.ids))]
	step := boot.Steps()[c.rand.IntN(len(boot.Steps()))]
	switch n := c.rand.IntN(100); {
	case n < 20:
		c.each("kill", id, func(box engine.ID) { c.s.m.Engine.Kill(box) })
	case n < 25:
		c.each("out of memory", id, func(box engine.ID) { c.s.m.Engine.KillOOM(box) })
	case n < 35:
		c.each("removed by somebody", id, func(box engine.ID) { _ = c.s.m.Engine.Remove(context.Background(), box) }) // it may be gone
	case n < 50:
		c.each("pause", id, func(box engine.ID) {
			c.s.m.Engine.Pause(box)
			c.later(ctx, 500, func() { c.s.m.Engine.Unpause(box) })
		})
	case n < 65:
		c.each("marker removed", id, func(box engine.ID) {
			if files, ok := c.s.m.Engine.Files(box); ok {
				_ = files.RemoveAll(boot.MarkerPath) // it may be gone
			}
		})
	case n < 80:
		c.s.tally.fault("script fails")
		c.s.m.Programs.Fail(c.stepOf(id, step), 1+c.rand.IntN(200), "no such tool\n")
	case n < 95:
		c.s.tally.fault("script hangs")
		free, _ := c.s.m.Programs.Hold(c.stepOf(id, step))
		c.later(ctx, 2*int(bootTimeout/time.Millisecond), free)
	default:
		c.s.tally.fault("engine away")
		c.l.Wire.Away(true)
		c.later(ctx, 300, func() { c.l.Wire.Away(false) })
	}
}

// stepOf matches a step of a pod's boots in the storm that is on.
func (c *chaos) stepOf(id pod.ID, name string) func(simprograms.Step) bool {
	storm := c.s.storm.Load()
	return func(s simprograms.Step) bool {
		return s.Pod == string(id) && s.Name == name && c.s.storm.Load() == storm
	}
}

// each does something to the containers of a pod.
func (c *chaos) each(kind string, id pod.ID, do func(engine.ID)) {
	for _, box := range c.s.m.Containers(id) {
		c.s.tally.fault(kind)
		do(box)
	}
}

// later ends something after up to so many milliseconds, or with the storm.
func (c *chaos) later(ctx context.Context, most int, end func()) {
	d := time.Duration(c.rand.IntN(most)) * time.Millisecond
	c.pending.Go(func() {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		end()
	})
}
