package workspace

import (
	"fmt"

	"podlife/model/podlifecycle"
	"podlife/model/workspace"
	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
)

// seen is what is there, as a state of the table, and what no state of it can say.
type seen struct {
	s       workspace.State
	strange []string
	strays  bool // a volume is there that is no home of any pod that was ever there
}

func (s *seen) say(format string, args ...any) {
	s.strange = append(s.strange, fmt.Sprintf(format, args...))
}

// look looks at the engine, the store and the server. h is what was done, as far as no look shows it.
func (w *world) look(pods int, h *history) (seen, error) {
	out := seen{}
	out.s.Crashes, out.s.Down = h.crashes, w.catalogue == nil
	if err := w.lookRecords(pods, h, &out); err != nil {
		return out, err
	}
	if err := w.lookVolumes(h, &out); err != nil {
		return out, err
	}
	for p := range pods {
		if err := w.lookContainer(p, &out); err != nil {
			return out, err
		}
		w.lookServer(p, h, &out)
		at := &out.s.Pods[p]
		at.Woken, at.Doomed, at.ByHand = h.woken[p], h.doomed[p], h.byHand[p]
		for _, a := range w.pods[p].terminals {
			select {
			case <-a.Ended():
			default:
				at.Open = true
			}
		}
	}
	return out, nil
}

// lookRecords is what the store has. Of a pod that is gone it has nothing; what it had last is remembered.
func (w *world) lookRecords(pods int, h *history, out *seen) error {
	named, err := w.store.NamedPods(endless())
	if err != nil {
		return err
	}
	runs, err := w.store.Load(endless())
	if err != nil {
		return err
	}
	kept, err := w.store.KeptVolumes(endless())
	if err != nil {
		return err
	}
	known := map[int]bool{}
	for _, r := range named {
		p := podOf(r.ID)
		if p == none || known[p] || r.ID != w.pods[p].id || r.Owner != w.owner(p) {
			out.say("the store has a pod %s of %s", r.ID, r.Owner)
			if p == none || known[p] {
				continue
			}
		}
		known[p] = true
		rec := workspace.Record{Life: r.Life, Keep: r.Keep}
		if r.Home != "" {
			rec.Home = w.madeFor(r.Home) + 1
		}
		h.last[p] = rec
		out.s.Pods[p].Rec = rec
	}
	for p := range pods {
		if !known[p] && w.pods[p].deleted {
			out.s.Pods[p].Rec = h.last[p]
			out.s.Pods[p].Rec.Life, out.s.Pods[p].Rec.Inc = workspace.Over, h.inc[p]
		}
	}
	for _, r := range runs {
		if p := podOf(r.Pod); p != none && r.Pod == w.pods[p].id && known[p] {
			out.s.Pods[p].Rec.Inc = r.Inc
			continue
		}
		out.say("the store has incarnation %d of %s", r.Inc, r.Pod)
	}
	for _, k := range kept {
		v := w.madeFor(k.Volume)
		if v == none || k.Owner != w.owner(v) {
			out.say("the store keeps the volume %s for %s", k.Volume, k.Owner)
			continue
		}
		out.s.Pods[v].Kept = true
	}
	return nil
}

// lookVolumes is the engine's volumes, and what is in them.
func (w *world) lookVolumes(h *history, out *seen) error {
	all, err := w.engine.Volumes(endless(), nil)
	if err != nil {
		return err
	}
	for _, v := range all {
		n := w.madeFor(v.Name)
		if n == none {
			out.strays = true
			out.say("there is a volume %s", v.Name)
			continue
		}
		vol := &out.s.Pods[n].Vol
		vol.There, vol.Ours = true, v.Labels[container.LabelHome] != ""
		files, _ := w.engine.VolumeFiles(v.Name)
		if _, ok := files[below(workFile)]; ok {
			vol.Data = workspace.Work
		}
		if m, err := boot.ParseMarker(files[below(markerCopy)]); err == nil {
			vol.Marker = m.Incarnation
		}
	}
	for v := range out.s.Pods {
		if vol := &out.s.Pods[v].Vol; h.written[v] && vol.Data == workspace.NoWork {
			vol.Data = workspace.Lost
		}
	}
	return nil
}

// lookContainer is what the engine has of a pod.
func (w *world) lookContainer(p int, out *seen) error {
	all, err := w.containersOf(p)
	if err != nil {
		return err
	}
	at := &out.s.Pods[p]
	for _, c := range all {
		files, _ := w.engine.Files(c.ID)
		inc := 0
		if _, err := fmt.Sscan(c.Labels["podlife.incarnation"], &inc); err != nil {
			return err
		}
		switch {
		case c.State == engine.Created && w.catalogue == nil: // of a launch that nobody goes on with
		case c.State == engine.Created && at.Flight == workspace.NoFlight:
			at.Flight = workspace.MadeIt
		case c.State != engine.Created && !at.Box.Up:
			at.Box = workspace.Box{Up: true, Inc: inc, Home: w.homeIn(c.ID, out) + 1}
			inside(files, &at.Box)
		default:
			out.say("%s has the container %s besides", names()[p], c.Name)
		}
	}
	return nil
}

// homeIn is the volume that a container has as its home; none for its own disk.
func (w *world) homeIn(id engine.ID, out *seen) int {
	spec, _ := w.engine.Spec(id)
	for _, m := range spec.Volumes {
		if m.Target != boot.HomePath || w.madeFor(m.Name) == none {
			out.say("container %s has the volume %s at %s", id, m.Name, m.Target)
			continue
		}
		return w.madeFor(m.Name)
	}
	return none
}

// inside is what is on the container's own disk.
func inside(files *simulated.Files, box *workspace.Box) {
	if _, err := files.Read(simprograms.Multiplexer); err == nil {
		box.Setup = true
	}
	if data, err := files.Read(boot.MarkerPath); err == nil {
		if m, err := boot.ParseMarker(data); err == nil {
			box.Marker = m.Incarnation
		}
	}
}

// lookServer is what the server has.
func (w *world) lookServer(p int, h *history, out *seen) {
	at, k := &out.s.Pods[p], w.pods[p]
	if w.catalogue == nil {
		at.Life = workspace.Unknown
		return
	}
	info, _, err := w.catalogue.Get(w.owner(p), names()[p])
	switch {
	case err == nil && info.ID != k.id:
		out.say("the server has %s with the identity %s", names()[p], info.ID)
	case err == nil:
		at.Life = info.Life
		if info.Home != k.home {
			out.say("the server says that the home of %s is %q", info.ID, info.Home)
		}
	case k.deleted:
		at.Life = workspace.Over
	}
	for _, a := range w.manager.Pods() {
		if a.ID() != k.id {
			continue
		}
		status := a.Status()
		switch status.State {
		case podlifecycle.Provisioning:
			at.State = workspace.Starting
		case podlifecycle.Ready:
			at.State = workspace.IsReady
		}
		if at.Life != workspace.Over {
			h.inc[p] = max(h.inc[p], status.Incarnation)
		}
		waits := at.State == workspace.Starting && status.Container == "" && at.Flight == workspace.NoFlight // for a container that is left
		if at.Flight == workspace.NoFlight && (waits || w.gates.Load().has(p, atLook, atCreate)) {
			at.Flight = workspace.Asked
		}
	}
}
