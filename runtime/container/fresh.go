package container

import (
	"sync"

	"podlife/runtime/pod"
)

// freshSet is the containers that this process launched and that no boot of it has finished in: nobody but the boot has been inside. Only such a container is sent the credentials of the clone. Later
// boots, which find everything there or repair it, run while users have shells in the container, and a user is root there.
type freshSet struct {
	mu  sync.Mutex // guards the following
	ids map[pod.ContainerID]struct{}
}

func (s *freshSet) add(id pod.ContainerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[pod.ContainerID]struct{}{}
	}
	s.ids[id] = struct{}{}
}

func (s *freshSet) forget(id pod.ContainerID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, id)
}

func (s *freshSet) has(id pod.ContainerID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.ids[id]
	return ok
}
