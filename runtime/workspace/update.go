package workspace

import (
	"context"
	"fmt"
	"maps"
	"time"

	"podlife/runtime/pod"
)

// Change is what becomes of a pod's settings; what is nil stays as it is.
type Change struct {
	Labels      map[string]string // all of them: those that are not named are gone
	IdleTimeout *time.Duration    // as in Request
	Image       *string           // as in Request: the next start uses it
}

// Update changes a pod's settings, durably. It starts nothing and is no activity, and settings that are the same already change nothing. ErrNoPod, ErrDefault, *InvalidError, *ImageError, *pod.StoreError, which leaves everything as
// it was.
func (c *Catalogue) Update(ctx context.Context, owner, name string, change Change) (Info, error) {
	if name == DefaultName {
		return Info{}, ErrDefault
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.find(owner, name)
	if e == nil {
		return Info{}, ErrNoPod
	}
	changed := e.rec
	if change.Labels != nil {
		if err := checkLabels(change.Labels); err != nil {
			return Info{}, err
		}
		changed.Labels = maps.Clone(change.Labels)
	}
	if change.IdleTimeout != nil {
		if err := checkIdle(*change.IdleTimeout); err != nil {
			return Info{}, err
		}
		changed.IdleTimeout = *change.IdleTimeout
	}
	if change.Image != nil {
		if err := c.checkImage(*change.Image); err != nil {
			return Info{}, err
		}
		changed.Image = *change.Image
	}
	p := c.o.Pods.Pod(e.rec.ID)
	if maps.Equal(changed.Labels, e.rec.Labels) && changed.IdleTimeout == e.rec.IdleTimeout && changed.Image == e.rec.Image {
		return c.info(e, p), nil
	}
	if err := c.o.Store.SaveNamed(ctx, changed, ""); err != nil {
		return Info{}, &pod.StoreError{Err: fmt.Errorf("the settings of pod %s: %w", name, err)}
	}
	e.rec = changed
	p.SetIdleTimeout(changed.IdleTimeout)
	p.RefuseWakes(c.checkImage(changed.Image))
	return c.info(e, p), nil
}
