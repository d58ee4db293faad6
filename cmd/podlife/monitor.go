package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"podlife/model/explain"
	"podlife/runtime/config"
	"podlife/runtime/monitor"
	"podlife/runtime/pod"
	"podlife/runtime/server"
)

// watch is the monitor of a server, or none.
type watch struct {
	onStep    func(pod.Step) // nil where nobody looks, as forServer
	forServer server.Monitor
	stop      func() // after the pods' end; waits
}

// startMonitor starts the monitor that the configuration asks for. The context that it gives ends at a divergence, where that is to end the server; its cause is then
// a *monitor.DivergedError.
func startMonitor(ctx context.Context, conf *config.Loaded, log *slog.Logger) (context.Context, *watch) {
	if conf.Monitor == "off" {
		return ctx, &watch{stop: func() {}}
	}
	serving, end := context.WithCancelCause(ctx)
	o := monitor.Options{Logger: log}
	if conf.Monitor == "fatal" {
		o.Diverged = func(id pod.ID, a explain.Answer) { end(&monitor.DivergedError{Pod: id, Answer: a}) }
	}
	m := monitor.New(o)
	looking, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { m.Run(looking) })
	return serving, &watch{onStep: m.Observe, forServer: m, stop: func() {
		stop()
		wg.Wait()
		end(nil)
	}}
}

// outcome is how serving has ended, with the exit code of a divergence where that was the reason.
func (w *watch) outcome(ctx context.Context, err error) error {
	var diverged *monitor.DivergedError
	if errors.As(context.Cause(ctx), &diverged) {
		return &codeError{code: exitDiverged, text: printable(diverged.Error()), err: errors.Join(diverged, err)}
	}
	return err
}
