package trial

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// judge follows the committed steps of every pod by the table that ships, and holds the invariants against the truth after each.
type judge struct {
	m        *machine
	table    model.Table[podruntime.Local]
	contract podruntime.Contract

	mu       sync.Mutex // guards the following
	pods     map[pod.ID]*followed
	findings []Finding
	err      error // that the truth could not be seen
}

// followed is what is known of one pod.
type followed struct {
	state   podruntime.Pod // as the committed steps make it, by the effects of the table that ships
	outside podlifecycle.Pod
	tabs    map[pod.ClientID]podruntime.Client

	// History of the truth, across crashes.
	done    map[int]bool               // incarnations that were seen to have all
	ids     map[int]map[engine.ID]bool // the containers that were seen under each number
	settled int                        // the highest incarnation that a caller of destroy was told is gone
}

func newJudge(m *machine) *judge {
	return &judge{
		m: m, table: podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt}), contract: podruntime.NewContract(), pods: map[pod.ID]*followed{},
	}
}

// of gives what is known of a pod. j.mu is held.
func (j *judge) of(id pod.ID) *followed {
	f := j.pods[id]
	if f == nil {
		f = &followed{tabs: map[pod.ClientID]podruntime.Client{}, done: map[int]bool{}, ids: map[int]map[engine.ID]bool{}}
		j.pods[id] = f
	}
	return f
}

// broken notes that something is wrong, the first time that this is.
func (j *judge) broken(by, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.note(by, format, args...)
}

// note is broken with j.mu held.
func (j *judge) note(by, format string, args ...any) {
	if !slices.ContainsFunc(j.findings, func(f Finding) bool { return f.By == by }) {
		j.findings = append(j.findings, Finding{By: by, Detail: fmt.Sprintf(format, args...)})
	}
}

func (j *judge) found() []Finding {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Finding{}, j.findings...)
}

// step takes a committed step. It is called under the lock of its pod.
func (j *judge) step(s pod.Step) {
	containers, err := j.m.look()
	record, serr := j.m.stored(s.Pod)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil || serr != nil {
		j.err = fmt.Errorf("look: %w, %w", err, serr)
		return
	}
	f := j.of(s.Pod)
	truth := f.remember(s.Pod, containers)
	before := podruntime.Local{Pod: f.state, Client: f.tabs[s.Client], Tabs: slices.Collect(maps.Values(f.tabs)), N: s.Inc}
	action, err := j.table.Action(s.Action)
	if err != nil {
		j.note(ByTable, "%v", err)
		return
	}
	name := fmt.Sprintf("%s(%s %d) of %s", s.Action, s.Client, s.Inc, s.Pod)
	if !action.Enabled(before) {
		j.note(ByTable, "%s was committed, and the table that ships refuses it", name)
	}
	after := action.Effect(before)
	j.aboutStep(name, s.Action, f, before, after, truth)
	f.outside = after.Pod.Outside(f.outside)
	f.state = after.Pod
	if s.Client != "" {
		f.tabs[s.Client] = after.Client
	}
	j.invariants(name, f, truth, record)
}

// remember takes over what is seen, and gives this pod's containers by incarnation.
func (f *followed) remember(id pod.ID, containers []seen) map[int]podruntime.Container {
	truth := map[int]podruntime.Container{}
	for _, c := range containers {
		if c.pod != id {
			continue
		}
		truth[c.inc] = c.box
		if f.ids[c.inc] == nil {
			f.ids[c.inc] = map[engine.ID]bool{}
		}
		f.ids[c.inc][c.id] = true
		if c.box.Setup == podruntime.SetupAll {
			f.done[c.inc] = true
		}
	}
	return truth
}

// aboutStep judges the properties that are about two states. j.mu is held.
func (j *judge) aboutStep(name, action string, f *followed, before, after podruntime.Local, truth map[int]podruntime.Container) {
	was, is := podruntime.Project(before, f.outside), podruntime.Project(after, f.outside)
	if before.Pod.Ctr == podruntime.Unknown && after.Pod.Ctr != podruntime.Unknown && before.Client == after.Client {
		// What a start of the server finds out may be the end of a boot from before, or a sleep; it is no wake, and nothing else.
		sleeps := is.Pod.Ctr == podlifecycle.Asleep && is.Pod.Inc == was.Pod.Inc
		finishes := was.Pod.Ctr == podlifecycle.Provisioning && is.Pod.Ctr == podlifecycle.Ready && is.Pod.Inc == was.Pod.Inc
		if was != is && !sleeps && !finishes {
			j.note(Refines, "%s: the start of the server made %s %d of %s %d", name, is.Pod.Ctr, is.Pod.Inc, was.Pod.Ctr, was.Pod.Inc)
		}
	} else if _, err := j.contract.Action(was, is); err != nil {
		j.note(Refines, "%s: %v", name, err)
	}
	fell := before.Pod.Ctr != podruntime.Asleep && after.Pod.Ctr == podruntime.Asleep
	if fell && (after.Pod.Why == podruntime.WhyLost || after.Pod.Why == podruntime.WhyFailed) {
		box := truth[before.Pod.Store.Inc]
		lives := before.Pod.Store.Awake && box.Box == podruntime.BoxRunning && box.Marker == podruntime.MarkerOwn
		if lives || after.Pod.Why == podruntime.WhyFailed && before.Pod.Ctr == podruntime.Ready {
			j.note(ReadyIsKept, "%s: the pod was %s, its container is %s with the marker %s, and it is asleep", name, before.Pod.Ctr, box.Box, box.Marker)
		}
	}
	opens := action == podruntime.AttachReady || action == podruntime.AttachAgain
	if opens && (after.Client.Term.Inc != before.Pod.Inc || before.Pod.Ctr != podruntime.Ready) {
		j.note(AttachIsCurrent, "%s: a terminal of %d, and the pod is %s %d", name, after.Client.Term.Inc, before.Pod.Ctr, before.Pod.Inc)
	}
}

// invariants judges the state: what the server has committed to, and in the place of all that it can only believe, the truth. j.mu is held.
func (j *judge) invariants(name string, f *followed, truth map[int]podruntime.Container, record podruntime.Record) {
	p := f.state
	for n := range truth {
		p = p.With(n, overlaid(p.At(n).Inner, f, n, truth))
	}
	for _, i := range f.state.Incs {
		p = p.With(i.N, overlaid(i.Inner, f, i.N, truth))
	}
	p.Store, p.Settled = record, f.settled
	clients := slices.Collect(maps.Values(f.tabs))
	if len(clients) == 0 {
		clients = append(clients, podruntime.Client{})
	}
	for _, c := range clients {
		for _, inv := range j.table.Invariants {
			if !inv.Holds(podruntime.Local{Pod: p, Client: c}) {
				j.note(inv.Name, "after %s: pod %+v, tab %+v", name, p, c)
			}
		}
	}
}

// unseen notes that the truth could not be seen.
func (j *judge) unseen(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.err = err
}

// glance holds the invariants against the truth between two steps.
func (j *judge) glance() error {
	containers, err := j.m.look()
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, f := range j.pods {
		record, err := j.m.stored(id)
		if err != nil {
			return err
		}
		j.invariants("a look at "+string(id), f, f.remember(id, containers), record)
	}
	return nil
}

// overlaid is an incarnation with the truth about its container.
func overlaid(i podruntime.Inner, f *followed, n int, truth map[int]podruntime.Container) podruntime.Inner {
	i.Box, i.Done = truth[n], f.done[n]
	if len(f.ids[n]) > 1 {
		i.Woken = 2 // two containers have had this number
	}
	return i
}

// crash forgets what the server knew, and has what its next start finds.
func (j *judge) crash() error {
	containers, err := j.m.look()
	if err != nil {
		return err
	}
	crash, err := j.table.Action(podruntime.Crash)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, f := range j.pods {
		truth := f.remember(id, containers)
		f.state = crash.Effect(podruntime.Local{Pod: f.state}).Pod
		f.state.Settled = 0 // a new server has answered nobody yet
		clear(f.tabs)
		if f.state.Store, err = j.m.stored(id); err != nil {
			return err
		}
		for _, i := range f.state.Incs {
			i.Box = podruntime.Container{}
			f.state = f.state.With(i.N, i.Inner)
		}
		for n, box := range truth {
			i := f.state.At(n).Inner
			i.Box = podruntime.Container{Box: box.Box}
			if box.Marker == podruntime.MarkerOwn && f.state.Store == (podruntime.Record{Inc: n, Awake: true}) {
				i.Box.Setup, i.Box.Marker = podruntime.SetupAll, podruntime.MarkerOwn // what its marker vouches for
			}
			f.state = f.state.With(n, i)
		}
	}
	return nil
}
