package faults

import (
	"testing"
	"time"

	"podlife/runtime/engine"
)

// kindsOf are the ways in which an operation can fail.
func kindsOf(op string) []engine.Kind {
	switch op {
	case Save:
		return []engine.Kind{""}
	case "create":
		return []engine.Kind{engine.Failed, engine.Unavailable, engine.Canceled, engine.ImageMissing, engine.Conflict, engine.Invalid}
	case "start", "exec":
		return []engine.Kind{engine.Failed, engine.Unavailable, engine.Canceled, engine.NotFound, engine.NotRunning}
	}
	return []engine.Kind{engine.Failed, engine.Unavailable, engine.Canceled}
}

var operations = []string{Save, "create", "start", "exec", "remove", "list", "inspect", "wait"}

// No single failure of the store or the engine, whichever call it meets, leaves anything that the server does not bring in order.
func TestAFailureOfAnyCallLeavesNothingBehind(t *testing.T) {
	began, met, runs := time.Now(), map[string]int{}, 0
	for i, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for _, op := range operations {
				for k, kind := range kindsOf(op) {
					if testing.Short() && (i+k)%3 != 0 {
						continue
					}
					for _, lost := range []bool{false, true} {
						if lost && (op == Save || kind != engine.Unavailable && kind != engine.Canceled) {
							continue // an answer that came was not lost
						}
						for nth := 1; nth < 50 && !t.Failed(); nth++ {
							d := Disturbance{Scenario: s, Faults: []Fault{{Op: op, Nth: nth, Kind: kind, Lost: lost}}}
							o := bubble(t, d.run)
							runs++
							report(t, d, o)
							if o.FaultsMet <= len(s.Faults) {
								break
							}
							met[op+" "+string(kind)]++
						}
					}
				}
			}
		})
	}
	defer func() { leave(t, "simulated", "failures", began, runs, met) }()
	t.Logf("%d runs; failures met: %s", runs, told(met))
	for _, op := range operations {
		for _, kind := range kindsOf(op) {
			if !testing.Short() && met[op+" "+string(kind)] == 0 {
				t.Errorf("no scenario met a failure of %s of the kind %q", op, kind)
			}
		}
	}
}

// A disk that is full, or an engine that is away, from any moment on until it is repaired.
func TestAFailureThatLastsLeavesNothingBehind(t *testing.T) {
	began, runs := time.Now(), 0
	for i, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for j, f := range []Fault{
				{Op: Save}, {Op: Any, Kind: engine.Unavailable}, {Op: Any, Kind: engine.Unavailable, Lost: true}, {Op: "remove"}, {Op: "create", Lost: true, Kind: engine.Unavailable}, {Op: "exec"},
			} {
				if testing.Short() && (i+j)%3 != 0 {
					continue
				}
				for f.Nth = 1; f.Nth < 100 && !t.Failed(); f.Nth++ {
					f.Always = true
					d := Disturbance{Scenario: s, Faults: []Fault{f}}
					o := bubble(t, d.run)
					runs++
					report(t, d, o)
					if o.FaultsMet <= len(s.Faults) {
						break
					}
				}
			}
		})
	}
	leave(t, "simulated", "lasting-failures", began, runs, map[string]int{"a failure that lasts": runs})
	t.Logf("%d runs", runs)
}

// An engine that takes its time for every call.
func TestASlowEngineLeavesNothingBehind(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			for _, slow := range []time.Duration{50 * time.Millisecond, 2 * time.Second, 8 * time.Second} {
				d := Disturbance{Scenario: s, Slow: slow}
				report(t, d, bubble(t, d.run))
			}
		})
	}
}
