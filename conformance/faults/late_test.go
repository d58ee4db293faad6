package faults

import (
	"context"
	"testing"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// An engine carries out what a server asked for before it died, also after the next server has looked. What comes to be so late belongs to nobody, and is gone within a minute; nobody's pod suffers.
func TestAContainerThatIsMadeAfterItsServerHasDiedIsRemoved(t *testing.T) {
	for name, booted := range map[string]bool{"the pod sleeps": false, "the pod is awake again": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w world) (none struct{}) {
				m := NewMachine(nil, nil)
				defer m.Close()
				play(m, &Tape{CutAt: Moment{"before create", 1}}, Scenario{Run: func(d *Driver) { d.Boot("c1") }}, true, w)
				l, err := m.Start(&Tape{}, false)
				defer l.End()
				d := newDriver(m, &Tape{}, l, err, true)
				w.sleep(Grace)
				if booted {
					ready(d)
				}
				if err := lateCreate(m); err != nil {
					t.Error(err)
				}
				w.sleep(Relist)
				if err := l.Settled(context.Background(), d.Pod); err != nil {
					t.Error(err)
				}
				if st := l.Pod(d.Pod).Status(); booted && (st.Incarnation != 2 || st.Terminals != 1) {
					t.Errorf("the pod is %s %d with %d terminals", st.State, st.Incarnation, st.Terminals)
				}
				if err := l.Works(context.Background(), d.Pod, "after"); err != nil {
					t.Error(err)
				}
				for _, p := range d.Failed() {
					t.Error(p)
				}
				return none
			})
		})
	}
}

// lateCreate is what the first server had asked for.
func lateCreate(m *Machine) error {
	id, err := m.Engine.Create(context.Background(), engine.Spec{
		Name: "faults-u-1", Image: image, Hostname: "u", Network: "bridge", Command: []string{boot.AgentPath, "agent", "init"},
		Labels: map[string]string{container.LabelInstance: instance, container.LabelPod: "u", container.LabelIncarnation: "1"},
	})
	if err != nil {
		return err
	}
	return m.Engine.Start(context.Background(), id)
}
