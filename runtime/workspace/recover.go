package workspace

import (
	"context"
	"fmt"

	"podlife/model/workspace"
)

// Recover brings back what the store has (action Recover), and goes on with what was begun: volumes that were being made, pods that were being deleted. It removes no volume: one that it does not know it leaves alone.
// It has to be called before the pods are recovered, so that none is booted whose delete is stored.
func (c *Catalogue) Recover(ctx context.Context) error {
	records, err := c.o.Store.NamedPods(ctx)
	if err != nil {
		return fmt.Errorf("load the named pods: %w", err)
	}
	kept, err := c.o.Store.KeptVolumes(ctx)
	if err != nil {
		return fmt.Errorf("load the kept volumes: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range kept {
		c.kept[k.Volume] = k
	}
	for _, r := range records {
		e := &entry{rec: r, made: make(chan struct{}), gone: make(chan struct{})}
		p := c.put(e)
		if r.Life == workspace.Making {
			p.RefuseBoots(ErrMaking)
			c.goWork(func() { c.makeVolume(e) })
			continue
		}
		e.vol = workspace.Volume{There: r.Home != "", Ours: r.Home != ""}
		close(e.made)
		if r.Life == workspace.Going {
			p.RefuseBoots(ErrGoing) //model:guard Boot.there
			p.Deleted(r.Keep)
			c.goWork(func() {
				select {
				// Until then its container is not known, and would be taken for gone.
				case <-c.o.Pods.Recovered(): //model:guard Gone.container
					c.finish(e)
				case <-c.base.Done():
				}
			})
		}
	}
	return nil
}
