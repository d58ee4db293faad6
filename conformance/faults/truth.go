package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"podlife/model"
	"podlife/model/podruntime"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// maxProblems bounds what is kept of what was found wrong: the first matter.
const maxProblems = 20

// historyKept is for how many incarnations the shadow keeps the model's history.
const historyKept = 16

// Truth follows every committed step of every server of a machine through a table of its own, and after each looks into the engine: the invariants are evaluated on the containers as they are, with
// the setup and the marker that are really in them, and on the records that are really stored.
type Truth struct {
	m     *Machine
	table model.Table[podruntime.Local]

	mu       sync.Mutex // guards the following
	recipe   boot.Recipe
	recipes  []boot.Recipe // every one so far
	pods     map[pod.ID]*shadow
	problems []string
	actions  map[string]int
}

// shadow is one pod.
type shadow struct {
	state  podruntime.Pod // as the steps make it
	tabs   map[pod.ClientID]podruntime.Client
	stored podruntime.Record
	whole  map[int]bool // incarnations whose setup was seen to be complete
	lives  map[int]int  // the life of the server in which an incarnation's container was made
	last   pod.Step
	astray bool // a step was refused: until the next start nothing more can be said of it

	// marked are the incarnations whose container had a marker already when the newest server started, before that server could look.
	marked map[int]bool

	explanation explanation
}

func newTruth(m *Machine) *Truth {
	return &Truth{
		m: m, table: podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt}),
		pods: map[pod.ID]*shadow{}, actions: map[string]int{},
	}
}

// Problems gives the first things that were found wrong.
func (t *Truth) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.problems)
}

// TakeProblems gives what was found wrong since it was called last, at most maxProblems.
func (t *Truth) TakeProblems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.problems
	t.problems = nil
	return taken
}

// Actions counts the committed steps by action.
func (t *Truth) Actions() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.actions)
}

// Stored is what the store holds of a pod.
func (t *Truth) Stored(id pod.ID) podruntime.Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pod(id).stored
}

// Highest is the highest number that a container was made for, or that was stored.
func (t *Truth) Highest(id pod.ID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.pod(id)
	highest := s.stored.Inc
	for n := range s.lives {
		highest = max(highest, n)
	}
	return highest
}

// Last is the newest step of a pod.
func (t *Truth) Last(id pod.ID) pod.Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pod(id).last
}

// problemf notes something wrong. t.mu is held.
func (t *Truth) problemf(format string, args ...any) {
	if len(t.problems) < maxProblems {
		t.problems = append(t.problems, fmt.Sprintf(format, args...))
	}
}

// pod gives the shadow of a pod. t.mu is held.
func (t *Truth) pod(id pod.ID) *shadow {
	if t.pods[id] == nil {
		t.pods[id] = &shadow{tabs: map[pod.ClientID]podruntime.Client{}, whole: map[int]bool{}, lives: map[int]int{}, marked: map[int]bool{}, explanation: newExplanation()}
	}
	return t.pods[id]
}

// starts is the start of a server, which knows nothing of what the one before knew: PodRuntime.Crash.
func (t *Truth) starts(recipe boot.Recipe) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.recipes, func(r boot.Recipe) bool { return r.Hash() == recipe.Hash() }) {
		t.recipes = append(t.recipes, recipe)
	}
	for id, s := range t.pods {
		s.astray = false
		clear(s.marked)
		if boxes, err := t.boxes(id); err == nil {
			for n, box := range boxes {
				s.marked[n] = box.Marker != podruntime.MarkerNone
			}
		}
		if s.stored == (podruntime.Record{}) && len(s.lives) == 0 {
			s.state = podruntime.Pod{}
		} else {
			s.state = podruntime.Pod{Ctr: podruntime.Unknown, Store: s.stored, Crashes: s.state.Crashes + 1}
		}
		clear(s.tabs)
	}
	t.recipe = recipe
}

func (t *Truth) saved(r pod.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.pod(r.Pod)
	if r.Inc < s.stored.Inc {
		t.problemf("pod %s: the number %d is stored after %d", r.Pod, r.Inc, s.stored.Inc)
	}
	s.stored = podruntime.Record{Inc: r.Inc, Awake: r.Awake}
}

// created notes whose number a new container carries. No two servers give the same one, and none is given that is not stored.
func (t *Truth) created(labels map[string]string, life int) {
	n, err := strconv.Atoi(labels[container.LabelIncarnation])
	id := pod.ID(labels[container.LabelPod])
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.pod(id)
	switch before, used := s.lives[n]; {
	case err != nil:
		t.problemf("pod %s: a container without a number", id)
	case used && before != life:
		t.problemf("pod %s: the number %d was given by two servers", id, n)
	case s.stored.Inc < n:
		t.problemf("pod %s: a container of incarnation %d, and only %d is stored", id, n, s.stored.Inc)
	}
	s.lives[n] = life
}

// step takes a step that a server has committed.
func (t *Truth) step(step pod.Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.pod(step.Pod)
	s.last = step
	t.actions[step.Action]++
	t.explain(s, step)
	if s.astray {
		return
	}
	if step.Action == podruntime.RecoverReady || step.Action == podruntime.RecoverAsleep {
		boxes, err := t.boxes(step.Pod)
		if err != nil {
			return // nothing can be seen now, so nothing can be said
		}
		s.state.Incs = nil
		for n, box := range boxes {
			if box.Marker == podruntime.MarkerEarlier {
				box.Setup = podruntime.SetupPart // as the specification has it; that all is there by luck, nobody can know
			}
			if step.Action == podruntime.RecoverAsleep && !s.marked[n] {
				// A script goes on for a moment when its server has died. What it has written since this one has looked came after the step.
				box.Marker = podruntime.MarkerNone
			}
			s.state = s.state.With(n, podruntime.Inner{Box: box, Done: s.whole[n]})
		}
	}
	after, err := t.table.Take(step.Action, podruntime.Local{Pod: s.state, Client: s.tabs[step.Client], Tabs: slices.Collect(maps.Values(s.tabs)), N: step.Inc})
	if err != nil {
		t.problemf("pod %s, step %d: %v; it was %+v", step.Pod, step.Seq, err, s.state)
		s.astray = true
		return
	}
	s.state = after.Pod.ForgetHistory(after.Pod.Inc - historyKept)
	if step.Client != "" {
		s.tabs[step.Client] = after.Client
	}
	t.judge(step.Pod, fmt.Sprintf("after step %d, %s(%s %d) for %s", step.Seq, step.Action, step.Client, step.Inc, step.Cause))
}

// judge evaluates every invariant on what is the case. t.mu is held.
func (t *Truth) judge(id pod.ID, when string) {
	s := t.pod(id)
	boxes, err := t.boxes(id)
	if err != nil {
		return // nothing can be seen now, so nothing can be said
	}
	state := s.state
	state.Store = s.stored
	for _, broken := range brokenBy(t.table, state, slices.Collect(maps.Values(s.tabs)), boxes, s.whole) {
		t.problemf("pod %s, %s: %s", id, when, broken)
	}
}

// brokenBy evaluates every invariant on a state with the truth put in: boxes are the containers as they are, and whole the incarnations whose setup was seen to be complete, to which those are added
// that are so now.
func brokenBy(table model.Table[podruntime.Local], state podruntime.Pod, tabs []podruntime.Client, boxes map[int]podruntime.Container, whole map[int]bool) (broken []string) {
	for _, i := range state.Incs {
		if _, is := boxes[i.N]; !is {
			boxes[i.N] = podruntime.Container{}
		}
	}
	for _, c := range tabs {
		if _, is := boxes[c.BootInc]; !is {
			boxes[c.BootInc] = podruntime.Container{}
		}
	}
	for n, box := range boxes {
		i := state.At(n).Inner
		box.Script = i.Box.Script
		if box.Setup == podruntime.SetupAll || box.Box != podruntime.BoxRunning && i.Done {
			whole[n] = true // what is gone cannot be looked into
		}
		i.Box, i.Done = box, whole[n]
		state = state.With(n, i)
	}
	if len(tabs) == 0 {
		tabs = []podruntime.Client{{}}
	}
	for _, c := range tabs {
		for _, inv := range table.Invariants {
			if !inv.Holds(podruntime.Local{Pod: state, Client: c, Tabs: tabs}) {
				broken = append(broken, fmt.Sprintf("%s is broken: %+v, client %+v", inv.Name, state, c))
			}
		}
	}
	return broken
}

// boxes looks at every container that the engine has of a pod. t.mu is held.
func (t *Truth) boxes(id pod.ID) (map[int]podruntime.Container, error) {
	list, err := t.m.Engine.List(context.Background(), map[string]string{container.LabelInstance: instance, container.LabelPod: string(id)})
	if err != nil {
		return nil, err
	}
	boxes := map[int]podruntime.Container{}
	for _, c := range list {
		n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
		if err != nil {
			return nil, err
		}
		if _, twice := boxes[n]; twice {
			t.problemf("pod %s: two containers of incarnation %d", id, n)
		}
		files, ok := t.m.Engine.Files(c.ID)
		if !ok {
			continue // removed since
		}
		boxes[n] = look(c, files, t.recipe, id, n)
		for _, r := range t.recipes {
			// What an earlier recipe has made complete was complete, whatever the newest finds missing.
			if alive(boxes[n]) && !slices.Contains(parts(files, r), false) {
				t.pod(id).whole[n] = true
			}
		}
	}
	return boxes, nil
}

// boxStates says what a container is, by its state on the engine.
func boxStates() map[engine.State]podruntime.Box {
	return map[engine.State]podruntime.Box{
		engine.Created: podruntime.BoxCreated, engine.Running: podruntime.BoxRunning, engine.Paused: podruntime.BoxRunning,
		engine.Exited: podruntime.BoxDead, engine.Removing: podruntime.BoxNone,
	}
}

// alive says whether a container has a disk that can be looked at.
func alive(box podruntime.Container) bool {
	return box.Box == podruntime.BoxRunning || box.Box == podruntime.BoxCreated
}

// parts says of each thing that a recipe sets up whether it is there.
func parts(files *simulated.Files, recipe boot.Recipe) []bool {
	has := func(name string) bool {
		_, err := files.Read(name)
		return !errors.Is(err, fs.ErrNotExist)
	}
	return []bool{has(simprograms.Multiplexer), has(recipe.Repo.Dir + "/.git/HEAD"), has(simprograms.Hook), has(simprograms.UserRuns)}
}

// look says what one container really is.
func look(c engine.Container, files *simulated.Files, recipe boot.Recipe, id pod.ID, n int) podruntime.Container {
	box := podruntime.Container{Box: boxStates()[c.State]}
	if !alive(box) {
		return box
	}
	text, err := files.Read(boot.MarkerPath) // first: what the script does between two looks makes what comes later more, and not less
	switch parts := parts(files, recipe); {
	case !slices.Contains(parts, false):
		box.Setup = podruntime.SetupAll
	case slices.Contains(parts, true):
		box.Setup = podruntime.SetupPart
	}
	if err != nil {
		return box
	}
	box.Marker = podruntime.MarkerForeign
	if m, err := boot.ParseMarker(text); err == nil && m.Pod == string(id) && m.Incarnation == n {
		box.Marker = podruntime.MarkerEarlier
		if m.Recipe == recipe.Hash() {
			box.Marker = podruntime.MarkerOwn
		}
	}
	return box
}
