package simulated

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"

	"podlife/runtime/engine"
)

// with gives an engine that knows one more program, and a running container.
func with(t *testing.T, program Program) (*Engine, engine.ID) {
	t.Helper()
	e := New(Options{Lookup: func(argv []string) Program {
		if argv[0] == "it" {
			return program
		}
		return lookup(argv)
	}})
	t.Cleanup(e.Close)
	return e, start(t, e, "first")
}

func TestAProgramSeesItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got Proc
		e, id := with(t, func(_ context.Context, p *Proc) int {
			got = *p
			cols, rows := p.Size()
			return int(cols) + int(rows) + 256*7 // only the low byte counts
		})
		p, err := e.Exec(t.Context(), id, engine.ExecSpec{Command: []string{"it", "arg"}, Env: []string{"B=2"}, Dir: "/d", TTY: true})
		if err != nil {
			t.Fatal(err)
		}
		if code, err := p.Wait(t.Context()); code != 0 || err != nil {
			t.Errorf("wait = %d, %v", code, err)
		}
		if !slices.Equal(got.Argv, []string{"it", "arg"}) || !slices.Equal(got.Env, []string{"A=1", "B=2"}) || got.Dir != "/d" || !got.TTY || got.PID != 2 ||
			got.Container.ID != id || got.Container.Labels["name"] != "first" || got.Stderr != got.Stdout {
			t.Errorf("%+v", got)
		}
	})
}

func TestAProgramThatOutlivesItsContainerChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wrote, wroteErr, read, filed error
		e, id := with(t, func(ctx context.Context, p *Proc) int {
			<-ctx.Done()
			_, wrote = io.WriteString(p.Stdout, "late")
			_, wroteErr = io.WriteString(p.Stderr, "late")
			_, read = p.Stdin.Read(make([]byte, 1))
			filed = p.Files.Write("/marker", nil)
			return 0
		})
		p, err := e.Exec(t.Context(), id, engine.ExecSpec{Command: []string{"it"}})
		if err != nil {
			t.Fatal(err)
		}
		e.Kill(id)
		synctest.Wait()
		if wrote == nil || wroteErr == nil || !errors.Is(read, ErrEnded) || !errors.Is(filed, ErrEnded) {
			t.Errorf("after the kill: stdout %v, stderr %v, stdin %v, files %v", wrote, wroteErr, read, filed)
		}
		if f, _ := e.Files(id); len(f.Names()) != 0 {
			t.Errorf("files %v", f.Names())
		}
		if out, err := io.ReadAll(p); len(out) != 0 || err != nil || p.Stderr() != "" {
			t.Errorf("output %q, %v, %q", out, err, p.Stderr())
		}
		if code, err := p.Wait(t.Context()); code != killed || err != nil {
			t.Errorf("wait = %d, %v, want 137 and not what the program returned", code, err)
		}
		if err := e.Remove(t.Context(), id); err != nil {
			t.Error(err)
		}
		_, err = p.Wait(t.Context())
		wantKind(t, "wait after the removal", err, engine.NotFound)
	})
}

func TestAProgramCanKillAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first, second bool
		e, id := with(t, func(_ context.Context, p *Proc) int {
			first, second = p.Kill(2), p.Kill(2)
			return 0
		})
		victim, err := e.Exec(t.Context(), id, engine.ExecSpec{Command: []string{"echo"}}) // PID 2
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Exec(t.Context(), id, engine.ExecSpec{Command: []string{"it"}}); err != nil {
			t.Fatal(err)
		}
		if code, err := victim.Wait(t.Context()); code != killed || err != nil {
			t.Errorf("wait = %d, %v", code, err)
		}
		synctest.Wait()
		if !first || second {
			t.Errorf("kill says %v and then %v, want true and then false", first, second)
		}
		if c, err := e.Inspect(t.Context(), id); err != nil || c.State != engine.Running {
			t.Errorf("container %+v, %v", c, err)
		}
	})
}

func TestAContainerEndsWithItsProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Lookup: func(argv []string) Program {
			if argv[0] == "brief" {
				return func(context.Context, *Proc) int { return 4 }
			}
			return nil
		}})
		t.Cleanup(e.Close)
		spec := specOf("first")
		spec.Command = []string{"brief"}
		id, err := e.Create(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Start(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if c, err := e.Inspect(t.Context(), id); err != nil || c.State != engine.Exited || c.ExitCode != 4 {
			t.Errorf("%+v, %v", c, err)
		}
	})
}

func TestAWriterIsHeldBackUntilItsReaderComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, id := with(t, func(_ context.Context, p *Proc) int {
			_, err := p.Stdout.Write(make([]byte, 3*pipeSize))
			if err != nil {
				return 1
			}
			return 0
		})
		p, err := e.Exec(t.Context(), id, engine.ExecSpec{Command: []string{"it"}})
		if err != nil {
			t.Fatal(err)
		}
		wait := async(func() error { _, err := p.Wait(t.Context()); return err })
		synctest.Wait()
		if !pending(wait) {
			t.Fatal("the program did not wait for its reader")
		}
		if b, err := io.ReadAll(p); len(b) != 3*pipeSize || err != nil {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		if err := <-wait; err != nil {
			t.Error(err)
		}
	})
}

func TestAProgramNobodyReadsAnyMoreRunsToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, id := with(t, func(_ context.Context, p *Proc) int {
			_, err := p.Stdout.Write(make([]byte, 3*pipeSize))
			if err != nil {
				return 1
			}
			return 0
		})
		p, err := e.Exec(t.Context(), id, engine.ExecSpec{Command: []string{"it"}, TTY: true})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if code, err := p.Wait(t.Context()); code != 0 || err != nil {
			t.Errorf("wait = %d, %v", code, err)
		}
	})
}

func TestABlockedCallEndsWithItsContext(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, p engine.Process) error{
		"read": func(_ context.Context, p engine.Process) error { _, err := p.Read(make([]byte, 1)); return err },
		"write": func(_ context.Context, p engine.Process) error {
			_, err := p.Write(make([]byte, 3*pipeSize))
			return err
		},
		"wait": func(ctx context.Context, p engine.Process) error { _, err := p.Wait(ctx); return err },
	} {
		for _, closed := range []bool{false, true} {
			if closed && name == "wait" {
				continue // a closed process can still be waited for
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					e := newEngine(t)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					p, err := e.Exec(ctx, start(t, e, "first"), engine.ExecSpec{Command: []string{"idle"}})
					if err != nil {
						t.Fatal(err)
					}
					done := async(func() error { return call(ctx, p) })
					synctest.Wait()
					if !pending(done) {
						t.Fatal("it did not block")
					}
					if closed {
						if err := p.Close(); err != nil {
							t.Error(err)
						}
					} else {
						cancel()
					}
					wantKind(t, name, <-done, engine.Canceled)
				})
			})
		}
	}
}

func TestAProgramOfAnEarlierLifeDoesNotEndTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		linger := make(chan struct{})
		e := New(Options{Lookup: func([]string) Program {
			return func(ctx context.Context, _ *Proc) int {
				<-ctx.Done()
				<-linger
				return 0
			}
		}})
		t.Cleanup(e.Close)
		id := start(t, e, "first")
		e.Kill(id)
		if err := e.Start(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		close(linger) // now the first one returns
		synctest.Wait()
		if c, err := e.Inspect(t.Context(), id); err != nil || c.State != engine.Running {
			t.Errorf("%+v, %v", c, err)
		}
	})
}
