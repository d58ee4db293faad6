package lockstep

import (
	"io"

	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

// WriteITF writes a path with all its states, as `podlife replay` and `podlife trace check` read it. The errors are those of the table, for what is no path, and of w.
func WriteITF(w io.Writer, path []Step, o Options) error {
	c := podruntime.Constants{MaxInc: podruntime.MaxMaxInc, MaxCrashes: podruntime.MaxMaxCrashes, ImageMarked: o.ImageMarked}
	table, tabs := podruntime.Table(c), tabsOf(path, o)
	var s podruntime.State
	taken := []explain.Taken{takenTo(s, tabs, Step{})}
	taken[0].Recorded = -1
	for _, step := range path {
		var err error
		if s, err = Effect(table, s, tabs, step); err != nil {
			return err
		}
		taken = append(taken, takenTo(s, tabs, step))
	}
	return tracecheck.WritePath(w, taken, c, "")
}

func takenTo(s podruntime.State, tabs int, step Step) explain.Taken {
	clients := map[string]podruntime.Client{}
	for i := range tabs {
		clients[podlifecycle.ClientName(i)] = s.Tab(i)
	}
	return explain.Taken{Step: explain.Step{Action: step.Action, Client: step.Client, N: step.Inc}, Pod: s.Pod(), Clients: clients}
}
