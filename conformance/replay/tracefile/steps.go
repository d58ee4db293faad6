package tracefile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/model"
	"podlife/model/podruntime"
	"podlife/tla/value"
)

// follow makes steps of the states. A state that is the same as the one before is none, unless the file names an action that leads from a state to
// itself.
func (c *scene) follow(b *Behaviour, states []podruntime.State) error {
	b.Initial = states[0]
	if b.Initial != (podruntime.State{}) {
		return &StepError{State: 0, Reason: "not the initial state, in which the pod was never woken: " + strings.Join(b.Initial.Label(len(c.clients)), "; ")}
	}
	m := newMatcher(b, len(c.clients))
	for i := 1; i < len(states); i++ {
		named, err := c.named(i)
		if err != nil {
			return err
		}
		step, wrong := m.step(states[i-1], states[i], named)
		if wrong != nil {
			wrong.State = i
			return wrong
		}
		if step == nil {
			b.Stutters++
			continue
		}
		step.At = i
		b.Steps = append(b.Steps, *step)
	}
	b.Constants.Off = m.off
	b.Constants.ImageMarked = m.marked
	return nil
}

// named gives the action that the file says led to a state, with those of its arguments that it says; nil is none.
func (c *scene) named(state int) (*Step, error) {
	s := c.trace.States[state]
	action, args := s.Action, map[string]value.Value{}
	for _, a := range s.Args {
		args[a.Name] = a.Value
	}
	if at := slices.Index(c.trace.Vars, chosen+"actionTaken"); action == "" && at >= 0 {
		action = c.word(fmt.Sprintf("states[%d].%sactionTaken", state, chosen), s.Values[at])
		args = c.picks(state)
	}
	if c.err != nil || !isAction(action) {
		return nil, c.err // a name that tells nothing, such as that of the next-state relation: the states will
	}
	where := fmt.Sprintf("states[%d], %s", state, action)
	step := &Step{Action: action}
	if v, ok := args[podruntime.ParamClient]; ok {
		name := c.word(where, v)
		if step.Client, ok = c.clientName(name); !ok {
			c.fail(where, "there is no client %.40q", name)
		}
	}
	if v, ok := args[podruntime.ParamInc]; ok {
		step.Inc = c.number(where, v)
	}
	if v, ok := args[podruntime.ParamPod]; ok && c.word(where, v) != c.pod {
		c.fail(where, "there is no pod %s", shown(v))
	}
	return step, c.err
}

func isAction(name string) bool {
	return slices.ContainsFunc(podruntime.Table(podruntime.Constants{}).Actions, func(a model.Action[podruntime.Local]) bool { return a.Name == name })
}

// picks are the arguments that a simulator chose: each is there or not, as a variant with a tag.
func (c *scene) picks(state int) map[string]value.Value {
	args := map[string]value.Value{}
	at := slices.Index(c.trace.Vars, chosen+"nondetPicks")
	if at < 0 {
		return args
	}
	where := fmt.Sprintf("states[%d].%snondetPicks", state, chosen)
	for _, e := range c.entries(where, c.trace.States[state].Values[at]) {
		of := map[string]value.Value{}
		for _, f := range c.entries(where+"."+e.key, e.val) {
			of[f.key] = f.val
		}
		if tag, ok := of["tag"].(*value.Str); ok && tag.Text() == "Some" && of["value"] != nil {
			args[e.key] = of["value"]
		}
	}
	return args
}

// matcher finds the step that leads from one state to the next.
type matcher struct {
	constants podruntime.Constants
	told      bool // which guards are off
	tabs      int
	off       []string
	marked    bool
	shipped   model.System[podruntime.State] // with what is told to be off
	without   map[string]model.System[podruntime.State]
}

func newMatcher(b *Behaviour, tabs int) *matcher {
	m := &matcher{constants: b.Constants, told: b.OffTold, off: b.Constants.Off, marked: b.Constants.ImageMarked, tabs: tabs}
	m.shipped = m.system(m.off)
	return m
}

func (m *matcher) system(off []string) model.System[podruntime.State] {
	c := m.constants
	c.Off, c.ImageMarked = off, m.marked
	return podruntime.LiftTable(podruntime.Table(c), c.MaxInc, m.tabs)
}

// step gives the step between two states, or nil where nothing happens.
func (m *matcher) step(from, to podruntime.State, named *Step) (*Step, *StepError) {
	if from == to && (named == nil || m.find(m.shipped, from, to, named) == nil) {
		return nil, nil
	}
	if s := m.find(m.shipped, from, to, named); s != nil {
		return s, nil
	}
	if !m.told {
		if s := m.guess(from, to, named); s != nil {
			return s, nil
		}
	}
	return nil, m.wrong(from, to, named)
}

// find gives the step of a system that leads from one state to the other, of those that are like the named one.
func (m *matcher) find(sys model.System[podruntime.State], from, to podruntime.State, named *Step) *Step {
	for i := range sys.Steps {
		step := &sys.Steps[i]
		s := StepOf(step)
		if s.like(named) && step.Enabled(from) && step.Effect(from) == to {
			s.State = to
			return &s
		}
	}
	return nil
}

// guess tries what the file may not tell: an image with a marker, and each guard and rule switched off.
func (m *matcher) guess(from, to podruntime.State, named *Step) *Step {
	if !m.marked {
		m.marked = true
		sys := m.system(m.off)
		if s := m.find(sys, from, to, named); s != nil {
			m.shipped, m.without = sys, nil
			return s
		}
		m.marked = false
	}
	if m.without == nil {
		m.without = map[string]model.System[podruntime.State]{}
	}
	switches := podruntime.Switches()
	if named != nil { // those of the action itself first
		slices.SortStableFunc(switches, func(a, b string) int {
			own := func(name string) bool { return strings.HasPrefix(name, named.Action+".") }
			switch {
			case own(a) == own(b):
				return 0
			case own(a):
				return -1
			}
			return 1
		})
	}
	for _, name := range switches {
		if slices.Contains(m.off, name) {
			continue
		}
		sys, made := m.without[name]
		if !made {
			sys = m.system(append(slices.Clone(m.off), name))
			m.without[name] = sys
		}
		if s := m.find(sys, from, to, named); s != nil {
			m.off = append(slices.Clone(m.off), name)
			m.shipped, m.without = sys, nil
			return s
		}
	}
	return nil
}

// wrong says why there is no step: of the action that the file names, or else of the enabled one that comes closest.
func (m *matcher) wrong(from, to podruntime.State, named *Step) *StepError {
	e := &StepError{Reason: "no action leads here"}
	if named != nil {
		e.Action = named.String()
		e.Reason = "the action is not taken for such arguments"
	}
	least := -1
	for i := range m.shipped.Steps {
		step := &m.shipped.Steps[i]
		s := StepOf(step)
		if !s.like(named) {
			continue
		}
		if guards := step.FalseGuards(from); len(guards) > 0 {
			if named != nil && least < 0 {
				e.Reason = "it is not enabled: false guards: " + strings.Join(guards, ", ")
			}
			continue
		}
		differ := Differences(step.Effect(from).View(m.tabs), to.View(m.tabs))
		if least >= 0 && len(differ) >= least {
			continue
		}
		least = len(differ)
		e.Reason = "the file has " + strings.Join(differ, ", ")
		if named == nil {
			e.Reason = fmt.Sprintf("no action leads here; the nearest is %s, for which %s", s, e.Reason)
		}
	}
	return e
}

// like reports whether a step is the named one, as far as that is told.
func (s Step) like(named *Step) bool {
	return named == nil || s.Action == named.Action && (named.Client == "" || s.Client == named.Client) && (named.Inc == 0 || s.Inc == named.Inc)
}

// StepOf gives the names of a step of the explorer.
func StepOf(step *model.Step[podruntime.State]) Step {
	s := Step{Action: step.Name}
	for i, param := range step.Params {
		switch param {
		case podruntime.ParamClient:
			s.Client = step.Args[i]
		case podruntime.ParamInc:
			s.Inc, _ = strconv.Atoi(step.Args[i]) // LiftTable made it of a number
		}
	}
	return s
}
