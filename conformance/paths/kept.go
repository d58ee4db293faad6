package paths

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"podlife/conformance/lockstep"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/tla/itf"
)

// ITF writes a path with all states of the specification, in the Informal Trace Format. The path must be one.
func ITF(ctx context.Context, p Path) ([]byte, error) {
	var records []tracecheck.Record
	for _, s := range p {
		records = append(records, tracecheck.Record{Pod: podruntime.PodName, Action: s.Action, Client: s.Client, Inc: s.Inc})
	}
	var text bytes.Buffer
	if err := tracecheck.WriteITF(ctx, &text, explain.Options{Hidden: -1}, records); err != nil {
		return nil, err
	}
	t, err := itf.Decode(text.Bytes())
	if err != nil {
		return nil, err
	}
	t.Description = "a path through the specification, for a server to be driven along"
	text.Reset()
	err = itf.Write(&text, t)
	return text.Bytes(), err
}

// Read reads the paths in the files *.itf.json of a folder, in the order of their names.
func Read(folder fs.FS) (names []string, paths []Path, err error) {
	names, err = fs.Glob(folder, "*.itf.json")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, nil, err
		}
		records, err := tracecheck.Read(bytes.NewReader(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path.Base(name), err)
		}
		var p Path
		for _, r := range records {
			p = append(p, lockstep.Step{Action: r.Action, Client: r.Client, Inc: r.Inc})
		}
		paths = append(paths, p)
	}
	return names, paths, nil
}

// KeptSet gives what paths take of KeptConfig. A path that is none of it is an error.
func KeptSet(paths []Path) (Set, error) {
	g, err := newGraph(KeptConfig(), Server())
	if err != nil {
		return Set{}, err
	}
	set := Set{Paths: paths, g: g}
	for _, p := range paths {
		walk, err := g.walkOf(p)
		if err != nil {
			return Set{}, err
		}
		set.walks = append(set.walks, walk)
	}
	return set, nil
}

// walkOf gives the edges of a path.
func (g *Graph) walkOf(p Path) (walk []int32, err error) {
	table := Table()
	var s podruntime.State
	for i, step := range p {
		edges, first := g.out(g.state(s))
		wanted := g.unnamed(s, step)
		at := slices.IndexFunc(edges, func(e edge) bool { return g.steps[e.step] == wanted })
		if at < 0 {
			return nil, fmt.Errorf("step %d of %s cannot be taken there in configuration %s", i+1, p, g.Config)
		}
		walk = append(walk, first+int32(at))
		if s, err = lockstep.Effect(table, s, g.Config.Tabs, step); err != nil {
			return nil, err
		}
	}
	return walk, nil
}

// unnamed is the step as that of the tab which stands for the one that takes it, where the state is reduced.
func (g *Graph) unnamed(s podruntime.State, step lockstep.Step) lockstep.Step {
	small, was := reduced(s, g.Config.Tabs)
	for at, tab := range was[:g.Config.Tabs] {
		if step.Client == podlifecycle.ClientName(tab) {
			for at > 0 && small.Tab(at) == small.Tab(at-1) {
				at--
			}
			step.Client = podlifecycle.ClientName(at)
			break
		}
	}
	return step
}
