package linear

import (
	"context"
	"math"
	"slices"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// May says what can happen in a history without an operation for it. The zero May is a world that does nothing by itself: every container that dies was killed by a Kill, every sleep of an idle pod is
// an Idle, every script that fails is a ScriptFails, and no launch and no write fails.
type May struct {
	StoreFails bool
}

// rules are the table, what of it may happen unseen, and what was found out about that so far. They are for one goroutine at a time.
type rules struct {
	may     May
	actions map[string]model.Action[podruntime.Local]
	hidden  []string

	states   map[string]*state // by their encoding
	onwards  []*onward         // by the state's id
	sets     map[string]*set
	taken    map[taken]*set
	encoding []byte
	search   context.Context // of the step under way: a single one can go through very many states, and ends with the search
}

// onward is every state that hidden steps alone lead to from one state, itself included: the fewest steps first.
type onward struct {
	states []*state
	has    []uint64 // a bit for each state's id
}

func (o *onward) leadsTo(s *state) bool {
	return s.id/64 < len(o.has) && o.has[s.id/64]&(1<<(s.id%64)) != 0
}

func (o *onward) add(s *state) {
	for s.id/64 >= len(o.has) {
		o.has = append(o.has, 0)
	}
	o.has[s.id/64] |= 1 << (s.id % 64)
	o.states = append(o.states, s)
}

// known gives the one state that is equal to this one, in its normal form.
func (r *rules) known(s *state) *state {
	s.normal()
	r.encoding = s.encode(r.encoding[:0])
	if same := r.states[string(r.encoding)]; same != nil {
		return same
	}
	s.id = len(r.onwards)
	r.onwards = append(r.onwards, nil)
	r.states[string(r.encoding)] = s
	return s
}

func newRules(may May) *rules {
	r := &rules{search: context.Background(), may: may, actions: map[string]model.Action[podruntime.Local]{}, states: map[string]*state{}, sets: map[string]*set{}, taken: map[taken]*set{}}
	t := podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt})
	for _, a := range t.Actions {
		r.actions[a.Name] = a
		if isHidden(a.Name) {
			r.hidden = append(r.hidden, a.Name)
		}
	}
	return r
}

// isHidden says of every action of the table whether it is hidden. Those that are not are what operations are made of; DialWakes is no action of the design that ships, launches do not fail in
// histories, and BootLost and Reconnect are taken as soon as they can be (settle).
func isHidden(action string) bool {
	switch action {
	case podruntime.CreateContainer, podruntime.StartContainer, podruntime.BeginScript, podruntime.ScriptSkips, podruntime.ScriptWorks, podruntime.ScriptMarks, podruntime.ScriptSucceeded,
		podruntime.ScriptFailed, podruntime.ScriptGone, podruntime.FinishBoot, podruntime.EndRun, podruntime.DropReply, podruntime.ContainerLost, podruntime.BootFailed, podruntime.TearDown, podruntime.Repair,
		podruntime.RecoverReady, podruntime.RecoverAsleep:
		return true
	}
	return false
}

// noClient and noInc are for actions without that parameter.
const (
	noClient = -1
	noInc    = 0
)

// take takes an action of the table, and what follows from it at once; false where it is not enabled, or makes the answer of somebody who waits another one than it was.
func (r *rules) take(s *state, action string, c, n int) (*state, bool) {
	a := r.actions[action]
	l := s.local(action, c, n)
	if !a.Enabled(l) {
		return nil, false
	}
	after := a.Effect(l)
	next := *s
	next.pod = after.Pod
	if c != noClient {
		next.tabs[c].Client = after.Client
	}
	if len(a.Params) == 0 { // a crash
		next.tabs, next.life = [MaxTabs]mine{}, s.life+1
	}
	if !r.settle(&next) {
		return nil, false
	}
	return r.known(&next), true
}

func (s *state) local(action string, c, n int) podruntime.Local {
	l := podruntime.Local{Pod: s.pod, N: n}
	if c != noClient {
		l.Client = s.tabs[c].Client
	}
	if action == podruntime.IdleSleep || action == podruntime.EndRun {
		l.Tabs = make([]podruntime.Client, MaxTabs)
		for i := range s.tabs {
			l.Tabs[i] = s.tabs[i].Client
		}
	}
	return l
}

// settle takes every Reconnect and BootLost that an end of an incarnation brings. Later they could be no more than that; and why a boot was lost is known only now. It reports false where a tab that
// waits was told something else.
func (r *rules) settle(s *state) bool {
	reconnect, lost := r.actions[podruntime.Reconnect], r.actions[podruntime.BootLost]
	for c := range s.tabs {
		t := &s.tabs[c]
		l := podruntime.Local{Pod: s.pod, Client: t.Client}
		switch {
		case reconnect.Enabled(l):
			t.Client = reconnect.Effect(l).Client
		case lost.Enabled(l):
			t.Client = lost.Effect(l).Client
			word := Lost
			if s.pod.Why == podruntime.WhyFailed {
				word = BootFailed
			}
			if t.waits != "" && t.waits != word {
				return false
			}
			t.told = t.waits != ""
		}
	}
	return true
}

// givenUp says that the search has ended, and nobody waits for what the step under way gives.
func (r *rules) givenUp() bool { return r.search.Err() != nil }

// onward gives every state that hidden steps lead to. There are few: an incarnation goes through its boot, and one that is over can only be removed.
func (r *rules) onward(s *state) *onward {
	if found := r.onwards[s.id]; found != nil {
		return found
	}
	o := &onward{}
	o.add(s)
	for i := 0; i < len(o.states); i++ {
		if r.givenUp() {
			return o // not kept: it is not whole
		}
		r.hide(o.states[i], func(next *state) {
			if !o.leadsTo(next) {
				o.add(next)
			}
		})
	}
	r.onwards[s.id] = o
	return o
}

// hide gives the states after one hidden step.
func (r *rules) hide(s *state, give func(*state)) {
	try := func(action string, c, n int) {
		if next, ok := r.take(s, action, c, n); ok {
			give(next)
		}
	}
	for _, action := range r.hidden {
		switch params := r.actions[action].Params; {
		case action == podruntime.FinishBoot:
			// Of tabs that nobody waits with: the others have an EndBoot for it.
			for c := range s.tabs {
				if s.tabs[c].Phase == podlifecycle.Booting && s.tabs[c].waits == "" {
					try(action, c, s.pod.Inc)
				}
			}
		case slices.Contains(params, podruntime.ParamInc):
			for _, i := range s.pod.Incs {
				try(action, noClient, i.N)
			}
		default:
			try(action, noClient, noInc)
		}
	}
}

// earliest drops every state that another one leads to by hidden steps alone: whatever can follow it can follow the other too.
func (r *rules) earliest(states []*state) []*state {
	if len(states) < 2 {
		return states
	}
	var kept []*state
	for i, s := range states {
		if r.givenUp() {
			return states
		}
		needed := true
		for j, t := range states {
			// Of two that lead to each other the first stays.
			if i != j && r.onward(t).leadsTo(s) && (j < i || !r.onward(s).leadsTo(t)) {
				needed = false
				break
			}
		}
		if needed {
			kept = append(kept, s)
		}
	}
	return kept
}
