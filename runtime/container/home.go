package container

import (
	"context"
	"fmt"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

// HomeMissingError says that a pod was not launched because the volume that is its home is not there, or is none that this server made to be a home: an empty one in its place would look like lost work.
type HomeMissingError struct {
	Volume string
	Other  bool // there was a volume of that name, which is none of this server's homes
}

// Error says what happened, and what there is to do about it.
func (e *HomeMissingError) Error() string {
	what := "does not exist any more: somebody has removed it at the container engine"
	if e.Other {
		what = "is not the one that was made for it: somebody has removed that one, and the volume of this name now carries none of its labels"
	}
	return fmt.Sprintf("the home of this pod is missing. Its volume %s %s. Nothing was started, so that an empty home does not take its place. "+
		"Restore the volume, with its labels, from a backup, or remove the pod (podlife rm) and create it anew", e.Volume, what)
}

// Home is a volume of this server that was made to be a home.
type Home struct {
	Volume string
	Pod    pod.ID // for which it was made
}

// HomeVolume gives the one name of the volume that is made for a pod, to be its home. No two pods share one.
func (c *Containers) HomeVolume(id pod.ID) string {
	return fmt.Sprintf("%s-%s-home", c.o.NamePrefix, id)
}

// MakeHome makes a volume to be the home of a pod. One that is there and was made for that is success, whatever is in it. *pod.UnseenError when it is not known what became of it.
func (c *Containers) MakeHome(ctx context.Context, volume string, id pod.ID) error {
	if !boot.ValidPod(string(id)) {
		return fmt.Errorf("%q is no pod to make a home for", id)
	}
	labels := c.ourHomes()
	labels[LabelPod] = string(id)
	err := c.o.Engine.MakeVolume(ctx, volume, labels)
	if engine.KindOf(err) == engine.Conflict {
		return fmt.Errorf("the name %s belongs to a volume that was not made to be this pod's home: remove or rename it, or choose another name prefix: %w", volume, err)
	}
	return typed(err)
}

// RemoveHome removes a home and all that is in it; one that is not there is success. *workspace.VolumeInUseError while a container has it, *pod.UnseenError when it is not known what became of it.
//
// What an engine has made in the place of a home that was missing goes too: it carries our label. Any other volume of that name is somebody's: it stays, and is a *workspace.ForeignVolumeError.
func (c *Containers) RemoveHome(ctx context.Context, volume string) error {
	v, err := c.o.Engine.Volume(ctx, volume)
	switch {
	case engine.KindOf(err) == engine.NotFound:
		return nil
	case err != nil:
		return typed(err)
	case c.whose(v) == others:
		return &workspace.ForeignVolumeError{Volume: volume}
	}
	err = c.o.Engine.RemoveVolume(ctx, volume)
	if engine.KindOf(err) == engine.Conflict {
		return &workspace.VolumeInUseError{Volume: volume, Err: err}
	}
	return typed(err)
}

// HasHome says whether there is a volume of this name that RemoveHome would remove: a home, or an empty one that an engine made in its place. *workspace.ForeignVolumeError for any other, *pod.UnseenError when that cannot be seen.
func (c *Containers) HasHome(ctx context.Context, volume string) (bool, error) {
	v, err := c.o.Engine.Volume(ctx, volume)
	switch {
	case engine.KindOf(err) == engine.NotFound:
		return false, nil
	case err != nil:
		return false, typed(err)
	}
	if c.whose(v) == others {
		return false, &workspace.ForeignVolumeError{Volume: volume}
	}
	return true, nil
}

// Homes gives every home that this server has made, whether a pod has it or not. *pod.UnseenError when they cannot be seen.
func (c *Containers) Homes(ctx context.Context) ([]Home, error) {
	list, err := c.o.Engine.Volumes(ctx, c.ourHomes())
	if err != nil {
		return nil, typed(err)
	}
	homes := make([]Home, 0, len(list))
	for _, v := range list {
		homes = append(homes, Home{Volume: v.Name, Pod: pod.ID(v.Labels[LabelPod])})
	}
	return homes, nil
}

// ourHomes are the labels that every home of this server carries.
func (c *Containers) ourHomes() map[string]string {
	return map[string]string{LabelInstance: c.o.Instance, LabelHome: "1"}
}

// standIns are the labels of the volumes that an engine makes in the place of a home which is missing: so they are told from what somebody else has made under that name.
func (c *Containers) standIns() map[string]string {
	return map[string]string{LabelInstance: c.o.Instance, LabelStandIn: "1"}
}

// home gives where a pod's home is to be seen in its container; nil for one whose home is on the container's own disk.
func (c *Containers) home(id pod.ID) *engine.VolumeMount {
	if c.o.Home == nil {
		return nil
	}
	volume, ok := c.o.Home(id)
	if !ok {
		return nil
	}
	return &engine.VolumeMount{Name: volume, Target: boot.HomePath, Labels: c.standIns()}
}

// owner is whose a volume is, by its labels.
type owner int

const (
	ours    owner = iota // a home that this server made
	standIn              // what the engine made for a launch of this server because its home was missing
	others
)

// whose says whose a volume is; which pod it was made for does not matter.
func (c *Containers) whose(v engine.Volume) owner {
	switch {
	case carries(v, c.ourHomes()):
		return ours
	case carries(v, c.standIns()):
		return standIn
	}
	return others
}

func carries(v engine.Volume, labels map[string]string) bool {
	for k, want := range labels {
		if v.Labels[k] != want {
			return false
		}
	}
	return true
}

// lookHome looks whether a volume is a home of ours; a *HomeMissingError if not. Which pod it was made for does not matter: a home that was kept may be another pod's later.
func (c *Containers) lookHome(ctx context.Context, volume string) error {
	v, err := c.o.Engine.Volume(ctx, volume)
	switch {
	case engine.KindOf(err) == engine.NotFound:
		return &HomeMissingError{Volume: volume}
	case err != nil:
		return err
	case c.whose(v) != ours:
		return &HomeMissingError{Volume: volume, Other: true}
	}
	return nil
}

// removeEmpty removes the volume that the engine has made in the place of a home which was there when the launch began, if it has made one, also when the caller has given up meanwhile.
func (c *Containers) removeEmpty(ctx context.Context, home *engine.VolumeMount) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	v, err := c.o.Engine.Volume(ctx, home.Name)
	switch {
	case engine.KindOf(err) == engine.NotFound:
		return nil
	case err != nil:
		return err
	case c.whose(v) != standIn:
		return nil
	}
	c.log.Warn("removing the empty volume that the engine made in the place of a home", "volume", home.Name)
	return c.o.Engine.RemoveVolume(ctx, home.Name)
}
