package workspace

import (
	"context"
	"errors"
	"fmt"

	"podlife/model/workspace"
	"podlife/runtime/pod"
)

// Delete ends a pod (action Delete), and answers when its container, its disk and its volume are gone (Gone). With keep the volume stays, for its owner to adopt. Concurrent calls join, and the first decides what is
// kept: kept is the volume that stays, "" for none; one that comes too late to keep it is refused with ErrGoing. What was once stored is gone on with, over a crash and for as long as it takes; what keeps it from its end is in Info.Trouble.
//
// Errors: ErrNoPod, ErrDefault, ErrGoing, ErrClosed, *pod.StoreError, which leaves everything as it was, *TroubleError when the context ends before that and something could not be removed, or the context's error.
func (c *Catalogue) Delete(ctx context.Context, owner, name string, keep bool) (kept string, err error) {
	if name == DefaultName {
		return "", ErrDefault
	}
	e, err := c.startDelete(ctx, owner, name, keep)
	if err != nil {
		return "", err
	}
	select {
	case <-e.gone:
		return e.left, nil
	case <-ctx.Done():
		return "", c.troubled(e, "remove", ctx.Err())
	case <-c.base.Done():
		return "", ErrClosed
	}
}

// startDelete is the action Delete, or joins one.
func (c *Catalogue) startDelete(ctx context.Context, owner, name string, keep bool) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.find(owner, name)
	switch {
	case e == nil:
		return nil, ErrNoPod
	case c.closed:
		return nil, ErrClosed
	case e.rec.Life == workspace.Going && keep && !e.rec.Keep && e.rec.Home != "":
		return nil, ErrGoing // whoever wants to keep it is not to be told that all went well
	case e.rec.Life == workspace.Going:
		return e, nil
	}
	p := c.o.Pods.Pod(e.rec.ID)
	l := e.local(p.Status())
	l.Keep = keep && e.rec.Home != ""
	after, err := c.takes(workspace.Delete, l)
	if err != nil {
		return nil, err
	}
	going := e.rec
	going.Life, going.Keep = after.Pods[self].Rec.Life, after.Pods[self].Rec.Keep
	if err := c.o.Store.SaveNamed(ctx, going, ""); err != nil { //model:guard Delete.stored
		return nil, &pod.StoreError{Err: fmt.Errorf("the end of pod %s: %w", name, err)}
	}
	e.rec = going
	p.RefuseBoots(ErrGoing) //model:guard Boot.there
	p.Deleted(going.Keep)
	c.goWork(func() { c.finish(e) })
	return e, nil
}

// finish removes what a deleted pod has, and tries until that is gone: the container, then the volume, and then what is known of it.
func (c *Catalogue) finish(e *entry) {
	p := c.o.Pods.Pod(e.rec.ID)
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		err := c.finishOnce(e, p)
		if err == nil || c.base.Err() != nil {
			return
		}
		c.mu.Lock()
		e.trouble = err.Error()
		c.mu.Unlock()
		c.o.Logger.Warn("could not remove all that a deleted pod has; trying again", "pod", string(e.rec.ID), "volume", e.rec.Home, "err", err)
		if !c.pause(wait) {
			return
		}
	}
}

func (c *Catalogue) finishOnce(e *entry, p *pod.Pod) error {
	if err := p.Destroy(c.base); err != nil { //model:guard Gone.container
		return fmt.Errorf("its container: %w", err)
	}
	select {
	case <-e.made: // nothing is being made any more
	case <-c.base.Done():
		return c.base.Err()
	}
	if e.rec.Home != "" && !e.rec.Keep { //model:guard RemoveVolume.notKept
		if err := c.o.Homes.RemoveHome(c.base, e.rec.Home); err != nil { //model:guard Gone.volume
			return fmt.Errorf("its volume: %w", err)
		}
	}
	kept, err := c.leaves(e)
	if err != nil {
		return err
	}
	return c.isGone(e, p, kept)
}

// leaves gives the volume that stays; nil for none, also where it was to be kept and is not there any more.
func (c *Catalogue) leaves(e *entry) (*Kept, error) {
	if e.rec.Home == "" || !e.rec.Keep {
		return nil, nil
	}
	there, err := c.o.Homes.HasHome(c.base, e.rec.Home)
	if foreign := new(ForeignVolumeError); errors.As(err, &foreign) {
		c.o.Logger.Warn("the home to be kept is not there, and its name is another's", "pod", string(e.rec.ID), "volume", e.rec.Home)
		return nil, nil
	}
	if err != nil || !there {
		return nil, err
	}
	return &Kept{Volume: e.rec.Home, Owner: e.rec.Owner, Pod: e.rec.Name, KeptAt: c.o.Clock.Now()}, nil
}

// isGone is RemoveVolume, whose volume is gone by now, and Gone.
func (c *Catalogue) isGone(e *entry, p *pod.Pod, kept *Kept) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.vol = workspace.Volume{There: kept != nil, Ours: kept != nil}
	if _, err := c.takes(workspace.Gone, e.local(p.Status())); err != nil {
		return err
	}
	if err := c.o.Store.DropNamed(c.base, e.rec.ID, kept); err != nil { //model:guard Gone.keeps
		return &pod.StoreError{Err: err}
	}
	if kept != nil {
		c.kept[kept.Volume] = *kept
		e.left = kept.Volume
	}
	delete(c.byID, e.rec.ID)
	c.o.Pods.Forget(e.rec.ID)
	close(e.gone)
	return nil
}

// RemoveKept removes a volume that is kept for its owner, with all that is in it; one that somebody has removed at the engine is forgotten. ErrNoVolume, *VolumeInUseError, *ForeignVolumeError, *pod.StoreError, or the engine's error, after which it is still kept. Meanwhile nobody adopts it.
func (c *Catalogue) RemoveKept(ctx context.Context, owner, volume string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.kept[volume]
	if !ok || k.Owner != owner {
		return ErrNoVolume
	}
	c.removing[volume]++
	c.mu.Unlock() // the engine may take long, and nobody else is to wait for it
	err := c.o.Homes.RemoveHome(ctx, volume)
	c.mu.Lock()
	if c.removing[volume]--; c.removing[volume] == 0 {
		delete(c.removing, volume)
	}
	if err != nil {
		return err
	}
	if err := c.o.Store.DropKept(ctx, volume); err != nil {
		return &pod.StoreError{Err: err}
	}
	delete(c.kept, volume)
	return nil
}
