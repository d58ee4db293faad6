package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"podlife/model/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inBubble runs f with a server of these constants. The error is f's, with the path.
func inBubble(t *testing.T, c workspace.Constants, took func(Step), f func(r *Run) error) (err error) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(*testing.T) {
		var r *Run
		if r, err = Start(c, dir, took); err != nil {
			return
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		if err = f(r); err != nil {
			err = fmt.Errorf("%v: %w", r.Path(), err)
		}
	})
	return err
}

// all does operations until one is not as it should be.
func all(ops []Op) func(*Run) error {
	return func(r *Run) error {
		for _, o := range ops {
			if err := r.Do(o); err != nil {
				return err
			}
		}
		return nil
	}
}

func parsed(t *testing.T, text string) []Op {
	t.Helper()
	ops, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

// A table without one of its guards or rules is not what the server does: the comparison sees it.
func TestATableWithoutAGuardIsNotFollowed(t *testing.T) {
	for _, name := range workspace.Switches() {
		t.Run(name, func(t *testing.T) {
			s := Scenarios()[name]
			if err := inBubble(t, s.Constants, nil, all(parsed(t, s.Path+" "+s.Then))); err != nil {
				t.Fatalf("what ships: %v", err)
			}
			s.Off = []string{name}
			err := inBubble(t, s.Constants, nil, all(parsed(t, s.Path+" "+s.Forbidden)))
			var differs *Difference
			if !errors.As(err, &differs) {
				t.Errorf("nothing is noticed: %v", err)
			}
			t.Log(err)
		})
	}
}

// weight says how often a kind is drawn where it is possible: seldom what ends something. What is not named is drawn often.
func weight(k Kind) int {
	if w, ok := map[Kind]int{
		Refuse: 10, Fail: 3, Die: 3, DeleteLands: 1, Kind(workspace.Stop): 6, Kind(workspace.Delete): 2, Kind(workspace.RemovedByHand): 3, Kind(workspace.Crash): 3,
		Kind(workspace.LaunchFails): 8, Kind(workspace.CreateEphemeral): 10, Kind(workspace.CreateWorkspace): 30, Kind(workspace.MakeVolume): 30,
	}[k]; ok {
		return w
	}
	return 60
}

// draw chooses one of the operations that are possible by a number. Numbers that are near to each other, of which rapid draws more near 0, choose different ones. What changes nothing is drawn seldom.
func draw(r *Run, n int) (Op, bool) {
	ops, total := r.Possible(), 0
	weights := make([]int, len(ops))
	for i, o := range ops {
		weights[i] = weight(o.Kind)
		if to, _, err := r.design.do(r.place, o); err == nil && to == r.place {
			weights[i] = 2
		}
		total += weights[i]
	}
	if over := !slices.ContainsFunc(r.place.Pods[:], func(p workspace.Pod) bool { return p.Rec.Life != workspace.Over }); over || total == 0 {
		return Op{}, false
	}
	n = n * 7919 % 10007 % total
	for i, o := range ops {
		if n -= weights[i]; n < 0 {
			return o, true
		}
	}
	panic("workspace: nothing was drawn")
}

// hazards are the steps of tla/WorkspaceWitness.tla.
func hazards() map[string]func(Step) bool {
	home := func(s Step) workspace.Volume {
		rec := s.Before.Pods[s.Op.P].Rec
		if !rec.HasHome() {
			return workspace.Volume{}
		}
		return s.Before.Pods[rec.Volume()].Vol
	}
	some := func(s Step, is func(p workspace.Pod, home workspace.Volume) bool) bool {
		for _, p := range s.Before.Pods {
			if p.Rec.HasHome() && is(p, s.Before.Pods[p.Rec.Volume()].Vol) {
				return true
			}
		}
		return false
	}
	return map[string]func(Step) bool{
		"DeleteDuringLaunch": func(s Step) bool {
			return s.Action == workspace.Delete && s.Before.Pods[s.Op.P].Flight == workspace.Asked
		},
		"LaunchLandsInADelete": func(s Step) bool { return s.Action == workspace.Start && s.Before.Pods[s.Op.P].Life == workspace.Going },
		"VolumeRemovedDuringLaunch": func(s Step) bool {
			return s.Action == workspace.RemovedByHand && some(s, func(p workspace.Pod, _ workspace.Volume) bool {
				return p.Flight == workspace.Asked && p.Rec.Volume() == s.Op.P
			})
		},
		"StartWithAMarkerOnTheVolume": func(s Step) bool { return s.Action == workspace.Start && home(s).Marker != 0 },
		"CrashWhileMaking": func(s Step) bool {
			return s.Action == workspace.Crash && some(s, func(p workspace.Pod, home workspace.Volume) bool { return p.Life == workspace.Making && home.There })
		},
		"CrashWhileGoing": func(s Step) bool {
			return s.Action == workspace.Crash && some(s, func(p workspace.Pod, home workspace.Volume) bool { return p.Life == workspace.Going && home.There })
		},
		"AdoptWithWork": func(s Step) bool {
			return s.Action == workspace.Adopt && s.Before.Pods[s.Op.V].Vol.Data == workspace.Work
		},
		"StartWithWork": func(s Step) bool {
			return s.Action == workspace.Start && s.Before.Pods[s.Op.P].Rec.Inc > 1 && home(s).Data == workspace.Work
		},
		"BootOverALeftContainer": func(s Step) bool { return s.Action == workspace.Boot && s.Before.Pods[s.Op.P].Box.Up },
	}
}

// besides are paths of what is seldom drawn.
func besides() []string {
	return []string{
		made + booted + worked + "Delete(p1,true) TearDown(p1) Gone(p1) Adopt(p2,p1) Boot(p2) Look(p2) Launch(p2) Start(p2) Fail(p2) Boot(p2) TearDown(p2) Look(p2) Launch(p2) Delete(p2,false) Start(p2) TearDown(p2) RemoveVolume(p2) Gone(p2)",
		made + "Boot(p1) Look(p1) RemovedByHand(p1) Launch(p1) LaunchFails(p1) Delete(p1,false) Gone(p1)",
		made + booted + "Attach(p1) CopyMarker(p1) Die(p1) Boot(p1) TearDown(p1) Look(p1) Delete(p1,false) Launch(p1) Start(p1) Crash Recover TearDown(p1) RemoveVolume(p1) Gone(p1)",
		"CreateWorkspace(p1) MakeVolume(p1) Crash Recover MakeVolume(p1) Made(p1)",
		"CreateWorkspace(p1) DeleteLands(p1) RemoveVolume(p1) Gone(p1)",
	}
}

// A server that is driven along any path does what the table says: which pods there are, what they have, what is in their homes, and what it refuses. All actions are taken, and all the dangerous steps.
func TestTheServerFollowsTheTable(t *testing.T) {
	taken, met, kinds := map[string]int{}, map[string]int{}, map[Kind]int{}
	took := func(s Step) {
		taken[s.Action]++
		kinds[s.Op.Kind]++
		for name, is := range hazards() {
			if is(s) {
				met[name]++
			}
		}
	}
	c := workspace.Constants{Pods: 3, Foreign: []int{2}, MaxInc: 1000, MaxCrashes: 1000}
	for _, text := range besides() {
		if err := inBubble(t, c, took, all(parsed(t, text))); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		c.Foreign = rapid.SampledFrom([][]int{{2}, nil}).Draw(rt, "foreign")
		choices := rapid.SliceOfN(rapid.IntRange(0, 9999), 40, 150).Draw(rt, "choices")
		if err := inBubble(t, c, took, func(r *Run) error {
			for _, n := range choices {
				o, ok := draw(r, n)
				if !ok {
					return nil
				}
				if err := r.Do(o); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			rt.Fatal(err)
		}
	})
	for _, a := range workspace.Table(workspace.Constants{}).Actions {
		if taken[a.Name] == 0 {
			t.Errorf("%s was never taken", a.Name)
		}
	}
	for name := range hazards() {
		if met[name] == 0 {
			t.Errorf("%s was never met", name)
		}
	}
	for _, k := range []Kind{Fail, Die, DeleteLands} {
		if kinds[k] == 0 {
			t.Errorf("%s was never done", k)
		}
	}
	t.Log("taken:", taken, "met:", met)
}

// Every step of a small configuration that the server can be brought to, from every state of it, and in each of these states nothing that the table does not have.
func TestTheServerTakesEveryStepOfASmallConfiguration(t *testing.T) {
	for name, row := range map[string]struct {
		c            workspace.Constants
		edges, taken int
		out          map[string]int
	}{
		"one pod": {workspace.Constants{Pods: 1, MaxInc: 1, MaxCrashes: 1}, 1863, 1821, map[string]int{
			scriptOver: 10, deleteWaits: 8, unreached: 24,
		}},
		"two pods that do not start": {workspace.Constants{Pods: 2, MaxInc: 0, MaxCrashes: 0}, 2222, 2222, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := Paths(t.Context(), row.c)
			if err != nil {
				t.Fatal(err)
			}
			if plan.Edges != row.edges || plan.Taken != row.taken || fmt.Sprint(plan.Out) != fmt.Sprint(row.out) {
				t.Errorf("%d edges of which %d are taken, want %d and %d; %v, for example %v", plan.Edges, plan.Taken, row.edges, row.taken, plan.Out, plan.sample)
			}
			steps := 0
			for _, path := range plan.Paths {
				if err := inBubble(t, row.c, func(Step) { steps++ }, all(path)); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d edges of the table, %d of them in %d paths with %d steps, through %d places with %d operations; the others: %v", plan.Edges, plan.Taken, len(plan.Paths), steps, plan.Places, plan.Moves, plan.Out)
		})
	}
}

func TestOperationsAreReadAsTheyAreWritten(t *testing.T) {
	texts := besides()
	for _, s := range Scenarios() {
		texts = append(texts, s.Path+" "+s.Forbidden+" "+s.Then)
	}
	for _, text := range texts {
		var back []string
		for _, o := range parsed(t, text) {
			back = append(back, o.String())
		}
		if got, want := strings.Join(back, " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("%q is read as %q", want, got)
		}
	}
	for _, text := range []string{"Boot", "Boot(p4)", "Boot(p1,p2)", "Crash(p1)", "Adopt(p1)", "Delete(p1)", "Delete(p1,p2)", "Nap(p1)", "Boot(p1)x", "Look()"} {
		if ops, err := Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, ops)
		}
	}
}
