package traces

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"podlife/model/podlifecycle"
)

// TestDrawnPlansAreWhatTheTableAllows needs no server: what a plan expects is a trace of the specification, in which every action is fired and nothing breaks.
func TestDrawnPlansAreWhatTheTableAllows(t *testing.T) {
	fired, tried := map[string]int{}, map[string]int{}
	table := Table()
	rapid.Check(t, func(rt *rapid.T) {
		plan := Drawing{Tabs: tabs, Steps: steps, Kinds: append(AllKinds(), Idle)}.Draw(rt)
		m := Start(tabs)
		f := &Failure{Model: m, At: len(plan)}
		for _, op := range plan {
			st, ok := Expect(table, m, op)
			if !ok {
				rt.Fatalf("%s was drawn in %s", op, m)
			}
			if len(m.broken(table)) > 0 {
				rt.Fatalf("%s breaks %q", m, m.broken(table))
			}
			f.Want.Groups = append(f.Want.Groups, st.Groups...)
			for _, g := range st.Groups {
				for _, c := range g {
					fired[c.Action]++
				}
			}
			if st.Tried != nil {
				if st.Commits() > 0 {
					rt.Fatalf("%s both fires and asks for a disabled action", op)
				}
				tried[st.Tried.Action]++
			}
			m = st.After
		}
		if err := podlifecycle.CheckTrace(table, f.Trace(table)); err != nil {
			rt.Fatal(err)
		}
		if again, err := ParsePlan(plan.String()); len(plan) > 0 && (err != nil || !slices.Equal(again, plan)) {
			rt.Fatalf("%q is read as %q, %v", plan, again, err)
		}
	})
	for _, a := range table.Actions {
		if a.Name != podlifecycle.AttachWakesFresh && a.Name != podlifecycle.AttachAwakeNotReady && fired[a.Name] == 0 {
			t.Errorf("no plan fires %s", a.Name)
		}
	}
	for _, a := range []string{podlifecycle.StartBoot, podlifecycle.AttachReady, podlifecycle.Sleep} {
		if tried[a] == 0 {
			t.Errorf("no plan asks for %s where it is not enabled", a)
		}
	}
}

// The same number of plans takes more edges where each is drawn by what those before it have left out. The numbers are sums over many seeds, which are the same each time.
func TestWhatIsRareIsDrawnMoreOften(t *testing.T) {
	const rounds, plans = 20, 10
	edges := func(learning bool) (sum int) {
		for round := range rounds {
			g := Drawing{Tabs: tabs, Steps: steps, Kinds: AllKinds(), Seen: map[Mark]int{}}
			all := Drawing{Tabs: tabs, Seen: map[Mark]int{}}
			for i := range plans {
				plan := rapid.Custom(g.Draw).Example(1000*round + i)
				all.See(plan)
				if learning {
					g.See(plan)
				}
			}
			for m := range all.Seen {
				if m.kind == markEdge {
					sum++
				}
			}
		}
		return sum
	}
	learning, blind := edges(true), edges(false)
	if learning < blind*105/100 {
		t.Errorf("%d rounds of %d plans take %d edges where each is drawn by what was taken before, and %d where each is drawn as the first", rounds, plans, learning, blind)
	}
	t.Logf("%d and %d edges", learning, blind)
	unseen, often := rarity([]Mark{{name: "a"}, {name: "b"}}, map[Mark]int{{name: "a"}: 1000}), rarity([]Mark{{name: "a"}}, map[Mark]int{{name: "a"}: 1000})
	if unseen <= often || often < 1 {
		t.Errorf("what was never seen weighs %d, and what was seen a thousand times %d", unseen, often)
	}
}

func TestTooLittleIsRed(t *testing.T) {
	full := NewCounts().Now()
	full.Plans, full.Steps, full.Looks, full.Probes = 60, 900, 1, 1
	for _, a := range Table().Actions {
		full.Actions[a.Name] = 5
	}
	full.Tried[podlifecycle.Sleep] = 5
	m := Minima{Plans: 60, Steps: 900, EachAction: 5, Tried: 5}
	if short := full.Short(m); len(short) > 0 {
		t.Errorf("enough is too little: %q", short)
	}
	if short := NewCounts().Now().Short(m); len(short) != 4+7+1 {
		t.Errorf("nothing at all lacks %q", short)
	}
	full.Plans, full.Actions[podlifecycle.BootLost] = 59, 4
	if short := full.Short(m); len(short) != 2 {
		t.Errorf("one trace and one action too few: %q", short)
	}
	if v := full.Results("docker", "", 60, false, 0).Verdict; v != "unknown" {
		t.Errorf("59 of 60 traces are a %s", v)
	}
	full.Plans = 60
	if v := full.Results("docker", "", 60, false, 0).Verdict; v != "pass" {
		t.Errorf("60 of 60 traces are a %s", v)
	}
	if v := full.Results("docker", "", 60, true, 0).Verdict; v != "fail" {
		t.Errorf("a failed run is a %s", v)
	}
}

func TestShrinkLeavesOutWhatIsNotNeeded(t *testing.T) {
	plan, err := ParsePlan("boot c1; attach c2; gate; destroy; boot c2; kill; boot c3; gate; attach c3; wipe; attach c1; boot c1; gate; attach c1; destroy")
	if err != nil {
		t.Fatal(err)
	}
	needed := Plan{plan[4], plan[9], plan[13]}
	short := Shrink(plan, 1000, func(p Plan) bool {
		i := 0
		for _, o := range p {
			if i < len(needed) && o == needed[i] {
				i++
			}
		}
		return i == len(needed)
	})
	if !slices.Equal(short, needed) {
		t.Errorf("got %q, want %q", short, needed)
	}
}
