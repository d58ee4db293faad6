package explain

import (
	"testing"
	"time"

	"podlife/model/podruntime"
)

// life is one after which another can follow.
func life() []Step { return append(boot(), Step{podruntime.AttachGuarded, "c1", 0, 1}) }

// cycles repeats a life of a pod, with the incarnations counted on.
func cycles(life []Step, steps int) []Step {
	var all []Step
	for inc := 0; len(all) < steps; inc++ {
		for _, s := range life {
			if s.N != 0 {
				s.N += inc
			}
			s.Incarnation += inc
			all = append(all, s)
		}
	}
	return all[:steps]
}

// plain steps through the table, which any check of a trace must do at least.
func plain(b *testing.B, steps []Step) time.Duration {
	b.Helper()
	table, began := Shipped(), time.Now()
	var pod podruntime.Pod
	clients := map[string]podruntime.Client{}
	for _, s := range steps {
		l := podruntime.Local{Pod: pod, Client: clients[s.Client], N: s.N}
		if s.Action == podruntime.EndRun || s.Action == podruntime.IdleSleep {
			for _, c := range clients {
				l.Tabs = append(l.Tabs, c)
			}
		}
		after, err := table.Take(s.Action, l)
		if err != nil {
			b.Fatal(err)
		}
		pod = after.Pod.ForgetHistory(after.Pod.Inc - historyKept)
		if s.Client != "" {
			clients[s.Client] = after.Client
		}
	}
	return time.Since(began)
}

// whole and seen are a trace with every step recorded, and what is left of it where the world's are not.
func whole(steps int) []Step { return cycles(life(), steps) }
func seen(steps int) []Step {
	return cycles(without(life(), podruntime.ScriptWorks, podruntime.ScriptMarks), steps)
}

func benchmark(b *testing.B, traces int, steps []Step, ratio bool) {
	b.Helper()
	for b.Loop() {
		for range traces {
			a, err := Check(Options{}, steps)
			if err != nil || a.Verdict != Explained {
				b.Fatal(a, err)
			}
		}
	}
	each := b.Elapsed() / time.Duration(b.N*traces*len(steps))
	b.ReportMetric(float64(each.Nanoseconds()), "ns/step")
	if ratio {
		b.ReportMetric(float64(b.Elapsed())/float64(b.N*traces)/float64(plain(b, steps)), "times-plain-stepping")
	}
}

func BenchmarkTraceOf10000Steps(b *testing.B)        { benchmark(b, 1, whole(10_000), true) }
func BenchmarkTraceOf10000StepsHidden(b *testing.B)  { benchmark(b, 1, seen(10_000), false) }
func Benchmark3000TracesOf100Steps(b *testing.B)     { benchmark(b, 3000, whole(100), true) }
func Benchmark3000TracesOf100StepsSeen(b *testing.B) { benchmark(b, 3000, seen(100), false) }
