package docker

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/image"

	"podlife/runtime/engine"
)

var errOtherDigest = errors.New("the engine has no image of this name with this digest")

// Image looks at the image to which a reference leads now. The daemon finds a digest only where an image was pushed or pulled with it; an image that was built here has its ID, which is looked for too, and then its name is compared.
func (e *Engine) Image(ctx context.Context, reference string) (engine.Image, error) {
	found, err := e.cli.ImageInspect(ctx, reference)
	if err == nil {
		return engine.Image{ID: found.ID, Digests: found.RepoDigests}, nil
	}
	kind := kindOf(ctx, err)
	name, digest, pinned := strings.Cut(reference, "@")
	if kind == engine.NotFound && pinned {
		if found, err = e.cli.ImageInspect(ctx, digest); err == nil && !named(found, repository(name)) {
			return engine.Image{}, fail("image", reference, engine.ImageMissing, errOtherDigest)
		}
		kind = kindOf(ctx, err)
	}
	switch {
	case err == nil:
		return engine.Image{ID: found.ID, Digests: found.RepoDigests}, nil
	case kind == engine.NotFound:
		kind = engine.ImageMissing
	}
	return engine.Image{}, fail("image", reference, kind, err)
}

// named says whether an image has a tag or a digest of a repository.
func named(i image.InspectResponse, name string) bool {
	return slices.ContainsFunc(slices.Concat(i.RepoTags, i.RepoDigests), func(r string) bool { return repository(r) == name })
}

// repository is a reference without its tag and its digest.
func repository(reference string) string {
	reference, _, _ = strings.Cut(reference, "@")
	if i := strings.LastIndexByte(reference, ':'); i > strings.LastIndexByte(reference, '/') {
		return reference[:i]
	}
	return reference
}
