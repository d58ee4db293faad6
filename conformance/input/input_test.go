package input_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"podlife/conformance/input"
)

var errAsked = errors.New("asked to end")

// within fails the test where something does not end.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s does not end", what)
	}
}

func pipe(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAPipeWithoutAWriterIsLeftWhenTheContextEnds(t *testing.T) {
	name := pipe(t)
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { stop(errAsked) })
	within(t, "opening a pipe that nobody writes to", func() {
		if _, err := input.Open(ctx, name); !errors.Is(err, errAsked) {
			t.Errorf("error %v, want the context's cause", err)
		}
	})
	w, err := os.OpenFile(name, os.O_WRONLY, 0) // lets go of the open that is left
	if err == nil {
		w.Close()
	}
}

func TestASilentWriterIsLeftWhenTheContextEnds(t *testing.T) {
	name := pipe(t)
	both, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	ctx, stop := context.WithCancelCause(t.Context())
	f, err := input.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(both, "some"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	if n, err := f.Read(buf); string(buf[:n]) != "some" || err != nil {
		t.Fatalf("read %q, %v", buf[:n], err)
	}
	time.AfterFunc(20*time.Millisecond, func() { stop(errAsked) })
	within(t, "reading of a writer that says nothing", func() {
		if n, err := f.Read(buf); n != 0 || !errors.Is(err, errAsked) {
			t.Errorf("read %d bytes, error %v, want the context's cause", n, err)
		}
	})
}

func TestWhatIsReadIsWhole(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 20_000)
	got, err := io.ReadAll(input.Reader(t.Context(), iotest.HalfReader(strings.NewReader(text))))
	if string(got) != text || err != nil {
		t.Errorf("read %d bytes of %d, %v", len(got), len(text), err)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := input.ReadAll(t.Context(), name, int64(len(text))); string(got) != text || err != nil {
		t.Errorf("read %d bytes of %d, %v", len(got), len(text), err)
	}
	var long *input.TooLongError
	if _, err := input.ReadAll(t.Context(), name, int64(len(text))-1); !errors.As(err, &long) || long.Name != name {
		t.Errorf("error %v of a file that is one byte too long", err)
	}
}

func TestNoFileIsBelievedAboutItsSize(t *testing.T) {
	var long *input.TooLongError
	if _, err := input.ReadAll(t.Context(), "/dev/zero", 1<<20); !errors.As(err, &long) {
		t.Errorf("error %v of a file without an end", err)
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	if _, err := input.ReadAll(t.Context(), filepath.Join(t.TempDir(), "none"), 1); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none") {
		t.Errorf("error %v", err)
	}
}
