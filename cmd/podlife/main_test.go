package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// withoutLeaks runs the tests and then looks for goroutines that nobody waited for.
type withoutLeaks struct{ m *testing.M }

func (w withoutLeaks) Run() int {
	code := w.m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestMain also lets this test binary be podlife itself, for the scripts in testdata.
func TestMain(m *testing.M) {
	testscript.Main(withoutLeaks{m}, map[string]func(){"podlife": main})
}

// The command line as people meet it: testdata/script/*.txtar are commands and what they must print.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("PODLIFE_DATA_DIR", e.WorkDir+"/data")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
	})
}

// exits CODE COMMAND...: runs a command that must end with exactly this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = fmt.Sprint(err)
		if x := (interface{ ExitCode() int })(nil); errors.As(err, &x) {
			code = fmt.Sprint(x.ExitCode())
		}
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

func TestTheFirstSignalEndsTheContextWithItsName(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	m := &Main{}
	stop := m.watchSignals(cancel)
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	var sig *signalError
	if !errors.As(context.Cause(ctx), &sig) || sig.sig != syscall.SIGTERM || exitCode(ctx, ctx.Err()) != 143 {
		t.Errorf("cause %v, exit code %d", context.Cause(ctx), exitCode(ctx, ctx.Err()))
	}
}

func TestWhatMustHappenBeforeTheEndHappensOnce(t *testing.T) {
	m := &Main{}
	var n atomic.Int32
	now := m.onExit(func() { n.Add(1) })
	m.restoreAll()
	m.restoreAll()
	now()
	if n.Load() != 1 {
		t.Errorf("it ran %d times", n.Load())
	}
	m.onExit(func() { n.Add(1) })()
	m.restoreAll()
	if n.Load() != 2 {
		t.Errorf("it ran %d times, want 2", n.Load())
	}
}

func TestAPanicInAHelperRestoresFirst(t *testing.T) {
	m := &Main{}
	restored := false
	m.onExit(func() { restored = true })
	defer func() {
		if r := recover(); r != "boom" || !restored {
			t.Errorf("panic %v, restored %v", r, restored)
		}
	}()
	defer m.restoreOnPanic()
	panic("boom")
}

// run runs a command line in this process, with input.
func (m *Main) run(t *testing.T, input string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = m.Run(t.Context(), args, bytes.NewReader([]byte(input)), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}
