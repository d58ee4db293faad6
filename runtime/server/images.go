package server

import (
	"context"
	"net/http"
	"time"

	"podlife/runtime/workspace"
)

// imageTime is how long a call that reads waits for what the engine says of images; it then answers without.
const imageTime = 2 * time.Second

// imagesAnswer is what there is to know of a pod's images.
type imagesAnswer struct {
	Image    string        `json:"image"` // of the next start
	Runs     *runningImage `json:"running_image,omitempty"`
	Outdated bool          `json:"outdated,omitempty"`
}

// runningImage is the image that a container was made from.
type runningImage struct {
	Reference string `json:"reference"`
	ID        string `json:"id"`
}

func imagesAnswerOf(i workspace.Info, runs workspace.Running) imagesAnswer {
	a := imagesAnswer{Image: i.Image, Outdated: runs.Outdated}
	if runs.Image.ID != "" {
		a.Runs = &runningImage{runs.Image.Reference, runs.Image.ID}
	}
	return a
}

// running says which images pods run, as far as that can be told soon.
func (s *Server) running(ctx context.Context, pods ...workspace.Info) []workspace.Running {
	ctx, cancel := context.WithTimeout(ctx, imageTime)
	defer cancel()
	return s.o.Catalogue.Running(ctx, pods...)
}

// images says which images a pod may have.
func (s *Server) images(w http.ResponseWriter, _ *http.Request, _ usersPod) {
	s.reply(w, struct {
		Default string   `json:"default"`
		Images  []string `json:"images"`
	}{s.o.Catalogue.DefaultImage(), s.o.Catalogue.AllowedImages()})
}
