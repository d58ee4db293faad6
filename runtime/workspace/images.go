package workspace

import (
	"context"
	"slices"

	"podlife/runtime/pod"
)

// Images says what is known of images. Implemented by runtime/container. A call asks the engine for little, or for nothing, and what it cannot be told it leaves out.
type Images interface {
	// ImagesOf says from which images containers were made.
	ImagesOf(ctx context.Context, containers []pod.ContainerID) map[pod.ContainerID]pod.Image
	// ImageID gives the ID of the image to which a reference leads; "" where that is not known, or there is none.
	ImageID(ctx context.Context, reference string) string
}

// Running is the image that a pod runs.
type Running struct {
	Image    pod.Image // the zero value: there is no container, or it is not known what it was made from
	Outdated bool      // the next start would use another image, because the reference leads elsewhere by now, or the pod or the server has another one
}

// AllowedImages gives the references that a pod may have of its own, that of the server among them.
func (c *Catalogue) AllowedImages() []string {
	if len(c.o.AllowedImages) == 0 {
		return []string{c.o.Image}
	}
	return slices.Clone(c.o.AllowedImages)
}

// DefaultImage gives the reference of the image of every pod that has none of its own.
func (c *Catalogue) DefaultImage() string { return c.o.Image }

// checkImage is an *ImageError for an image that a pod cannot have; "" is the server's own, and always right.
func (c *Catalogue) checkImage(image string) error {
	if allowed := c.AllowedImages(); image != "" && !slices.Contains(allowed, image) {
		return &ImageError{image, allowed}
	}
	return nil
}

// PodImage gives the reference of a pod's own image, for whoever makes its containers; "" for none.
func (c *Catalogue) PodImage(id pod.ID) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byID[id]; e != nil {
		return e.rec.Image
	}
	return ""
}

// Running says which images these pods run, in their order. It wakes nothing, and asks the engine for one list of containers at most, and once for each reference.
func (c *Catalogue) Running(ctx context.Context, pods ...Info) []Running {
	all := make([]Running, len(pods))
	var containers []pod.ContainerID
	for _, i := range pods {
		if i.Status.Container != "" {
			containers = append(containers, i.Status.Container)
		}
	}
	if len(containers) == 0 || c.o.Engine == nil {
		return all
	}
	known := c.o.Engine.ImagesOf(ctx, containers)
	for n, i := range pods {
		if image, ok := known[i.Status.Container]; ok {
			all[n] = Running{image, c.outdated(ctx, image, i.Image)}
		}
	}
	return all
}

// outdated says whether another image than this one is to be used next. Where it is not known to which image the next reference leads, another reference is another image.
func (c *Catalogue) outdated(ctx context.Context, runs pod.Image, next string) bool {
	if id := c.o.Engine.ImageID(ctx, next); id != "" && runs.ID != "" {
		return id != runs.ID
	}
	return runs.Reference != next
}
