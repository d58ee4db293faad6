package resume

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"podlife/model/sessionresume"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// weights say how often a kind is drawn where it is possible: output and those who take it more often than the ends of things.
func weights() map[Kind]int {
	return map[Kind]int{Produce: 30, Exit: 1, Replace: 1, ReplaceHere: 3, Ask: 20, Drop: 3, Receive: 30, Ack: 25, Hold: 2, Release: 10}
}

// draw chooses one of the operations by a number. The viewer at the place slow takes and acknowledges little.
func draw(ops []Op, n, slow int) Op {
	weight := func(o Op) int {
		if w := weights()[o.Kind]; o.Viewer != slow || o.Kind != Receive && o.Kind != Ack {
			return 3 * w
		}
		return weights()[o.Kind]
	}
	total := 0
	for _, o := range ops {
		total += weight(o)
	}
	n %= total
	for _, o := range ops {
		if n -= weight(o); n < 0 {
			return o
		}
	}
	panic("resume: nothing was drawn")
}

// hazards are the moments of tla/SessionResumeWitness.tla, each as a condition on a viewer in a state right after an action.
func hazards() map[string]func(action string, l sessionresume.Local, v sessionresume.View) bool {
	type local = sessionresume.Local
	type view = sessionresume.View
	shows := func(v view) bool { return v.Seen.Sessions != 0 }
	asks := func(action string, l local, v view) bool {
		return action == sessionresume.Ask && v.Conn.At == sessionresume.Asked && shows(v)
	}
	on := func(v view) bool { return v.Conn.At == sessionresume.On }
	return map[string]func(string, local, view) bool{
		"ResumedInTheMiddle": func(_ string, _ local, v view) bool {
			return on(v) && v.Conn.N > 1 && shows(v) && v.Conn.Sent > v.Page.Have
		},
		"LateBytes": func(_ string, _ local, v view) bool {
			return on(v) && len(v.Wire) > 0 && v.Wire[0].Kind == sessionresume.Data && v.Wire[0].Conn < v.Conn.N && v.Wire[0].Epoch == v.Page.Epoch && v.Wire[0].At == v.Page.Have
		},
		"FellOutWhileAway": func(a string, l local, v view) bool {
			return asks(a, l, v) && v.Page.Epoch == l.Host.Epoch && v.Page.Have < l.Host.Lo
		},
		"FellOutWhileThere": func(_ string, l local, v view) bool { return on(v) && shows(v) && v.Conn.Sent < l.Host.Lo },
		"ReplacedWhileAway": func(a string, l local, v view) bool {
			return asks(a, l, v) && v.Page.Epoch != l.Host.Epoch && v.Page.Have <= l.Host.Hi
		},
		"ExitWhileAway": func(a string, l local, v view) bool { return asks(a, l, v) && l.Host.Over && v.Page.Have < l.Host.Hi },
	}
}

// A host that is driven along any path tells each viewer what the table says: epoch, from where, reset or resumed, which bytes, and the exit. All actions are taken, and all the dangerous moments are there.
func TestTheHostFollowsTheTable(t *testing.T) {
	taken, met := map[string]int{}, map[string]int{}
	took := func(action string, l sessionresume.Local) {
		taken[action]++
		for name, is := range hazards() {
			for _, v := range l.Views {
				if is(action, l, v) {
					met[name]++
				}
			}
		}
	}
	for name, s := range Scenarios() { // for what is seldom drawn
		if err := inBubble(t, s.Constants, s.Viewers, took, func(r *Run) error { return r.All(t.Context(), s.path()) }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		window := rapid.IntRange(1, 2).Draw(rt, "window")
		c := sessionresume.Constants{MaxSessions: 3, MaxOut: 60, MaxConns: 40, Window: window, Ring: rapid.IntRange(2*window, 5).Draw(rt, "ring")}
		viewers := rapid.IntRange(1, 3).Draw(rt, "viewers")
		slow := rapid.IntRange(0, 3).Draw(rt, "slow")
		choices := rapid.SliceOfN(rapid.IntRange(0, 9999), 30, 200).Draw(rt, "choices")
		if err := inBubble(t, c, viewers, took, func(r *Run) error {
			for _, n := range choices {
				if err := r.Do(draw(r.Possible(), n, slow)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
	})
	for _, a := range sessionresume.Table(sessionresume.Constants{}).Actions {
		if taken[a.Name] == 0 {
			t.Errorf("%s was never taken", a.Name)
		}
	}
	for name := range hazards() {
		if met[name] == 0 {
			t.Errorf("%s was never met", name)
		}
	}
	t.Log("taken:", taken, "met:", met)
}

// inBubble runs f with a host of these constants. The error is f's, with the path.
func inBubble(t *testing.T, c sessionresume.Constants, viewers int, took func(string, sessionresume.Local), f func(r *Run) error) (err error) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		var r *Run
		if r, err = Start(c, viewers, took); err != nil {
			return
		}
		defer r.Close()
		if err = f(r); err != nil {
			err = fmt.Errorf("%v: %w", r.Path(), err)
		}
	})
	return err
}

// A table without one of its guards or rules is not what the host does: the comparison sees it.
func TestATableWithoutAGuardIsNotFollowed(t *testing.T) {
	for name, s := range Scenarios() {
		t.Run(name, func(t *testing.T) {
			c := s.Constants
			if err := inBubble(t, c, s.Viewers, nil, func(r *Run) error { return r.All(t.Context(), s.path()) }); err != nil {
				t.Fatalf("what ships: %v", err)
			}
			c.Off = []string{name}
			err := inBubble(t, c, s.Viewers, nil, func(r *Run) error { return r.All(t.Context(), s.path()) })
			var differs *Difference
			if !errors.As(err, &differs) && err == nil {
				t.Error("nothing is noticed")
			}
			t.Log(err)
		})
	}
}

func TestOperationsAreReadAsTheyAreWritten(t *testing.T) {
	for name, s := range Scenarios() {
		for _, o := range s.path() {
			if back, err := Parse(o.String()); err != nil || len(back) != 1 || back[0] != o {
				t.Errorf("%s: %q is read as %v, %v", name, o, back, err)
			}
		}
	}
	for _, text := range []string{"Ask", "Ask(v0)", "Ask(w1)", "Produce(v1)", "Ask(v1)x", "Send(v1)", "Ask(v99999999999999999999)"} {
		if ops, err := Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, ops)
		}
	}
}
