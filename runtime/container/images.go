package container

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// imageFresh is for how long what the engine has said of an image is taken for true, and for how long it is not asked again for what it did not say.
const imageFresh = 5 * time.Second

// image is what a container is created from.
type image struct {
	reference string // as it was configured
	create    string // what the engine is told: of a reference with a digest the image's ID
}

// image gives the image of the pod's next container. One with a digest is compared with what the engine has, which is then asked for by its ID; for any other the engine is not asked.
func (c *Containers) image(ctx context.Context, id pod.ID) (image, error) {
	reference := c.o.Image
	if c.o.PodImage != nil {
		reference = cmp.Or(c.o.PodImage(id), reference)
	}
	if !strings.Contains(reference, "@") {
		return image{reference, reference}, nil
	}
	found, err := c.o.Engine.Image(ctx, reference)
	return image{reference, found.ID}, err
}

// ImagesOf says from which images these containers were made; those of which the engine does not say it now are left out. It asks the engine for one list at most, and for none where all of them are known: the image of a container does not change.
func (c *Containers) ImagesOf(ctx context.Context, containers []pod.ContainerID) map[pod.ContainerID]pod.Image {
	return c.images.of(ctx, containers)
}

// ImageID gives the ID of the image to which a reference leads, as of at most 5 s ago; "" where there is none, or the engine does not say.
func (c *Containers) ImageID(ctx context.Context, reference string) string {
	return c.images.id(ctx, reference)
}

// images is what is known of images. The engine is asked for one thing at a time, without mu.
type images struct {
	engine engine.Engine
	ours   map[string]string // the labels of this server's containers
	asking chan struct{}     // has room for the one who asks

	mu      sync.Mutex // guards the following
	running map[pod.ContainerID]pod.Image
	vain    time.Time // when a list was asked for last that did not help
	ids     map[string]imageID
}

type imageID struct {
	id    string // "" for none
	asked time.Time
}

func newImages(e engine.Engine, ours map[string]string) *images {
	return &images{engine: e, ours: ours, asking: make(chan struct{}, 1), running: map[pod.ContainerID]pod.Image{}, ids: map[string]imageID{}}
}

// note keeps what a list of all containers says, and nothing else.
func (i *images) note(list []engine.Container) {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.running)
	for _, e := range list {
		i.running[pod.ContainerID(e.ID)] = pod.Image{Reference: cmp.Or(e.Labels[LabelImage], e.Image), ID: e.ImageID}
	}
}

// ask waits until nobody else asks the engine; false when the context ends before.
func (i *images) ask(ctx context.Context) (done func(), ok bool) {
	select {
	case i.asking <- struct{}{}:
		return func() { <-i.asking }, true
	case <-ctx.Done():
		return nil, false
	}
}

func (i *images) of(ctx context.Context, containers []pod.ContainerID) map[pod.ContainerID]pod.Image {
	known, all := i.known(containers)
	if all {
		return known
	}
	done, ok := i.ask(ctx)
	if !ok {
		return known
	}
	defer done()
	if known, all = i.known(containers); all || !i.mayList() {
		return known
	}
	if list, err := i.engine.List(ctx, i.ours); err == nil {
		i.note(list)
	}
	if known, all = i.known(containers); !all {
		i.inVain()
	}
	return known
}

// known gives what is known already, and whether that is all.
func (i *images) known(containers []pod.ContainerID) (known map[pod.ContainerID]pod.Image, all bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	known = make(map[pod.ContainerID]pod.Image, len(containers))
	for _, c := range containers {
		if image, ok := i.running[c]; ok {
			known[c] = image
		}
	}
	return known, len(known) == len(containers)
}

// mayList says whether the engine may be asked for a list: a list that did not help is followed by none for a second.
func (i *images) mayList() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return time.Since(i.vain) >= time.Second
}

func (i *images) inVain() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.vain = time.Now()
}

func (i *images) id(ctx context.Context, reference string) string {
	if id, fresh := i.freshID(reference); fresh {
		return id
	}
	done, ok := i.ask(ctx)
	if !ok {
		return ""
	}
	defer done()
	if id, fresh := i.freshID(reference); fresh {
		return id
	}
	found, err := i.engine.Image(ctx, reference)
	if err != nil && ctx.Err() != nil {
		return "" // it was not the engine that said nothing
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ids[reference] = imageID{found.ID, time.Now()}
	return found.ID
}

func (i *images) freshID(reference string) (id string, fresh bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	k, ok := i.ids[reference]
	return k.id, ok && time.Since(k.asked) < imageFresh
}
