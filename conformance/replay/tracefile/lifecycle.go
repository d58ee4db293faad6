package tracefile

import (
	"fmt"
	"math"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
)

// lifecycle makes a trace of PodLifecycle of the states.
func (s source) lifecycle() (*podlifecycle.Trace, error) {
	c := scene{source: s}
	t := &podlifecycle.Trace{Table: podlifecycle.Name, Violates: s.trace.Violates}
	if v, told := s.constant("GuardedAttach"); told {
		t.Constants = map[string]any{"GuardedAttach": c.truth("GuardedAttach", v)}
	}
	for i := range s.trace.States {
		view := c.view(i)
		step := trace.Step[podlifecycle.View]{State: view}
		if i > 0 {
			step.Action = s.trace.States[i].Action
			for _, a := range s.trace.States[i].Args {
				step.Args = append(step.Args, c.word(fmt.Sprintf("states[%d], %s", i, step.Action), a.Value))
			}
			before := t.Steps[len(t.Steps)-1].State
			if c.err == nil && sameView(before, view) {
				continue
			}
			if c.err == nil && step.Action == "" {
				if err := find(before, &step); err != nil {
					err.State = i
					return nil, err
				}
			}
		}
		if c.err != nil {
			return nil, c.err
		}
		t.Steps = append(t.Steps, step)
	}
	return t, nil
}

func (c *scene) view(state int) podlifecycle.View {
	where := func(name string) string { return fmt.Sprintf("states[%d].%s", state, name) }
	v := podlifecycle.View{Client: map[string]podlifecycle.Client{}}
	c.text(where("ctr"), c.value(state, "ctr"), &v.Ctr)
	v.Inc = c.number(where("inc"), c.value(state, "inc"))
	for _, e := range c.entries(where("client"), c.value(state, "client")) {
		at := where("client." + e.key)
		of := c.fields(at, e.val, "phase", "bootInc", "attInc")
		var client podlifecycle.Client
		c.text(at+".phase", of[0], &client.Phase)
		client.BootInc, client.AttInc = c.number(at+".bootInc", of[1]), c.number(at+".attInc", of[2])
		v.Client[e.key] = client
	}
	return v
}

func sameView(a, b podlifecycle.View) bool {
	same := a.Ctr == b.Ctr && a.Inc == b.Inc && len(a.Client) == len(b.Client)
	for name, c := range a.Client {
		same = same && b.Client[name] == c
	}
	return same
}

// find gives a step the action that leads to its state: one of the design that ships, or else of the other.
func find(before podlifecycle.View, step *trace.Step[podlifecycle.View]) *StepError {
	for _, guarded := range []bool{true, false} {
		table := podlifecycle.Table(podlifecycle.Constants{MaxInc: math.MaxInt, GuardedAttach: guarded})
		for _, a := range table.Actions {
			for name := range before.Client {
				if !leads(a, before, step.State, name) {
					continue
				}
				step.Action = a.Name
				if len(a.Params) > 0 {
					step.Args = []string{name}
				}
				return nil
			}
		}
	}
	return &StepError{Reason: "no action leads here"}
}

// leads reports whether an action, taken for this client, leads from one state to the other.
func leads(a model.Action[podlifecycle.Local], before, after podlifecycle.View, client string) bool {
	l := podlifecycle.Local{Pod: podlifecycle.Pod{Ctr: before.Ctr, Inc: before.Inc}, Client: before.Client[client]}
	if !a.Enabled(l) {
		return false
	}
	l = a.Effect(l)
	got := podlifecycle.View{Ctr: l.Pod.Ctr, Inc: l.Pod.Inc, Client: map[string]podlifecycle.Client{}}
	for name, c := range before.Client {
		got.Client[name] = c
	}
	got.Client[client] = l.Client
	return sameView(got, after)
}
