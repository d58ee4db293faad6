package lockstep

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
)

// patience bounds every wait for what must happen, in a world that cannot tell that nothing moves any more.
const patience = time.Minute

// begins waits until a script has been begun that has not looked at the marker yet.
func (w *Simulated) begins(ctx context.Context, n int) error {
	for {
		w.mu.Lock()
		s, begun := w.scripts[n], w.begun
		w.mu.Unlock()
		if s != nil && s.fresh() {
			return nil
		}
		if err := wait(ctx, "the script", begun); err != nil {
			return err
		}
	}
}

func (s *script) fresh() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == podruntime.ScriptOn && !s.shut[s.start] && !s.shut[s.reply] // its server lives
}

// Take implements World.
func (w *Simulated) Take(ctx context.Context, action string, n int) error {
	if action == podruntime.BeginScript {
		return w.begins(ctx, n)
	}
	id, files, err := w.container(ctx, n)
	if err != nil {
		return err
	}
	w.mu.Lock()
	s, recipe := w.scripts[n], w.recipe
	w.mu.Unlock()
	switch action {
	case podruntime.ContainerDies:
		if !w.engine.Kill(id) {
			return fmt.Errorf("container %s has no process", id)
		}
		return nil
	case podruntime.MarkerRemoved:
		return files.Remove(boot.MarkerPath)
	}
	if s == nil {
		return fmt.Errorf("no script was begun in incarnation %d", n)
	}
	arrives, allowed := s.told, boot.Steps()
	switch action {
	case podruntime.ScriptFails:
		s.end()
		return wait(ctx, "the script's result", arrives)
	case podruntime.ScriptWorks:
		last := boot.StepUserScript
		if setupOf(files, recipe) == podruntime.SetupNone {
			last = boot.StepPackages
		}
		at := slices.Index(allowed, last) + 1
		arrives, allowed = s.arrived[allowed[at]], allowed[:at]
	}
	s.close(s.start)
	for _, name := range allowed {
		s.close(s.gates[name])
	}
	return wait(ctx, "the script's next step", arrives)
}

// wait waits for what must happen.
func wait(ctx context.Context, what string, happens <-chan struct{}) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-happens:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return fmt.Errorf("%s did not come in %s", what, patience)
	}
}

func (w *Simulated) container(ctx context.Context, n int) (engine.ID, files, error) {
	list, err := w.engine.List(ctx, map[string]string{container.LabelIncarnation: strconv.Itoa(n)})
	if err != nil {
		return "", nil, err
	}
	if len(list) != 1 {
		return "", nil, fmt.Errorf("the engine has %d containers of incarnation %d", len(list), n)
	}
	files, ok := w.engine.Files(list[0].ID)
	if !ok {
		return "", nil, fmt.Errorf("container %s is gone", list[0].ID)
	}
	return list[0].ID, files, nil
}

// Look implements World.
func (w *Simulated) Look(ctx context.Context) (map[int]podruntime.Container, error) {
	list, err := w.engine.List(ctx, nil)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[int]podruntime.Container, len(list))
	for _, c := range list {
		n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if err != nil {
			return nil, err
		}
		if _, twice := all[n]; twice {
			return nil, fmt.Errorf("two containers of incarnation %d", n)
		}
		all[n] = w.look(c, n)
	}
	return all, nil
}

// look is called with w.mu held.
func (w *Simulated) look(c engine.Container, n int) podruntime.Container {
	switch c.State {
	case engine.Running, engine.Paused, engine.Created:
	default:
		return podruntime.Container{Box: podruntime.BoxDead}
	}
	files, ok := w.engine.Files(c.ID)
	if !ok {
		return podruntime.Container{}
	}
	seen := podruntime.Container{Box: podruntime.BoxRunning, Setup: setupOf(files, w.recipe), Marker: markerOf(files, boot.Marker{
		Pod: podruntime.PodName, Incarnation: n, Recipe: w.recipe.Hash(),
	})}
	if c.State == engine.Created {
		seen.Box = podruntime.BoxCreated
		return seen
	}
	if s := w.scripts[n]; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		seen.Script = s.state
	}
	return seen
}

// files is a disk as it is looked at.
type files interface {
	Read(name string) ([]byte, error)
	Remove(name string) error
}

// setupOf says how much of what a recipe wants is there.
func setupOf(f files, recipe boot.Recipe) podruntime.Setup {
	has := func(name string) bool {
		_, err := f.Read(name)
		return err == nil
	}
	parts := 0
	for _, name := range []string{simprograms.Multiplexer, recipe.Repo.Dir + "/.git/HEAD", simprograms.Hook, simprograms.UserRuns} {
		if has(name) {
			parts++
		}
	}
	switch parts {
	case 0:
		return podruntime.SetupNone
	case 4:
		return podruntime.SetupAll
	}
	return podruntime.SetupPart
}

// markerOf says whose marker there is.
func markerOf(f files, want boot.Marker) podruntime.Marker {
	text, err := f.Read(boot.MarkerPath)
	if err != nil {
		return podruntime.MarkerNone
	}
	return markerIn(text, want)
}

// markerIn says whose marker it is.
func markerIn(text []byte, want boot.Marker) podruntime.Marker {
	m, err := boot.ParseMarker(text)
	switch {
	case err == nil && m == want:
		return podruntime.MarkerOwn
	case err == nil && m.Pod == want.Pod && m.Incarnation == want.Incarnation:
		return podruntime.MarkerEarlier
	}
	return podruntime.MarkerForeign
}
