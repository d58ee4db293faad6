package simprograms

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"podlife/runtime/agent"
	"podlife/runtime/boot"
	"podlife/runtime/engine"
	"podlife/runtime/engine/simulated"
)

// booting is one run of the boot command.
type booting struct {
	ps      *Programs
	p       *simulated.Proc
	request boot.Request
	want    boot.Marker
	out     *json.Encoder
}

// boot stands for `agent boot --lifeline`.
func (ps *Programs) boot(ctx context.Context, p *simulated.Proc) int {
	b := &booting{ps: ps, p: p, out: json.NewEncoder(p.Stdout)}
	dec := json.NewDecoder(p.Stdin)
	dec.DisallowUnknownFields() // as the agent: a simulated one of an earlier version would refuse what it does not know
	if err := dec.Decode(&b.request); err != nil {
		return b.finish(boot.Result{Step: boot.StepRequest, Detail: fmt.Sprintf("%v: %v", errNotStarted, err)})
	}
	if err := boot.ValidateRequest(b.request); err != nil {
		return b.finish(boot.Result{Step: boot.StepRequest, Detail: err.Error()})
	}
	b.request.Recipe = b.request.Recipe.WithDefaults()
	b.want = boot.Marker{Pod: b.request.Pod, Incarnation: b.request.Incarnation, Recipe: b.request.RecipeHash}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends with the input, which ends at the latest with the process
		_, _ = io.Copy(io.Discard, p.Stdin)
		cancel()
	}()
	lock := ps.lock(p.Container.ID)
	select {
	case lock <- struct{}{}:
	case <-ctx.Done():
		return b.finish(boot.Result{Step: boot.StepScript, Detail: "another boot of this container is still running"})
	}
	defer func() { <-lock }()
	return b.finish(b.run(ctx))
}

// lock gives the channel that takes one boot of the container at a time.
func (ps *Programs) lock(id engine.ID) chan struct{} {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.runs[id] == nil {
		ps.runs[id] = make(chan struct{}, 1)
	}
	return ps.runs[id]
}

func (b *booting) tell(e boot.Event) { _ = b.out.Encode(e) } // a boot whose reader is gone is ended by its input

func (b *booting) finish(r boot.Result) int {
	b.tell(boot.Event{Result: &r})
	if r.OK {
		return 0
	}
	return 1
}

// run is the script: the marker first, then every step, then the verdict of the guard.
func (b *booting) run(ctx context.Context) boot.Result {
	if agent.Check(files{b.p.Files}, boot.MarkerPath, b.want).OK {
		return boot.Result{OK: true, Already: true}
	}
	for _, name := range boot.Steps() {
		if r := b.step(ctx, name); r != nil {
			return *r
		}
	}
	if v := agent.Check(files{b.p.Files}, boot.MarkerPath, b.want); !v.OK {
		return boot.Result{Step: boot.StepMarker, Detail: string(v.Reason)}
	}
	return boot.Result{OK: true}
}

// step runs one step; its result is nil when the next one is to run.
func (b *booting) step(ctx context.Context, name string) *boot.Result {
	b.tell(boot.Event{Step: name, Status: "started"})
	f, err := b.ps.before(ctx, Step{Pod: b.want.Pod, Incarnation: b.want.Incarnation, Container: b.p.Container.ID, Name: name})
	if err != nil {
		return &boot.Result{Step: name, ExitCode: 143, Detail: "ended from outside"}
	}
	if f != nil {
		b.tell(boot.Event{Log: f.log})
		b.tell(boot.Event{Step: name, Status: "failed", Detail: fmt.Sprintf("exit code %d", f.code)})
		return &boot.Result{Step: name, ExitCode: f.code}
	}
	status, err := b.effect(name)
	if err != nil {
		return &boot.Result{Step: name, ExitCode: 1, Detail: err.Error()}
	}
	b.tell(boot.Event{Step: name, Status: status})
	return nil
}

// effect does what stands for the step; the word is its status.
func (b *booting) effect(name string) (status string, err error) {
	fs, recipe := b.p.Files, b.request.Recipe
	file, text := "", ""
	switch name {
	case boot.StepPackages:
		file, text = Multiplexer, "stands for the multiplexer\n"
	case boot.StepRepository:
		if recipe.Repo.URL == "" {
			return "skipped", nil
		}
		file, text = recipe.Repo.Dir+"/.git/HEAD", recipe.Repo.URL+"\n"
	case boot.StepHook:
		file, text = Hook, "stands for the hook\n"
	case boot.StepUserScript:
		if recipe.UserScript == "" {
			return "skipped", nil
		}
		runs, _ := fs.Read(UserRuns) // none before the first
		return "done", fs.Write(UserRuns, append(runs, '.'))
	case boot.StepMarker:
		if err := fs.Write(boot.MarkerPath+".new", b.want.Format()); err != nil {
			return "", err
		}
		return "done", fs.Rename(boot.MarkerPath+".new", boot.MarkerPath)
	}
	if has(fs, file) {
		return "skipped", nil
	}
	return "done", fs.Write(file, []byte(text))
}
