package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/pod"
)

// What the world does to a container, at every step of its boot and when it is ready.
func TestWhatTheWorldDoesToAContainerLeavesNothingBehind(t *testing.T) {
	deeds := map[string]func(*Driver){
		"killed":        (*Driver).Kill,
		"out of memory": func(d *Driver) { d.Each(func(id engine.ID) { d.M.Engine.KillOOM(id) }) },
		"removed":       func(d *Driver) { d.Each(func(id engine.ID) { _ = d.M.Engine.Remove(context.Background(), id) }) },
		"paused":        func(d *Driver) { d.Each(func(id engine.ID) { d.M.Engine.Pause(id) }) },
		"paused for a moment": func(d *Driver) {
			d.Each(func(id engine.ID) { d.M.Engine.Pause(id) })
			d.Sleep(pace)
			d.Each(func(id engine.ID) { d.M.Engine.Unpause(id) })
		},
		"unmarked": (*Driver).Unmark,
		"cut off": func(d *Driver) {
			d.M.Engine.Unavailable(true)
			d.Sleep(pace)
			d.M.Engine.Unavailable(false)
		},
	}
	for name, deed := range deeds {
		for _, step := range boot.Steps() {
			s := Scenario{Name: name + " in the step " + step, Run: func(d *Driver) {
				free, held := d.HoldStep(step)
				d.Go(func() { d.Boot("c1") })
				held()
				deed(d)
				free()
				d.Sleep(pace)
				d.Each(func(id engine.ID) { d.M.Engine.Unpause(id) })
				d.Wait()
			}}
			report(t, Disturbance{Scenario: s}, bubble(t, Disturbance{Scenario: s}.run))
		}
		harmless := []string{"paused", "paused for a moment", "unmarked", "cut off"} // the container lives, and so does what its user has in it
		for _, s := range []Scenario{
			{Name: name + " under a terminal", Run: func(d *Driver) { ready(d); deed(d); d.Attach("c1"); d.Boot("c2") }},
			{Name: name + " when idle", Run: func(d *Driver) {
				d.Boot("c1")
				deed(d)
				d.Sleep(IdleTimeout + time.Minute)
				d.Attach("c1")
			}},
			{Name: name + " and destroyed", Run: func(d *Driver) { ready(d); deed(d); d.Destroy() }},
			{Name: name + " and restarted", Run: func(d *Driver) { ready(d); deed(d); d.Restart(false) }},
		} {
			o := bubble(t, Disturbance{Scenario: s}.run)
			report(t, Disturbance{Scenario: s}, o)
			if slices.Contains(harmless, name) && o.Highest != 1 {
				t.Errorf("%s: the container was given up, and the pod is at incarnation %d", s.Name, o.Highest)
			}
		}
	}
}

// A boot that prints 10 MB is a boot, and one that prints what is no event fails and says so; nobody is held up, and nothing is kept of it but the end.
func TestABootMayPrintWhatItLikes(t *testing.T) {
	event := []byte(`{"log":"` + strings.Repeat("x", 8000) + `"}` + "\n")
	for _, c := range []struct {
		name  string
		bytes []byte
		times int
		fails bool
	}{
		{"10 MB of events", event, 10 << 20 / len(event), false},
		{"10 MB without a line's end", []byte(strings.Repeat("x", 10<<10)), 1 << 10, true},
		{"what is no event", []byte("segmentation fault\n"), 1, true},
		{"steps that are none", []byte(`{"step":"\u0000","status":"done"}` + "\n"), 100_000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Scenario{Name: c.name, Run: func(d *Driver) {
				d.M.Talk(c.bytes, c.times)
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				_, err := d.pod().Boot(ctx, "c1", func(pod.Progress) {})
				var failed *pod.BootError
				if errors.As(err, &failed) != c.fails || !c.fails && err != nil {
					t.Errorf("the boot: %v", err)
				}
				if failed != nil && len(failed.LogTail) > 4<<10 {
					t.Errorf("%d bytes are kept of the log", len(failed.LogTail))
				}
				d.M.Talk(nil, 0)
			}}
			report(t, Disturbance{Scenario: s}, bubble(t, Disturbance{Scenario: s}.run))
		})
	}
}

// Whoever waits for a boot may go away; the boot goes on, and the pod sleeps when nobody came back.
func TestABootWhoseClientIsGoneGoesOn(t *testing.T) {
	s := Scenario{Name: "a client that is gone", Run: func(d *Driver) {
		free, held := d.HoldStep(boot.StepHook)
		ctx, cancel := context.WithCancel(context.Background())
		d.Go(func() {
			if _, err := d.pod().Boot(ctx, "c1", nil); !errors.Is(err, context.Canceled) {
				t.Errorf("the boot: %v", err)
			}
		})
		held()
		cancel()
		d.Wait()
		free()
		d.Sleep(pace)
		if st := d.pod().Status(); st.State.String() != "ready" {
			t.Errorf("the pod is %s", st.State)
		}
		d.Sleep(IdleTimeout)
		if st := d.pod().Status(); st.State.String() != "asleep" {
			t.Errorf("after %s the pod is %s", IdleTimeout, st.State)
		}
	}}
	report(t, Disturbance{Scenario: s}, bubble(t, Disturbance{Scenario: s}.run))
}

// wallClock is a clock that somebody sets: the time that it shows jumps, and what it waits for does not.
type wallClock struct {
	pod.SystemClock
	ahead atomic.Int64 // nanoseconds
}

func (c *wallClock) Now() time.Time { return time.Now().Round(0).Add(time.Duration(c.ahead.Load())) }

// A clock that is set forwards or back sleeps no pod that is in use, and keeps none for longer than it was set back.
func TestAClockThatIsSetDecidesLittle(t *testing.T) {
	for _, jump := range []time.Duration{-5 * time.Hour, -time.Minute, time.Minute, 5 * time.Hour} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			bubble(t, func(w world) (none struct{}) {
				clock := &wallClock{}
				m := NewMachine(nil, clock)
				defer m.Close()
				l, err := m.Start(&Tape{}, false)
				defer l.End()
				if err != nil {
					t.Error(err)
				}
				d := newDriver(m, &Tape{}, l, err, true)
				ready(d)
				w.sleep(IdleTimeout / 2)
				w.quiet()
				clock.ahead.Store(int64(jump))
				w.sleep(2 * IdleTimeout)
				isState(t, d, "under a terminal", "ready")
				d.Close("c1")
				w.sleep(IdleTimeout / 2)
				w.quiet()
				clock.ahead.Store(0)
				w.sleep(IdleTimeout/2 - time.Second)
				if jump > 0 {
					isState(t, d, "before the idle timeout", "ready")
				}
				w.sleep(max(-jump, jump, 0) + IdleTimeout + time.Minute)
				isState(t, d, "long after it", "asleep")
				for _, p := range append(d.Failed(), m.Problems()...) {
					t.Error(p)
				}
				return none
			})
		})
	}
}

func isState(t *testing.T, d *Driver, when, want string) {
	t.Helper()
	if st := d.pod().Status(); st.State.String() != want {
		t.Errorf("%s the pod is %s, want %s", when, st.State, want)
	}
}
