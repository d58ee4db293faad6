package simulated

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"podlife/runtime/engine"
	"podlife/runtime/engine/enginetest"
)

// TestMain checks that no goroutine is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lookup has the suite's programs.
func lookup(argv []string) Program {
	if len(argv) == 0 {
		return nil
	}
	switch argv[0] {
	case "idle":
		return func(ctx context.Context, _ *Proc) int { <-ctx.Done(); return 0 }
	case "print":
		return func(_ context.Context, p *Proc) int {
			_, err1 := io.WriteString(p.Stdout, p.Argv[1])
			_, err2 := io.WriteString(p.Stderr, p.Argv[2])
			code, err3 := strconv.Atoi(p.Argv[3])
			if errors.Join(err1, err2, err3) != nil {
				return 99
			}
			return code
		}
	case "echo":
		return func(_ context.Context, p *Proc) int { return status(io.Copy(p.Stdout, p.Stdin)) }
	case "rawecho":
		return func(_ context.Context, p *Proc) int {
			if _, err := io.WriteString(p.Stdout, "ready"); err != nil {
				return 99
			}
			return status(io.Copy(p.Stdout, p.Stdin))
		}
	case "write":
		return func(_ context.Context, p *Proc) int { return status(0, p.Files.Write(p.Argv[1], []byte(p.Argv[2]))) }
	case "show":
		return func(_ context.Context, p *Proc) int {
			data, err := p.Files.Read(p.Argv[1])
			_, werr := p.Stdout.Write(data)
			return status(0, errors.Join(err, werr))
		}
	case "size":
		return size
	case "notexecutable":
		return func(context.Context, *Proc) int { return 126 }
	default:
		return nil
	}
}

func status(_ int64, err error) int {
	if err != nil {
		return 99
	}
	return 0
}

func size(_ context.Context, p *Proc) int {
	in := bufio.NewReader(p.Stdin)
	for {
		b, err := in.ReadByte()
		switch {
		case err != nil:
			return 99
		case b == 4:
			return 0
		case b == '\n':
			cols, rows := p.Size()
			if _, err := fmt.Fprintf(p.Stdout, "size %d %d\r\n", rows, cols); err != nil {
				return 99
			}
		}
	}
}

func newEngine(t *testing.T) *Engine {
	e := New(Options{Lookup: lookup, Images: []string{"image"}})
	t.Cleanup(e.Close)
	return e
}

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Subject {
		e, down := newEngine(t), newEngine(t)
		down.Unavailable(true)
		return enginetest.Subject{
			Engine: e, Unreachable: down, Image: "image", MissingImage: "other", Network: "none", Prefix: "t", Labels: map[string]string{"run": "1"},
			Kill: done(e.Kill, "it does not run"), Pause: done(e.Pause, "it does not run"), Unpause: done(e.Unpause, "it is not paused"),
			Idle: []string{"idle"}, Broken: []string{"nothing"},
			Print: func(stdout, stderr string, code int) []string {
				return []string{"print", stdout, stderr, strconv.Itoa(code)}
			},
			Echo: []string{"echo"}, RawEcho: []string{"rawecho"}, Size: []string{"size"}, NotFound: []string{"nothing"}, NotExecutable: []string{"notexecutable"},
			Write: func(path, text string) []string { return []string{"write", path, text} },
			Show:  func(path string) []string { return []string{"show", path} },
		}
	})
}

// done makes a call that says no into an error.
func done(do func(engine.ID) bool, no string) func(context.Context, engine.ID) error {
	return func(_ context.Context, id engine.ID) error {
		if !do(id) {
			return errors.New(no)
		}
		return nil
	}
}
