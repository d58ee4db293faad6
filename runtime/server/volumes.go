package server

import (
	"net/http"
	"time"
)

// volumeAnswer is a volume that was kept when its pod was deleted.
type volumeAnswer struct {
	Volume string    `json:"volume"`
	Pod    string    `json:"pod"` // the name of the pod whose home it was
	KeptAt time.Time `json:"kept_at"`
}

// listVolumes gives the volumes that are kept for the caller.
func (s *Server) listVolumes(w http.ResponseWriter, _ *http.Request, p usersPod) {
	answer := struct {
		Volumes []volumeAnswer `json:"volumes"`
	}{[]volumeAnswer{}}
	for _, k := range s.o.Catalogue.Kept(p.owner) {
		answer.Volumes = append(answer.Volumes, volumeAnswer{k.Volume, k.Pod, k.KeptAt.UTC()})
	}
	s.reply(w, answer)
}

// deleteVolume removes a volume that is kept for the caller, with all that is in it.
func (s *Server) deleteVolume(w http.ResponseWriter, r *http.Request, p usersPod) {
	if err := decode(w, r, &struct{}{}); err != nil {
		s.fail(w, err)
		return
	}
	if err := s.o.Catalogue.RemoveKept(r.Context(), p.owner, r.PathValue("volume")); err != nil {
		s.fail(w, s.stoppingOr(err))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
