package monitor

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"podlife/model"
	"podlife/model/explain"
	"podlife/model/podruntime"
	"podlife/runtime/pod"
)

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func unbounded(off ...string) model.Table[podruntime.Local] {
	return podruntime.Table(podruntime.Constants{MaxInc: math.MaxInt, MaxCrashes: math.MaxInt, Off: off})
}

// watched gives a monitor with these steps checked.
func watched(o Options, steps ...pod.Step) *Monitor {
	if o.Logger == nil {
		o.Logger = quiet()
	}
	m := New(o)
	for _, s := range steps {
		m.Observe(s)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	m.Run(over)
	return m
}

// walk is a server that runs by some table: it draws what it does.
type walk struct {
	table, shipped model.Table[podruntime.Local]
	rnd            *rand.Rand
	pod            podruntime.Pod
	tabs           map[string]podruntime.Client
	steps          []pod.Step
	wrong          bool // a step was taken that the shipped table refuses
}

func newWalk(seed uint64, off ...string) *walk {
	return &walk{
		table: unbounded(off...), shipped: unbounded(), rnd: rand.New(rand.NewPCG(seed, 7)),
		tabs: map[string]podruntime.Client{"c1": {}, "c2": {}},
	}
}

// move is a step that can be taken.
type move struct {
	action model.Action[podruntime.Local]
	client string
	inc    int
	local  podruntime.Local
	wrong  bool
}

func (w *walk) moves() (right, wrong []move) {
	for i, a := range w.table.Actions {
		incs, clients := []int{0}, []string{""}
		for _, param := range a.Params {
			switch param {
			case podruntime.ParamInc:
				incs = nil
				for _, inc := range w.pod.Incs {
					incs = append(incs, inc.N)
				}
			case podruntime.ParamClient:
				clients = []string{"c1", "c2"}
			}
		}
		if rare := w.rnd.IntN(10) > 0 && strings.Contains("LaunchFails ScriptFails ContainerDies MarkerRemoved Destroy IdleSleep DialFails", a.Name); rare || len(a.Params) == 0 {
			continue // no crashes: a server does not record its own
		}
		for _, inc := range incs {
			for _, client := range clients {
				m := move{a, client, inc, podruntime.Local{Pod: w.pod, Client: w.tabs[client], Tabs: []podruntime.Client{w.tabs["c1"], w.tabs["c2"]}, N: inc}, false}
				if !a.Enabled(m.local) {
					continue
				}
				if m.wrong = !w.shipped.Actions[i].Enabled(m.local); m.wrong {
					wrong = append(wrong, m)
				} else {
					right = append(right, m)
				}
			}
		}
	}
	return right, wrong
}

// step takes one that the shipped table refuses, where there is one.
func (w *walk) step() bool {
	from, wrong := w.moves()
	if len(wrong) > 0 {
		from = wrong
	}
	if len(from) == 0 {
		return false
	}
	m := from[w.rnd.IntN(len(from))]
	w.wrong = w.wrong || m.wrong
	after := m.action.Effect(m.local)
	w.pod = after.Pod
	if m.client != "" {
		w.tabs[m.client] = after.Client
	}
	w.steps = append(w.steps, pod.Step{
		Seq: int64(len(w.steps) + 1), Pod: "p", Action: m.action.Name, Client: pod.ClientID(m.client), Inc: m.inc, Incarnation: w.pod.Inc,
	})
	return true
}

func (w *walk) run(steps int) *walk {
	for len(w.steps) < steps && !w.wrong && w.step() {
	}
	return w
}

func TestAServerThatRunsByTheTableIsOK(t *testing.T) {
	for seed := range uint64(100) {
		w := newWalk(seed).run(200)
		m := watched(Options{}, w.steps...)
		checked, divergences, missed := m.Counts()
		if m.Verdict("p") != string(OK) || checked != uint64(len(w.steps)) || divergences+missed != 0 {
			t.Fatalf("seed %d: %s after %d of %d steps", seed, m.Verdict("p"), checked, len(w.steps))
		}
	}
}

// A server without one of its guards does something that it must not do, and the monitor says so at that step.
func TestAServerWithoutAGuardDiverges(t *testing.T) {
	noticed := 0
	for _, guard := range podruntime.Switches() {
		wrong, seen := 0, 0
		for seed := range uint64(12) {
			w := newWalk(seed, guard).run(300)
			if !w.wrong {
				continue
			}
			wrong++
			log := &bytes.Buffer{}
			m := watched(Options{Logger: slog.New(slog.NewTextHandler(log, nil))}, w.steps...)
			if m.Verdict("p") != string(Diverged) {
				continue
			}
			seen++
			name := guard[strings.Index(guard, ".")+1:]
			if guard == "Dial.neverWakes" {
				name = "wakes" // a rule, which one guard is made of
			}
			if _, n, _ := m.Counts(); n != 1 || strings.Count(log.String(), "level=ERROR") != 1 {
				t.Errorf("%s: %d divergences, log %s", guard, n, log)
			}
			if !strings.Contains(log.String(), name) {
				t.Errorf("%s is not named: %s", guard, log)
			}
		}
		t.Logf("%-32s wrong in %d of 12 walks, noticed in %d", guard, wrong, seen)
		if seen < wrong {
			t.Errorf("%s: %d of %d servers without it were not noticed", guard, wrong-seen, wrong)
		}
		if seen > 0 {
			noticed++
		}
	}
	if noticed < 20 {
		t.Errorf("only %d guards are noticed", noticed)
	}
}

func TestADivergenceIsToldToWhoeverAsksForIt(t *testing.T) {
	var told []explain.Answer
	boot := pod.Step{Seq: 1, Pod: "p", Action: podruntime.StartBoot, Client: "c1", Incarnation: 1}
	twice := boot
	twice.Seq = 2
	m := watched(Options{Diverged: func(_ pod.ID, a explain.Answer) { told = append(told, a) }}, boot, twice, pod.Step{Seq: 3, Pod: "p", Action: podruntime.Destroy})
	if len(told) != 1 || told[0].Explained != 1 || m.Verdict("p") != string(Diverged) || m.Verdict("other") != string(OK) {
		t.Errorf("told %v, verdict %s", told, m.Verdict("p"))
	}
}

func TestAStepThatWasMissedLeavesNothingKnownUntilTheNextRecovery(t *testing.T) {
	boot := pod.Step{Seq: 1, Pod: "p", Action: podruntime.StartBoot, Client: "c1", Incarnation: 1}
	late := pod.Step{Seq: 4, Pod: "p", Action: podruntime.Detach, Client: "c9", Incarnation: 1}
	if m := watched(Options{}, boot, late); m.Verdict("p") != string(Unknown) {
		t.Errorf("with a gap: %s", m.Verdict("p"))
	}
	other := boot
	other.Pod = "q"
	m := watched(Options{Queue: 1}, boot, other)
	if _, _, missed := m.Counts(); m.Verdict("q") != string(Unknown) || m.Verdict("p") != string(OK) || missed != 1 {
		t.Errorf("with a full queue: p %s, q %s, missed %d", m.Verdict("p"), m.Verdict("q"), missed)
	}
	recovered := pod.Step{Seq: 9, Pod: "p", Action: podruntime.RecoverAsleep, Incarnation: 1}
	next := pod.Step{Seq: 10, Pod: "p", Action: podruntime.StartBoot, Client: "c1", Incarnation: 2}
	if m := watched(Options{}, boot, late, recovered, next); m.Verdict("p") != string(OK) {
		t.Errorf("after a recovery: %s", m.Verdict("p"))
	}
	next.Action = podruntime.Probe
	if m := watched(Options{}, boot, late, recovered, next); m.Verdict("p") != string(Diverged) {
		t.Errorf("after a recovery, with a wrong step: %s", m.Verdict("p"))
	}
}

// The steps of a server that is busy, over and over: 50,000 each second are asked for.
func BenchmarkMonitor(b *testing.B) {
	walks := make([][]pod.Step, 50)
	steps := 0
	for i := range walks {
		walks[i] = newWalk(uint64(i)).run(400).steps
		steps += len(walks[i])
	}
	for b.Loop() {
		m := New(Options{Logger: quiet()})
		pods := map[pod.ID]*followed{}
		for i, walk := range walks {
			for _, s := range walk {
				s.Pod = pod.ID(rune('a' + i))
				m.check(pods, s)
			}
		}
		if checked, diverged, _ := m.Counts(); checked != uint64(steps) || diverged > 0 {
			b.Fatal(checked, diverged)
		}
	}
	b.ReportMetric(float64(b.N*steps)/b.Elapsed().Seconds(), "steps/s")
}
