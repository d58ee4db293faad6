package simulated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"podlife/runtime/engine"
)

// disk is files by their names: absolute and clean in a container's own, below the mount's target in a volume's.
type disk map[string][]byte

// volume is one volume, whoever has it.
type volume struct {
	info  engine.Volume
	files disk
}

// drive is a volume in a container.
type drive struct {
	target string
	volume *volume
}

var (
	errNoVolume    = errors.New("no such volume")
	errOtherVolume = errors.New("the name is taken by a volume without these labels")
	errFolder      = errors.New("a volume is there, which is a folder")
)

// MakeVolume makes a volume.
func (e *Engine) MakeVolume(ctx context.Context, name string, labels map[string]string) error {
	if err := engine.ValidateVolume(name); err != nil {
		return fail("makevolume", name, engine.Invalid, err)
	}
	return e.call(ctx, "makevolume", name, func() error {
		if v := e.volumes[name]; v != nil && !carries(v.info.Labels, labels) {
			return fail("makevolume", name, engine.Conflict, errOtherVolume)
		}
		e.volumeLocked(name, labels)
		return nil
	})
}

// Volume looks at one volume.
func (e *Engine) Volume(ctx context.Context, name string) (found engine.Volume, err error) {
	if err := engine.ValidateVolume(name); err != nil {
		return found, fail("volume", name, engine.Invalid, err)
	}
	err = e.call(ctx, "volume", name, func() error {
		v := e.volumes[name]
		if v == nil {
			return fail("volume", name, engine.NotFound, errNoVolume)
		}
		found = v.copy()
		return nil
	})
	return found, err
}

// Volumes gives the volumes with these labels in the order of their names.
func (e *Engine) Volumes(ctx context.Context, labels map[string]string) (found []engine.Volume, err error) {
	err = e.call(ctx, "volumes", "", func() error {
		for _, v := range e.volumes {
			if carries(v.info.Labels, labels) {
				found = append(found, v.copy())
			}
		}
		slices.SortFunc(found, func(a, b engine.Volume) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return found, err
}

// RemoveVolume removes a volume that no container has.
func (e *Engine) RemoveVolume(ctx context.Context, name string) error {
	if err := engine.ValidateVolume(name); err != nil {
		return fail("removevolume", name, engine.Invalid, err)
	}
	return e.call(ctx, "removevolume", name, func() error {
		for _, b := range e.boxes {
			if slices.ContainsFunc(b.drives, func(d drive) bool { return d.volume.info.Name == name }) {
				return fail("removevolume", name, engine.Conflict, fmt.Errorf("container %s has it", b.info.ID))
			}
		}
		delete(e.volumes, name)
		return nil
	})
}

// VolumeFiles gives a copy of a volume's files by their names below the volume, whoever has it; false if there is no such volume.
func (e *Engine) VolumeFiles(name string) (files map[string][]byte, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := e.volumes[name]
	if v == nil {
		return nil, false
	}
	files = map[string][]byte{}
	for at, data := range v.files {
		files[at] = slices.Clone(data)
	}
	return files, true
}

// volumeLocked gives a volume, which is made with these labels if it is not there.
func (e *Engine) volumeLocked(name string, labels map[string]string) *volume {
	v := e.volumes[name]
	if v == nil {
		v = &volume{info: engine.Volume{Name: name, Labels: maps.Clone(labels), Created: e.now()}, files: disk{}}
		e.volumes[name] = v
	}
	return v
}

// drivesLocked gives the volumes of a new container. One that is missing is made, and nobody is told: so does Docker.
func (e *Engine) drivesLocked(mounts []engine.VolumeMount) []drive {
	var drives []drive
	for _, m := range mounts {
		drives = append(drives, drive{target: m.Target, volume: e.volumeLocked(m.Name, m.Labels)})
	}
	return drives
}

func (v *volume) copy() engine.Volume {
	c := v.info
	c.Labels = maps.Clone(c.Labels)
	return c
}

// nearest gives the volume that a file of this name is on, by its index, or -1: then it is on the container's own disk.
func (b *box) nearest(name string) int {
	found, length := -1, 0
	for i, d := range b.drives {
		if len(d.target) > length && strings.HasPrefix(name, d.target+"/") {
			found, length = i, len(d.target)
		}
	}
	return found
}

// place gives the disk that a file of this name is on, and its name there.
func (b *box) place(name string) (on disk, at string) {
	i := b.nearest(name)
	if i < 0 {
		return b.files, name
	}
	d := b.drives[i]
	return d.volume.files, strings.TrimPrefix(name, d.target+"/")
}

// put creates or replaces a file.
func (b *box) put(name string, data []byte) error {
	if b.isTarget(name) {
		return errFolder
	}
	on, at := b.place(name)
	on[at] = data
	return nil
}

// isTarget says whether a volume is seen at this very name, which is a folder then.
func (b *box) isTarget(name string) bool {
	return slices.ContainsFunc(b.drives, func(d drive) bool { return d.target == name })
}

// names gives all file names as they are seen inside, in order. What a volume hides is not seen.
func (b *box) names() []string {
	var all []string
	seen := func(i int, full string) {
		if b.nearest(full) == i && !b.isTarget(full) {
			all = append(all, full)
		}
	}
	for name := range b.files {
		seen(-1, name)
	}
	for i, d := range b.drives {
		for name := range d.volume.files {
			seen(i, d.target+"/"+name)
		}
	}
	slices.Sort(all)
	return all
}
