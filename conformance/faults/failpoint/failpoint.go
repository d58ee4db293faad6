// Package failpoint builds the real server with points at which it ends itself by SIGKILL, when a test has said so: before an action is stored, before and after it is committed, before and after each
// call of the engine. The shipped source has no such switch: the points are put in by `go build -overlay`, as a mutant's change is.
//
// It imports mutants, for the build, model/podruntime, conformance/tracecheck and the standard library; tests and conformance/faults import it. Read this file first; overlay/ has what is put in, and
// dir.go how a test speaks with the server that was built.
package failpoint

import (
	"context"
	_ "embed"
	"slices"

	"podlife/model/podruntime"
	"podlife/mutants"
)

// BuildID is what such a server says of itself.
const BuildID = "failpoints"

// A Point is a place of the server's: "before commit StartBoot", "after create".
type Point string

//go:embed overlay/failpoint.go.txt
var pass string

//go:embed overlay/engine.go.txt
var engine string

// Build builds the server with failpoints from the source at root into dir, and gives its path. The files of the repository stay as they are.
func Build(ctx context.Context, root, dir string) (string, error) {
	s := mutants.NewSource(root)
	if err := s.Apply(edits()); err != nil {
		return "", err
	}
	b, err := s.Compile(ctx, dir, BuildID)
	return b.Binary, err
}

// edits put the points in.
func edits() []mutants.Edit {
	const actor, boot, sleep, recovery, serve = "runtime/pod/actor.go", "runtime/pod/boot.go", "runtime/pod/sleep.go", "runtime/pod/recover.go", "cmd/podlife/serve.go"
	imports := func(file, beside string) mutants.Edit {
		return mutants.Replace(file, beside, beside+"\n\t\"podlife/runtime/failpoint\"")
	}
	runtime := `"podlife/model/podruntime"`
	return []mutants.Edit{
		mutants.Add("runtime/failpoint/failpoint.go", pass),
		mutants.Add("runtime/failpoint/engine.go", engine),
		imports(actor, runtime), imports(boot, runtime), imports(sleep, runtime), imports(recovery, runtime), imports(serve, `"podlife/runtime/engine/docker"`),
		mutants.Replace(actor, "\tp.steps.add(s)\n", "\tp.steps.add(s)\n\tfailpoint.Committed(s)\n"),
		mutants.Replace(actor, "\tnow := p.o.Clock.Now()\n\tif is.Pod.Ctr", "\tfailpoint.Pass(\"before commit \" + action)\n\tdefer failpoint.Pass(\"after commit \" + action)\n\tnow := p.o.Clock.Now()\n\tif is.Pod.Ctr"),
		before(boot, "if err := p.o.Store.Save(p.base, r); err != nil {", "podruntime.StartBoot"),
		before(sleep, "if err := p.o.Store.Save(p.base, asleep); err != nil {", "action"),
		before(recovery, "if err := p.o.Store.Save(ctx, Record{Pod: p.id, Inc: n, UpdatedAt: p.o.Clock.Now()}); err != nil {", "podruntime.RecoverAsleep"),
		mutants.Replace(serve, "newContainers(ctx, conf, db.Instance(), eng, asks, log)\n", "newContainers(ctx, conf, db.Instance(), failpoint.Engine{Engine: eng}, asks, log)\n"),
	}
}

// before puts the point before the store's call in front of it.
func before(file, save, action string) mutants.Edit {
	return mutants.Replace(file, save, "failpoint.Pass(\"before save \" + "+action+")\n"+save)
}

// Saves are the actions that are stored before they are committed. RecoverAsleep is where the record says that the pod is awake.
func Saves() []string {
	return []string{podruntime.StartBoot, podruntime.Destroy, podruntime.IdleSleep, podruntime.ContainerLost, podruntime.BootFailed, podruntime.RecoverAsleep}
}

// Never are the actions of the table that the server never commits, and why.
func Never() map[string]string {
	return map[string]string{
		podruntime.DialWakes:        "of the design with the bug",
		podruntime.AttachMoved:      "the server takes DialFails for it",
		podruntime.Crash:            "what a failpoint does",
		podruntime.CrashOtherRecipe: "what a failpoint does, and the next start",
	}
}

// Calls are the engine's calls that have points, a process by the agent's command.
func Calls() []string {
	return []string{"create", "start", "exec boot", "exec relay", "exec check", "remove", "list", "inspect"}
}

// Points are all of them, made from the table's actions, in its order.
func Points() []Point {
	var all []Point
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		if Never()[a.Name] != "" {
			continue
		}
		if slices.Contains(Saves(), a.Name) {
			all = append(all, Point("before save "+a.Name))
		}
		all = append(all, Point("before commit "+a.Name), Point("after commit "+a.Name))
	}
	for _, c := range Calls() {
		all = append(all, Point("before "+c), Point("after "+c))
	}
	return all
}
