package recording

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"podlife/runtime/pod"
	"podlife/runtime/recording/cast"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory keeps recordings in memory.
type memory struct {
	mu     sync.Mutex
	files  map[string]*bytes.Buffer
	closed int
	swept  []time.Time // what before was
	fails  error
	block  chan struct{} // a Write waits for it, unless nil
}

func (m *memory) Create(name string) (io.WriteCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return nil, m.fails
	}
	if m.files == nil {
		m.files = map[string]*bytes.Buffer{}
	}
	m.files[name] = &bytes.Buffer{}
	return &memoryFile{m, name}, nil
}

func (m *memory) Sweep(before time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.swept = append(m.swept, before)
	return 0, nil
}

// lines gives the lines of all files.
func (m *memory) lines() (lines []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.files {
		lines = append(lines, strings.SplitAfter(b.String(), "\n")...)
	}
	return lines
}

func (m *memory) count() (files, closed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.files), m.closed
}

type memoryFile struct {
	m    *memory
	name string
}

func (f *memoryFile) Write(b []byte) (int, error) {
	f.m.mu.Lock()
	block := f.m.block
	f.m.mu.Unlock()
	if block != nil {
		<-block
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return f.m.files[f.name].Write(b)
}

func (f *memoryFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.m.closed++
	return nil
}

// fakeShell says what the test says.
type fakeShell struct {
	pod.Shell // nil: what is not here is not called
	says      chan pod.ShellEvent
	broken    error // after says is closed

	mu     sync.Mutex
	acked  uint64
	closed bool
}

func newShell() *fakeShell { return &fakeShell{says: make(chan pod.ShellEvent, 100)} }

func (f *fakeShell) Opened() pod.Opened { return pod.Opened{Epoch: 7, Cols: 80, Rows: 24} }
func (f *fakeShell) Next(ctx context.Context) (pod.ShellEvent, error) {
	select {
	case e, ok := <-f.says:
		if !ok {
			return nil, f.broken
		}
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
func (f *fakeShell) Ack(have uint64) { f.mu.Lock(); defer f.mu.Unlock(); f.acked = have }
func (f *fakeShell) Close() error    { f.mu.Lock(); defer f.mu.Unlock(); f.closed = true; return nil }

// rig is a recorder with files in memory, in a bubble.
type rig struct {
	*Recorder
	*memory
	asked []uint64 // from which offset
	shell *fakeShell
	gone  error // of follow
}

func inBubble(t *testing.T, o Options, f func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{memory: &memory{}, shell: newShell()}
		o.Files, o.Logger = r.memory, slog.New(slog.DiscardHandler)
		r.Recorder = New(o)
		defer r.Recorder.Close()
		f(t, r)
	})
}

// attach says that a terminal was let into session 7.
func (r *rig) attach() {
	r.record(session{pod: "local", tab: "main", epoch: 7, follow: func(_ context.Context, have uint64) (pod.Shell, error) {
		r.asked = append(r.asked, have)
		if r.gone != nil {
			return nil, r.gone
		}
		return r.shell, nil
	}})
	synctest.Wait()
}

func (r *rig) say(e ...pod.ShellEvent) {
	for _, e := range e {
		r.shell.says <- e
	}
	synctest.Wait()
}

func output(from uint64, text string) pod.Output { return pod.Output{From: from, Data: []byte(text)} }

func TestASessionIsRecordedOnceAndWrittenAtMostASecondLater(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, r *rig) {
		r.attach()
		r.attach()
		r.say(output(0, "one"), pod.Size{Cols: 100, Rows: 30})
		if r.shell.acked != 3 {
			t.Errorf("acknowledged up to %d", r.shell.acked)
		}
		time.Sleep(flushEvery)
		synctest.Wait()
		if n, _ := r.count(); n != 1 || !strings.Contains(strings.Join(r.lines(), ""), "[0.000,\"o\",\"one\"]\n[0.000,\"r\",\"100x30\"]\n") {
			t.Fatalf("%d files: %q", n, r.lines())
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		r.say(output(3, "two"))
		if got := r.lines(); !strings.HasPrefix(got[len(got)-2], "[11.") {
			t.Errorf("what is late already waits: %q", got)
		}
		r.say(pod.Exit{Code: 3})
		got := r.lines()
		if n, closed := r.count(); n != 1 || closed != 1 || got[len(got)-2] != "[0.000,\"x\",\"3\"]\n" || !r.shell.closed {
			t.Errorf("%d files, %d closed: %q", n, closed, got)
		}
		r.attach() // somebody looks at what has exited
		if n, _ := r.count(); n != 1 {
			t.Errorf("%d files", n)
		}
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if len(r.sessions) != 0 {
			t.Errorf("%d sessions are remembered", len(r.sessions))
		}
	})
}

func TestARecordingGoesOnWhereItsConnectionBrokeAndSaysWhatItLost(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, r *rig) {
		r.attach()
		r.say(output(0, "ab\xe2"))
		first := r.shell
		r.shell = newShell()
		first.broken = &pod.LostError{Err: io.EOF}
		close(first.says)
		time.Sleep(time.Second)
		synctest.Wait()
		r.say(output(3, "\x82\xacc"))
		r.say(output(6, "d\xe2"))
		second := r.shell
		r.shell = newShell()
		second.broken = first.broken
		close(second.says)
		time.Sleep(time.Second)
		synctest.Wait()
		r.say(pod.Picture{First: true, From: 900, Data: []byte("\x18\x1bcpic")}, pod.Picture{Last: true, From: 900, Data: []byte("ture\xe2")}, output(900, "\x82\xac"), pod.Exit{})
		if len(r.asked) != 3 || r.asked[1] != 3 || r.asked[2] != 8 {
			t.Errorf("asked from %v on", r.asked)
		}
		d, err := cast.NewDecoder(strings.NewReader(strings.Join(r.lines(), "")))
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for e, err := d.Next(); err == nil; e, err = d.Next() {
			all = append(all, e.Code+" "+e.Data)
		}
		want := []string{"o ab", "o €c", "o d", "o \ufffd", "m " + gapLabel, "o \x18\x1bcpic", "o ture", "o €", "x 0"}
		if strings.Join(all, "|") != strings.Join(want, "|") {
			t.Errorf("%q\nwant\n%q", all, want)
		}
	})
}

func TestARecordingEndsWithItsContainer(t *testing.T) {
	for name, end := range map[string]func(*rig){
		"while it is followed": func(r *rig) { r.shell.broken = &pod.GoneError{Err: io.EOF}; close(r.shell.says) },
		"when it is asked again": func(r *rig) {
			r.shell.broken, r.gone = &pod.LostError{Err: io.EOF}, &pod.GoneError{Err: io.EOF}
			close(r.shell.says)
		},
		"its session is gone": func(r *rig) { r.shell.broken, r.gone = &pod.LostError{Err: io.EOF}, pod.ErrNoTab; close(r.shell.says) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Options{}, func(t *testing.T, r *rig) {
				r.attach()
				r.say(output(0, "one"))
				end(r)
				time.Sleep(time.Second)
				synctest.Wait()
				if n, closed := r.count(); n != 1 || closed != 1 || !strings.Contains(strings.Join(r.lines(), ""), "one") {
					t.Errorf("%d files, %d closed", n, closed)
				}
			})
		})
	}
}

func TestWhatCannotBeRecordedIsTriedAgainWithTheNextTerminal(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, r *rig) {
		r.fails = errors.New("disk full")
		r.attach()
		r.fails = nil
		r.attach()
		if n, _ := r.count(); n != 1 {
			t.Errorf("%d files", n)
		}
		r.shell.broken, r.gone = &pod.LostError{Err: io.EOF}, &pod.UnseenError{Err: io.EOF} // nobody knows for long
		close(r.shell.says)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := len(r.asked); n != 2+maxTries {
			t.Errorf("asked %d times", n)
		}
		r.gone, r.shell = nil, newShell()
		r.attach()
		if n, closed := r.count(); n != 2 || closed != 1 {
			t.Errorf("%d files, %d closed", n, closed)
		}
	})
}

func TestAFullRecordingStaysTheOnlyOne(t *testing.T) {
	inBubble(t, Options{Limit: 4 << 10}, func(t *testing.T, r *rig) {
		r.attach()
		for i := range 50 {
			r.shell.says <- output(uint64(i*100), strings.Repeat("x", 100))
		}
		synctest.Wait()
		r.attach()
		if n, closed := r.count(); n != 1 || closed != 1 || !r.shell.closed {
			t.Errorf("%d files, %d closed", n, closed)
		}
		if text := strings.Join(r.lines(), ""); len(text) > 4<<10 || !strings.Contains(text, "reached its bound") {
			t.Errorf("%d bytes", len(text))
		}
	})
}

func TestADiskThatHangsHoldsUpNoTerminalAndNoEnd(t *testing.T) {
	inBubble(t, Options{}, func(t *testing.T, r *rig) {
		r.block = make(chan struct{})
		defer close(r.block)
		r.attach()
		r.say(output(0, strings.Repeat("x", 2*bufferSize)), output(2*bufferSize, "y"))
		if r.shell.acked != 0 {
			t.Errorf("what was not written is acknowledged: %d", r.shell.acked)
		}
		begin := time.Now()
		r.attach()
		r.Recorder.Close()
		if took := time.Since(begin); took != closeGrace {
			t.Errorf("the end took %v", took)
		}
	})
}

func TestWhatIsTooOldIsRemovedAtTheStartAndEveryHour(t *testing.T) {
	inBubble(t, Options{Keep: 48 * time.Hour}, func(t *testing.T, r *rig) {
		begin := time.Now()
		time.Sleep(2*time.Hour + time.Minute)
		synctest.Wait()
		if len(r.swept) != 3 || !r.swept[0].Equal(begin.Add(-48*time.Hour)) || !r.swept[2].Equal(begin.Add(-46*time.Hour)) {
			t.Errorf("%v, begun %v", r.swept, begin)
		}
	})
}
