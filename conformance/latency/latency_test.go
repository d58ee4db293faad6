// Package latency measures what a user waits for, beside the same work done by the engine alone in the same run: `make bench-boot` and `make bench-workspace`. It asserts no times.
//
// It imports conformance/harness and conformance/tab, the client and the engine, and nothing imports it. Read this file first; workspace_test.go is beside it.
package latency

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"podlife/conformance/harness"
	"podlife/runtime/client"
	"podlife/runtime/engine"
)

// samples of one kind of wait.
type samples []time.Duration

func (s samples) median() time.Duration {
	c := slices.Sorted(slices.Values(s))
	return (c[(len(c)-1)/2] + c[len(c)/2]) / 2
}

func (s samples) String() string {
	return fmt.Sprintf("%s (%s to %s)", s.median().Round(100*time.Microsecond), slices.Min(s).Round(100*time.Microsecond), slices.Max(s).Round(100*time.Microsecond))
}

// BenchmarkBootAndAttach takes b.N samples of each, in turn: a cold boot (new container, whole script, network none, image with the tools in it), a boot of the ready pod, an attach to the first byte of
// the shell; beside them create and start of a container, and a terminal exec of the shell to its first byte, by the engine alone.
func BenchmarkBootAndAttach(b *testing.B) {
	harness.NeedDocker(b)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var binary harness.Binary
	defer binary.Remove()
	w := harness.NewDocker(b, harness.DockerOptions{Binary: binary.Path(b), Dir: b.TempDir()})
	user, err := w.NewUser(ctx)
	if err != nil {
		b.Fatal(err)
	}
	var cold, ready, attach, bareStart, bareExec samples
	timed := func(into *samples, f func() error) {
		b.Helper()
		started := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		*into = append(*into, time.Since(started))
	}
	for b.Loop() {
		boot := func() error { _, err := user.Client.Boot(ctx, "bench", nil); return err }
		again := func() error { _, err := user.Client.Boot(ctx, fmt.Sprint("again", len(ready)), nil); return err }
		timed(&cold, boot)
		timed(&ready, again)
		var term *client.Terminal
		timed(&attach, func() error {
			term, err = user.Client.Terminal(ctx, client.Hello{Client: "bench", Cols: 80, Rows: 24})
			if err != nil {
				return err
			}
			return firstByte(ctx, term)
		})
		term.Close()
		var id engine.ID
		spec := engine.Spec{
			Name: fmt.Sprintf("%s-bare-%d", w.Run(), len(bareStart)), Image: harness.Image, Hostname: "bare", Network: "none",
			Command: []string{"sleep", "1000"}, Labels: map[string]string{"podlife.test": w.Run()},
		}
		timed(&bareStart, func() error {
			if id, err = w.Engine().Create(ctx, spec); err != nil {
				return err
			}
			return w.Engine().Start(ctx, id)
		})
		timed(&bareExec, func() error { return bareShell(ctx, w.Engine(), id) })
		if err := w.Engine().Remove(ctx, id); err != nil {
			b.Fatal(err)
		}
		if _, err := user.Client.Destroy(ctx); err != nil {
			b.Fatal(err)
		}
	}
	report(b, cold, ready, attach, bareStart, bareExec)
}

func firstByte(ctx context.Context, t *client.Terminal) error {
	for {
		m, err := t.Next(ctx)
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case client.Output:
			return nil
		case client.Closed:
			return fmt.Errorf("closed: %d %s", m.Code, m.Reason)
		}
	}
}

func bareShell(ctx context.Context, e engine.Engine, id engine.ID) error {
	p, err := e.Exec(ctx, id, engine.ExecSpec{Command: []string{"bash", "-l", "-i"}, TTY: true})
	if err != nil {
		return err
	}
	defer p.Close()
	_, err = p.Read(make([]byte, 1))
	return err
}

func report(b *testing.B, cold, ready, attach, bareStart, bareExec samples) {
	b.ReportMetric(float64(cold.median().Milliseconds()), "cold-ms")
	b.ReportMetric(float64(attach.median().Milliseconds()), "attach-ms")
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nmedians of %d\t(smallest to largest)\tengine alone\tratio\n", len(cold))
	row := func(what string, ours, alone samples) {
		fmt.Fprintf(out, "%s\t%s\t%s\t%.2f\n", what, ours, alone, float64(ours.median())/float64(alone.median()))
	}
	row("cold boot to ready", cold, bareStart)
	row("boot of a ready pod", ready, bareExec)
	row("attach to the first byte", attach, bareExec)
	out.Flush()
}
