package container

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// cleanupTime bounds the work that has to be done after a caller gave up.
const cleanupTime = 30 * time.Second

// Launch creates and starts the incarnation's container; see pod.Containers. When it is not known what became of it, because the engine could not be reached or the context ended, the error is an
// UnseenError, and something may be left: under the incarnation's one name and labels, so that the next Launch of the same incarnation meets it and removes it first.
//
// A pod whose home is not there is not launched: the BootError has a *HomeMissingError in it.
func (c *Containers) Launch(ctx context.Context, inc pod.Incarnation) (pod.ContainerID, error) {
	if !boot.ValidPod(string(inc.Pod)) || inc.Inc < 1 {
		return "", &pod.BootError{Step: "start", Err: fmt.Errorf("%q, %d is no incarnation", inc.Pod, inc.Inc)}
	}
	home := c.home(inc.Pod)
	image, err := c.image(ctx, inc.Pod)
	if err != nil {
		return "", cannotStart(err)
	}
	id, seen, err := c.createOn(ctx, inc, image, home)
	if err == nil {
		if err = c.o.Engine.Start(ctx, id); err == nil {
			c.fresh.add(pod.ContainerID(id))
			return pod.ContainerID(id), nil
		}
	}
	unknown := unseen(err) || ctx.Err() != nil
	cerr := c.removeAll(ctx, inc)
	if cerr == nil && seen {
		cerr = c.removeEmpty(ctx, home)
	}
	if cerr != nil {
		unknown = unknown || unseen(cerr)
		err = errors.Join(err, fmt.Errorf("and what is left of it could not be removed: %w", cerr))
	}
	if unknown {
		return "", &pod.UnseenError{Err: err}
	}
	return "", &pod.BootError{Step: "start", Err: err}
}

// cannotStart is why nothing was made yet.
func cannotStart(err error) error {
	if unseen(err) {
		return &pod.UnseenError{Err: err}
	}
	return &pod.BootError{Step: "start", Err: err}
}

// createOn makes the container, on its home if it has one. The engine makes a volume that is missing, an empty one, and tells nobody. So the home is looked at before, and nothing is made without it; and
// once more when the container has it, before anything runs in it, since from then on nobody can remove it. seen says that it was there before, whatever was found or could not be looked at afterwards.
func (c *Containers) createOn(ctx context.Context, inc pod.Incarnation, image image, home *engine.VolumeMount) (id engine.ID, seen bool, err error) {
	if home == nil {
		id, err = c.create(ctx, c.spec(inc, image), inc)
		return id, false, err
	}
	if err := c.lookHome(ctx, home.Name); err != nil { //model:guard Start.ownVolume
		return "", false, err
	}
	spec := c.spec(inc, image)
	spec.Volumes = []engine.VolumeMount{*home}
	if id, err = c.create(ctx, spec, inc); err != nil {
		return "", true, err
	}
	err = c.lookHome(ctx, home.Name) //model:guard Start.ownVolume
	if missing := new(HomeMissingError); errors.As(err, &missing) {
		missing.Other = false // it was there a moment ago, and what is there now the engine has made
	}
	return id, true, err
}

// create makes the container. A name that is taken by a leftover of this very incarnation is freed, once; anybody else's container is not touched. The leftover may also be gone by the time it is
// looked for, removed by the end of the very call that left it, so the name is asked for once more in any case.
func (c *Containers) create(ctx context.Context, spec engine.Spec, inc pod.Incarnation) (engine.ID, error) {
	id, err := c.o.Engine.Create(ctx, spec)
	if engine.KindOf(err) != engine.Conflict {
		return id, err
	}
	removed, err := c.removeLeftovers(ctx, inc)
	if err != nil {
		return "", fmt.Errorf("the name %s is taken, perhaps by a leftover: %w", spec.Name, err)
	}
	id, err = c.o.Engine.Create(ctx, spec)
	if engine.KindOf(err) == engine.Conflict && removed == 0 {
		return "", fmt.Errorf("the name %s belongs to a container that is not ours: choose another name prefix, or remove it: %w", spec.Name, err)
	}
	return id, err
}

func (c *Containers) spec(inc pod.Incarnation, from image) engine.Spec {
	s := engine.Spec{
		Name:       c.Name(inc),
		Image:      from.create,
		Hostname:   hostname(inc.Pod),
		Command:    []string{boot.AgentPath, "agent", "init"},
		StopSignal: "SIGRTMIN+3", // process.StopSignal, which nobody inside can send
		Labels:     c.labels(inc),
		Network:    c.o.Network,
		Limits:     c.o.Limits,
	}
	s.Labels[LabelImage] = from.reference
	if c.o.CopyAgent {
		s.Copies = []engine.Copy{{Source: c.o.AgentPath, Target: boot.AgentPath}}
	} else {
		s.Mounts = []engine.Mount{{Source: c.o.AgentPath, Target: boot.AgentPath}}
	}
	return s
}

// removeAll leaves nothing of the incarnation, also when the caller has given up meanwhile and when it is not known whether the engine made a container.
func (c *Containers) removeAll(ctx context.Context, inc pod.Incarnation) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	_, err := c.removeLeftovers(ctx, inc)
	return err
}

// removeLeftovers removes every container that carries all labels of this incarnation. Numbers are used once, so none of them can be anybody's.
func (c *Containers) removeLeftovers(ctx context.Context, inc pod.Incarnation) (removed int, err error) {
	list, err := c.o.Engine.List(ctx, c.labels(inc))
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		c.log.Warn("removing a leftover container", "container", e.ID, "name", e.Name, "pod", inc.Pod, "incarnation", inc.Inc)
		if err := c.o.Engine.Remove(ctx, e.ID); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
