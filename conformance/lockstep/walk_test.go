package lockstep

import (
	"math/rand/v2"
	"testing"

	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// allSteps gives every step that a system of so many tabs and incarnations has.
func allSteps(tabs, incs int) []Step {
	var all []Step
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		clients, numbers := []string{""}, []int{0}
		for _, p := range a.Params {
			switch p {
			case podruntime.ParamClient:
				clients = nil
				for i := range tabs {
					clients = append(clients, podlifecycle.ClientName(i))
				}
			case podruntime.ParamInc:
				numbers = nil
				for n := 1; n <= incs; n++ {
					numbers = append(numbers, n)
				}
			}
		}
		for _, c := range clients {
			for _, n := range numbers {
				all = append(all, Step{a.Name, c, n})
			}
		}
	}
	return all
}

// walk draws a path of at least so many steps, if there are so many, that ends at rest; what was taken seldom so far is drawn more often.
func walk(rng *rand.Rand, table model.Table[podruntime.Local], tabs, incs, length int, taken map[string]int) []Step {
	steps := allSteps(tabs, incs)
	var path []Step
	var place Place
	for len(path) < length || !place.AtRest(tabs) {
		var may []Step
		var places []Place
		var weights []float64
		total := 0.0
		for _, s := range steps {
			after, err := Effect(table, place.State, tabs, s)
			if err != nil {
				continue
			}
			if _, ok := place.Drivable(tabs, s); !ok {
				continue
			}
			weight := 1 / float64(1+taken[s.Action])
			may, places, weights = append(may, s), append(places, place.Next(s, after)), append(weights, weight)
			total += weight
		}
		if len(may) == 0 {
			break
		}
		i, x := 0, rng.Float64()*total
		for ; i < len(may)-1 && x > weights[i]; i++ {
			x -= weights[i]
		}
		taken[may[i].Action]++
		path, place = append(path, may[i]), places[i]
	}
	return path
}

func TestTheServerFollowsWalksThatAreDrawn(t *testing.T) {
	steps, taken := 0, map[string]int{}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		tabs, incs, crashes := 1+rng.IntN(podruntime.MaxTabs), 1+rng.IntN(podruntime.MaxMaxInc), rng.IntN(podruntime.MaxMaxCrashes+1)
		path := walk(rng, podruntime.Table(podruntime.Constants{MaxInc: incs, MaxCrashes: crashes}), tabs, incs, 20+rng.IntN(60), taken)
		o := Options{Ask: seed%2 == 0, Tabs: tabs}
		report, err := drive(t, o, path...)
		steps += report.Steps
		if err != nil {
			t.Logf("seed %d, %d tabs", seed, tabs)
			failed(t, path, o, err)
			return
		}
		if report.Steps != len(path) {
			t.Fatalf("seed %d: %d steps were taken of %d", seed, report.Steps, len(path))
		}
	}
	if steps < 2000 {
		t.Errorf("only %d steps were taken", steps)
	}
}
