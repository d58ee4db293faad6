package workspace

import (
	"context"
	"errors"
	"fmt"

	table "podlife/model/workspace"
	"podlife/runtime/pod"
	"podlife/runtime/workspace"
)

// read is every call that only reads, of every pod.
func (w *world) read() {
	for p := range w.pods {
		if w.catalogue == nil {
			return
		}
		w.catalogue.List(w.owner(p))
		w.catalogue.Kept(w.owner(p))
		_, actor, err := w.catalogue.Get(w.owner(p), names()[p])
		if err != nil {
			continue
		}
		w.catalogue.Home(actor.ID())
		actor.Status()
		actor.Events(0)
		actor.Steps(0)
		_ = w.inTime(func(ctx context.Context) error { // one that sleeps has none, which is an error
			_, err := actor.Tabs(ctx)
			return err
		})
	}
}

// try is a request that the table does not have.
type try struct {
	p    int
	what string
	ask  func(context.Context) error
	want func(error) bool
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

// tries are requests that the table does not have at a place, each with what it has to be answered.
func (w *world) tries(d design, at Place) []try {
	var all []try
	for p := range d.c.Pods {
		pod := at.Pods[p]
		switch pod.Life {
		case table.New:
			all = append(all, w.triesOfNone(p)...)
			for v := range d.c.Pods {
				o := Op{Kind: Kind(table.Adopt), P: p, V: v}
				if name := w.volumeOf(v); name != "" && !d.enabled(at.State, o, table.Adopt) {
					all = append(all, w.adoption(p, v, name))
				}
			}
		case table.Making:
			all = append(all, w.taken(p), w.boot(p, is(workspace.ErrMaking)), w.access(p, is(workspace.ErrMaking)), w.attachment(p, guest))
		case table.Going:
			all = append(all, w.taken(p), w.boot(p, is(workspace.ErrGoing)), w.access(p, is(workspace.ErrGoing)), w.attachment(p, guest), w.secondDelete(p))
		case table.There:
			all = append(all, w.taken(p))
			if !pod.Rec.HasHome() {
				all = append(all, w.access(p, func(err error) bool { return err == nil }))
			}
			switch pod.State {
			case table.Starting:
				all = append(all, w.attachment(p, guest))
			case table.Asleep:
				all = append(all, w.attachment(p, main)) // who may believe that it has booted
			}
		case table.Over:
			all = append(all, w.triesOfNone(p)...)
		}
		all = append(all, w.stranger(p))
	}
	return all
}

func (w *world) triesOfNone(p int) []try {
	return []try{
		{p, "delete what is not there", func(ctx context.Context) error { return w.end(ctx, w.owner(p), p, false) }, is(workspace.ErrNoPod)},
	}
}

// end is a delete.
func (w *world) end(ctx context.Context, owner string, p int, keep bool) error {
	_, err := w.catalogue.Delete(ctx, owner, names()[p], keep)
	return err
}

func (w *world) taken(p int) try {
	return try{p, "create what is there", func(ctx context.Context) error {
		_, err := w.catalogue.Create(ctx, w.owner(p), workspace.Request{Name: names()[p], Class: workspace.Workspace})
		return err
	}, is(workspace.ErrNameTaken)}
}

func (w *world) adoption(p, v int, volume string) try {
	return try{p, "adopt the volume of " + names()[v], func(ctx context.Context) error {
		_, err := w.catalogue.Create(ctx, w.owner(p), workspace.Request{Name: names()[p], Adopt: volume})
		return err
	}, func(err error) bool {
		var gone *workspace.VolumeGoneError // of one that somebody has removed, which its owner alone is told
		return errors.Is(err, workspace.ErrNoVolume) || w.owner(p) == w.owner(v) && errors.As(err, &gone)
	}}
}

func (w *world) boot(p int, want func(error) bool) try {
	return try{p, "boot", func(ctx context.Context) error {
		_, err := w.actor(p).Boot(ctx, guest, nil)
		return err
	}, want}
}

func (w *world) access(p int, want func(error) bool) try {
	return try{p, table.Access, func(ctx context.Context) error { return w.catalogue.Access(ctx, w.pods[p].id, guest) }, want}
}

func (w *world) attachment(p int, who pod.ClientID) try {
	return try{p, "attach", func(ctx context.Context) error {
		a, err := w.actor(p).Attach(ctx, who, pod.ShellRequest{Attempt: "no", Tab: "main", Cols: 80, Rows: 24})
		if err == nil {
			w.pods[p].terminals = append(w.pods[p].terminals, a) // it is open, and is not to be
		}
		return err
	}, func(err error) bool {
		var notReady *pod.NotReadyError
		return errors.As(err, &notReady)
	}}
}

// secondDelete joins the one that is under way, and is given up; what is kept the first has said. One that comes too late to keep a home is refused.
func (w *world) secondDelete(p int) try {
	return try{p, "delete once more", func(ctx context.Context) error {
		return w.end(ctx, w.owner(p), p, !w.pods[p].keep)
	}, func(err error) bool {
		var trouble *workspace.TroubleError
		i, _, _ := w.catalogue.Get(w.owner(p), names()[p]) // without one, nothing is kept
		late := !w.pods[p].keep && i.Home != ""
		return errors.Is(err, context.Canceled) || errors.As(err, &trouble) || late && errors.Is(err, workspace.ErrGoing)
	}}
}

// stranger is somebody else who asks for the pod and its volume.
func (w *world) stranger(p int) try {
	return try{p, "a stranger", func(ctx context.Context) error {
		if _, _, err := w.catalogue.Get("stranger", names()[p]); !errors.Is(err, workspace.ErrNoPod) {
			return fmt.Errorf("a stranger gets it: %w", err)
		}
		if err := w.catalogue.RemoveKept(ctx, "stranger", w.volumeOf(p)); !errors.Is(err, workspace.ErrNoVolume) {
			return fmt.Errorf("a stranger removes its volume: %w", err)
		}
		return w.end(ctx, "stranger", p, false)
	}, is(workspace.ErrNoPod)}
}

// refuse asks for what the table does not have, and says what was not refused as it has to be; "" is all of it.
func (r *Run) refuse() (what string) {
	w := r.world
	w.trying.Store(true)
	defer w.trying.Store(false)
	for _, t := range w.tries(r.design, r.place) {
		err := w.inTime(t.ask)
		if !t.want(err) && what == "" {
			what = fmt.Sprintf("%s is asked for what it refuses, %s, and answers: %v", names()[t.p], t.what, err)
		}
	}
	return what
}
