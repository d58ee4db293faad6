package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/docker/docker/api/types/volume"

	"podlife/runtime/engine"
)

// errOtherVolume is for a volume that has a name that was asked for, and is another's.
var errOtherVolume = errors.New("the name is taken by a volume without these labels")

// MakeVolume makes a volume on the daemon's own disk. The daemon says that it made one also where one of that name is there, whatever its labels are; so it is looked at afterwards.
func (e *Engine) MakeVolume(ctx context.Context, name string, labels map[string]string) error {
	if err := engine.ValidateVolume(name); err != nil {
		return fail("makevolume", name, engine.Invalid, err)
	}
	if _, err := e.cli.VolumeCreate(ctx, volume.CreateOptions{Name: name, Driver: "local", Labels: labels}); err != nil {
		return fail("makevolume", name, kindOf(ctx, err), err)
	}
	v, err := e.cli.VolumeInspect(ctx, name)
	switch kind := kindOf(ctx, err); {
	case kind == engine.NotFound:
		return fail("makevolume", name, engine.Failed, fmt.Errorf("somebody removed it at once: %w", err))
	case err != nil:
		return fail("makevolume", name, kind, err)
	}
	for k, want := range labels {
		if got, has := v.Labels[k]; !has || got != want {
			return fail("makevolume", name, engine.Conflict, errOtherVolume)
		}
	}
	return nil
}

// Volume looks at one volume.
func (e *Engine) Volume(ctx context.Context, name string) (engine.Volume, error) {
	if err := engine.ValidateVolume(name); err != nil {
		return engine.Volume{}, fail("volume", name, engine.Invalid, err)
	}
	v, err := e.cli.VolumeInspect(ctx, name)
	if err != nil {
		return engine.Volume{}, fail("volume", name, kindOf(ctx, err), err)
	}
	return volumeOf(v), nil
}

// Volumes gives all volumes with these labels.
func (e *Engine) Volumes(ctx context.Context, labels map[string]string) ([]engine.Volume, error) {
	list, err := e.cli.VolumeList(ctx, volume.ListOptions{Filters: labelFilter(labels)})
	if err != nil {
		return nil, fail("volumes", "", kindOf(ctx, err), err)
	}
	out := make([]engine.Volume, 0, len(list.Volumes))
	for _, v := range list.Volumes {
		out = append(out, volumeOf(*v))
	}
	return out, nil
}

// RemoveVolume removes a volume. The daemon refuses to remove one that a container has, and is not asked to do it all the same.
func (e *Engine) RemoveVolume(ctx context.Context, name string) error {
	if err := engine.ValidateVolume(name); err != nil {
		return fail("removevolume", name, engine.Invalid, err)
	}
	err := e.cli.VolumeRemove(ctx, name, false)
	if kind := kindOf(ctx, err); err != nil && kind != engine.NotFound {
		return fail("removevolume", name, kind, err)
	}
	return nil
}

func volumeOf(v volume.Volume) engine.Volume {
	created, _ := time.Parse(time.RFC3339Nano, v.CreatedAt) // informative only: zero when the daemon writes it otherwise
	return engine.Volume{Name: v.Name, Labels: maps.Clone(v.Labels), Created: created}
}
