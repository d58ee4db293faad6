package container_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

func TestAPodsOwnImageIsThatOfItsNextContainer(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		own := map[pod.ID]string{}
		s.options.PodImage = func(id pod.ID) string { return own[id] }
		s.Containers = s.another("sim")
		stock := s.launch(first)
		own["alice"] = "other"
		other := s.launch(second)
		got := s.ImagesOf(t.Context(), []pod.ContainerID{stock, other})
		if got[stock].Reference != "stock" || got[stock].ID != s.ImageID(t.Context(), "stock") || got[other].Reference != "other" || got[other].ID != s.ImageID(t.Context(), "other") || got[stock].ID == got[other].ID {
			t.Errorf("%+v", got)
		}
	})
}

// A reference with a digest is compared with what the engine has, and the container is made of that image whatever the name leads to.
func TestAPinnedImageIsAskedForByItsID(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		pinned := "stock@sha256:" + strings.Repeat("a", 64)
		s.options.Image = pinned
		s.Containers = s.another("sim")
		id := s.launch(first)
		spec, _ := s.engine.Spec(engine.ID(id))
		if got := s.ImagesOf(t.Context(), []pod.ContainerID{id})[id]; spec.Image != s.ImageID(t.Context(), pinned) || got.Reference != pinned || got.ID != spec.Image {
			t.Errorf("made of %s, and told %+v", spec.Image, got)
		}
		s.engine.FailNext("image", &engine.Error{Op: "image", Kind: engine.ImageMissing, Err: errors.New("another digest")})
		_, err := s.Launch(t.Context(), second)
		var failed *pod.BootError
		if !errors.As(err, &failed) || failed.Step != "start" || !strings.Contains(err.Error(), "another digest") {
			t.Errorf("%v", err)
		}
		s.engine.FailNext("image", &engine.Error{Op: "image", Kind: engine.Unavailable, Err: errors.New("away")})
		_, err = s.Launch(t.Context(), second)
		if unseen := new(pod.UnseenError); !errors.As(err, &unseen) {
			t.Errorf("%v", err)
		}
	})
}

// However many ask for however many containers, the engine is asked for one list, and for each reference every few seconds.
func TestTheEngineIsAskedLittleForImages(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, s *sim) {
		all := []pod.ContainerID{s.launch(first), s.launch(second)}
		lists, images := s.engine.Calls("list"), s.engine.Calls("image")
		for range 50 {
			if got := s.ImagesOf(t.Context(), all); len(got) != 2 || s.ImageID(t.Context(), "stock") == "" {
				t.Fatalf("%+v", got)
			}
		}
		if l, i := s.engine.Calls("list")-lists, s.engine.Calls("image")-images; l != 1 || i != 1 {
			t.Errorf("%d lists and %d images were asked for", l, i)
		}
		s.engine.Tag("newer", "stock")
		time.Sleep(6 * time.Second)
		if got := s.ImageID(t.Context(), "stock"); got != s.ImageID(t.Context(), "newer") || s.ImagesOf(t.Context(), all)[all[0]].ID == got {
			t.Errorf("after the tag was moved it leads to %s", got)
		}
		if l := s.engine.Calls("list") - lists; l != 1 {
			t.Errorf("%d lists were asked for", l)
		}
		// What the engine does not know, or cannot say, is not asked for again at once.
		s.engine.Unavailable(true)
		time.Sleep(6 * time.Second)
		lists, images = s.engine.Calls("list"), s.engine.Calls("image")
		for range 50 {
			if got := s.ImagesOf(t.Context(), append(all, "unknown")); !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(slices.Values(all))) || s.ImageID(t.Context(), "stock") != "" {
				t.Fatalf("%+v", got)
			}
		}
		if l, i := s.engine.Calls("list")-lists, s.engine.Calls("image")-images; l != 1 || i != 1 {
			t.Errorf("with an engine that is away %d lists and %d images were asked for", l, i)
		}
		s.engine.Unavailable(false)
	})
}
