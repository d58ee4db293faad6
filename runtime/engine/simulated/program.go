package simulated

import (
	"context"
	"io"
	"slices"

	"podlife/runtime/engine"
)

// Program is what runs when a command is started. It returns its exit code, 0 to 255; 126 stands for a file that cannot be executed.
//
// Its context ends when its container dies or somebody kills it. From that moment its streams and files give errors, so that a program that goes on for a while changes nothing any more, as a killed
// process does not; but it has to return for Engine.Close to return.
type Program func(ctx context.Context, p *Proc) int

// Proc is what a program knows of its process.
type Proc struct {
	Argv      []string
	Env       []string // of the container, then of the exec
	Dir       string
	TTY       bool
	PID       int // 1 for the container's own program
	Container engine.Container
	Stdin     io.Reader // of PID 1: never gives anything. An exec's input ends when its connection is closed, unless it has a terminal: then it only falls silent
	Stdout    io.Writer
	Stderr    io.Writer // with a terminal the same as Stdout
	Files     *Files

	p *process
}

// Size is the size of the terminal; 0 and 0 before the first Resize, as on the real engine.
func (p *Proc) Size() (cols, rows uint16) {
	p.p.e.mu.Lock()
	defer p.p.e.mu.Unlock()
	return p.p.cols, p.p.rows
}

// Kill ends another process of the same container as kill -9 does, and says whether there was one. Killing PID 1 ends the container.
func (p *Proc) Kill(pid int) bool {
	e := p.p.e
	e.mu.Lock()
	defer e.mu.Unlock()
	victim := p.p.box.procs[pid]
	if p.p.over || victim == nil {
		return false
	}
	if pid == 1 {
		e.dieLocked(p.p.box, killed, false)
		return true
	}
	e.endLocked(victim, killed)
	return true
}

// run starts a process's program. The caller holds Engine.mu.
func (e *Engine) run(p *process, program Program) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	proc := &Proc{
		Argv: slices.Clone(p.spec.Command), Env: slices.Concat(p.box.spec.Env, p.spec.Env), Dir: p.spec.Dir, TTY: p.spec.TTY, PID: p.pid,
		Container: p.box.copy(), Stdin: p.stdin, Stdout: p.stdout, Stderr: p.tail, Files: &Files{e: e, box: p.box, of: p}, p: p,
	}
	if p.spec.TTY {
		proc.Stderr = p.stdout
	}
	e.wg.Go(func() {
		code := program(ctx, proc) & 0xff
		e.mu.Lock()
		defer e.mu.Unlock()
		if p.over {
			return // it was killed before: its code is known
		}
		e.endLocked(p, code)
		if p.pid == 1 {
			e.dieLocked(p.box, code, false)
		}
	})
}
