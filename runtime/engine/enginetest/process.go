package enginetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"podlife/runtime/engine"
)

func processClaims() []claim {
	return []claim{
		{"exec in a container that is gone is NotFound", func(t *testing.T, s *subject) {
			id := s.running(t)
			s.remove(t, id)
			_, err := s.Engine.Exec(s.context(t), id, engine.ExecSpec{Command: s.Echo})
			wantKind(t, "exec", err, engine.NotFound)
		}},
		{"exec in a container that does not run is NotRunning and does not start it", execNotRunning},
		{"exec of a request that can never work is Invalid", func(t *testing.T, s *subject) {
			id := s.running(t)
			for _, spec := range []engine.ExecSpec{{}, {Command: []string{""}}, {Command: s.Echo, Env: []string{"X"}}, {Command: s.Echo, Dir: "up"}, {Command: []string{"a\x00b"}}} {
				_, err := s.Engine.Exec(s.context(t), id, spec)
				wantKind(t, "exec", err, engine.Invalid)
			}
		}},
		{"stdout and stderr come apart and the exit code is the process's own", printAndExit},
		{"an exit code is known without reading the output", func(t *testing.T, s *subject) {
			p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.Print("", "", 5)})
			if code, err := p.Wait(s.context(t)); code != 5 || err != nil {
				t.Errorf("wait = %d, %v, want 5", code, err)
			}
		}},
		{"a command that is not there exits with 127, one that cannot be executed with 126", cannotRun},
		{"closing stdin is EOF for the process, and what it wrote before arrives", stdinEOF},
		{"ten megabytes of any bytes arrive whole and unchanged", bigAndBinary},
		{"stderr keeps its last 8 KiB", stderrTail},
		{"close unblocks a reader with Canceled and can be done twice", closeUnblocks},
		{"the end of exec's context unblocks a reader with Canceled", contextUnblocksRead},
		{"the end of wait's context unblocks it with Canceled, and a later wait works", contextUnblocksWait},
		{"a kill of the container ends its processes", killEndsProcess},
		{"a removal of the container ends its processes", removeEndsProcess},
		{"twenty processes at once keep their streams apart", manyAtOnce},
	}
}

func execNotRunning(t *testing.T, s *subject) {
	created, killed := s.create(t, s.spec()), s.running(t)
	s.kill(t, killed)
	for id, state := range map[engine.ID]engine.State{created: engine.Created, killed: engine.Exited} {
		_, err := s.Engine.Exec(s.context(t), id, engine.ExecSpec{Command: s.Echo})
		wantKind(t, "exec in a container that is "+string(state), err, engine.NotRunning)
		if c, err := s.Engine.Inspect(s.context(t), id); err != nil || c.State != state {
			t.Errorf("afterwards: %+v, %v, want it still %s", c, err, state)
		}
	}
}

func printAndExit(t *testing.T, s *subject) {
	id := s.running(t)
	for _, code := range []int{0, 3, 255} {
		p := s.exec(t, id, engine.ExecSpec{Command: s.Print("out\n", "err\n", code)})
		if got := readAll(t, p); got != "out\n" {
			t.Errorf("stdout %q", got)
		}
		if got := p.Stderr(); got != "err\n" {
			t.Errorf("stderr %q", got)
		}
		for range 2 { // the code can be asked again
			if got, err := p.Wait(s.context(t)); got != code || err != nil {
				t.Errorf("wait = %d, %v, want %d", got, err, code)
			}
		}
	}
}

func cannotRun(t *testing.T, s *subject) {
	id := s.running(t)
	for _, tty := range []bool{false, true} {
		for _, read := range []bool{false, true} {
			for want, command := range map[int][]string{127: s.NotFound, 126: s.NotExecutable} {
				p := s.exec(t, id, engine.ExecSpec{Command: command, TTY: tty})
				if read {
					readAll(t, p)
				}
				if code, err := p.Wait(s.context(t)); code != want || err != nil {
					t.Errorf("%q (terminal %v, read %v): wait = %d, %v, want %d", command, tty, read, code, err, want)
				}
			}
		}
	}
}

func stdinEOF(t *testing.T, s *subject) {
	p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.Echo})
	for _, part := range []string{"one ", "two ", "three"} {
		if _, err := io.WriteString(p, part); err != nil {
			t.Fatalf("write: %v", err)
		}
	}
	if err := p.CloseWrite(); err != nil {
		t.Fatalf("closewrite: %v", err)
	}
	if got := readAll(t, p); got != "one two three" {
		t.Errorf("got %q", got)
	}
	if code, err := p.Wait(s.context(t)); code != 0 || err != nil {
		t.Errorf("wait = %d, %v", code, err)
	}
}

func bigAndBinary(t *testing.T, s *subject) {
	p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.Echo})
	sent := make([]byte, 10<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(sent) // never fails
	written := make(chan error, 1)
	go func() {
		_, err := p.Write(sent)
		written <- errors.Join(err, p.CloseWrite())
	}()
	got, err := io.ReadAll(p)
	if err != nil {
		t.Errorf("read: %v", err)
	}
	if err := <-written; err != nil {
		t.Errorf("write: %v", err)
	}
	if !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes, want %d, or they differ", len(got), len(sent))
	}
}

func stderrTail(t *testing.T, s *subject) {
	long := strings.Repeat("x", 20<<10) + "end"
	p := s.exec(t, s.running(t), engine.ExecSpec{Command: s.Print("", long, 0)})
	readAll(t, p)
	if got := p.Stderr(); got != long[len(long)-8<<10:] {
		t.Errorf("got %d bytes that end in %q, want the last 8 KiB", len(got), got[max(0, len(got)-5):])
	}
}

// reading starts a read that blocks, and gives its error.
func reading(p engine.Process) <-chan error {
	got := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, p)
		got <- err
	}()
	return got
}

// afterBlocking calls f when a call begun before has had time to block, which cannot be seen from outside, and closes the channel when f is done.
func afterBlocking(f func()) <-chan struct{} {
	done := make(chan struct{})
	time.AfterFunc(50*time.Millisecond, func() {
		defer close(done)
		f()
	})
	return done
}

// soon waits for an answer that must not need more than a second.
func soon[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	select {
	case v := <-c:
		return v
	case <-limit.C:
		t.Fatalf("%s: not within a second", what)
		panic("not reached")
	}
}

// echoing gives a process that is known to run, because it answered.
func (s *subject) echoing(t *testing.T, ctx context.Context, id engine.ID) engine.Process {
	t.Helper()
	p := s.execIn(t, ctx, id, engine.ExecSpec{Command: s.Echo})
	if _, err := io.WriteString(p, "hello"); err != nil {
		t.Fatalf("write: %v", err)
	}
	o := &output{p: p}
	o.until(t, "the echo", func(got string) bool { return got == "hello" })
	return p
}

func closeUnblocks(t *testing.T, s *subject) {
	p := s.echoing(t, s.context(t), s.running(t))
	got := reading(p)
	<-afterBlocking(func() {
		for range 2 {
			if err := p.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	})
	err := soon(t, "read after close", got)
	wantKind(t, "read", err, engine.Canceled)
	if !errors.Is(err, engine.ErrClosed) {
		t.Errorf("read gives %v, want ErrClosed in it", err)
	}
	_, err = p.Write([]byte("x"))
	wantKind(t, "write after close", err, engine.Canceled)
}

func contextUnblocksRead(t *testing.T, s *subject) {
	ctx, cancel := context.WithCancel(s.context(t))
	p := s.echoing(t, ctx, s.running(t))
	got := reading(p)
	<-afterBlocking(cancel)
	err := soon(t, "read after the context ended", got)
	wantKind(t, "read", err, engine.Canceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("read gives %v, want context.Canceled in it", err)
	}
}

func contextUnblocksWait(t *testing.T, s *subject) {
	p := s.echoing(t, s.context(t), s.running(t))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan error, 1)
	go func() {
		_, err := p.Wait(ctx)
		got <- err
	}()
	<-afterBlocking(cancel)
	wantKind(t, "wait", soon(t, "wait after its context ended", got), engine.Canceled)
	if err := p.CloseWrite(); err != nil {
		t.Fatalf("closewrite: %v", err)
	}
	readAll(t, p)
	if code, err := p.Wait(s.context(t)); code != 0 || err != nil {
		t.Errorf("later wait = %d, %v, want 0", code, err)
	}
}

// wantKilled checks what wait says of a process whose container ended: 137 if the engine still knows, else that it went away.
func (s *subject) wantKilled(t *testing.T, p engine.Process) {
	t.Helper()
	code, err := p.Wait(s.context(t))
	if err == nil && code != 137 {
		t.Errorf("wait = %d, want 137", code)
	}
	if err != nil {
		wantKind(t, "wait", err, engine.NotFound, engine.NotRunning)
	}
}

func killEndsProcess(t *testing.T, s *subject) {
	id := s.running(t)
	p := s.echoing(t, s.context(t), id)
	got := reading(p)
	s.kill(t, id)
	if err := soon(t, "read after the kill", got); err != nil {
		t.Errorf("read: %v, want its end", err)
	}
	s.wantKilled(t, p)
}

func removeEndsProcess(t *testing.T, s *subject) {
	id := s.running(t)
	p := s.echoing(t, s.context(t), id)
	got := reading(p)
	s.remove(t, id)
	if err := soon(t, "read after the removal", got); err != nil {
		t.Errorf("read: %v, want its end", err)
	}
	s.wantKilled(t, p)
}

func manyAtOnce(t *testing.T, s *subject) {
	id, ctx := s.running(t), s.context(t)
	const n = 20
	errs := make(chan error, n)
	for i := range n {
		go func() { errs <- s.ownStream(ctx, id, strings.Repeat(string(rune('a'+i)), 1000)) }()
	}
	for range n {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func (s *subject) ownStream(ctx context.Context, id engine.ID, text string) error {
	p, err := s.Engine.Exec(ctx, id, engine.ExecSpec{Command: s.Echo})
	if err != nil {
		return err
	}
	_, werr := io.WriteString(p, text)
	cerr := p.CloseWrite()
	got, rerr := io.ReadAll(p)
	if string(got) != text {
		err = errors.New("the stream is not the process's own")
	}
	code, xerr := p.Wait(ctx)
	if code != 0 {
		err = errors.Join(err, errors.New("exit code is not 0"))
	}
	return errors.Join(err, werr, cerr, rerr, xerr, p.Close())
}
