package harness

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"
)

// NeedDocker skips a test that needs the real engine where the run was not told to use one. The word not_run is what the check looks for: a skip is no pass.
func NeedDocker(t testing.TB) {
	t.Helper()
	if os.Getenv("PODLIFE_TEST_DOCKER") != "1" {
		t.Skip("not_run: needs Docker; set PODLIFE_TEST_DOCKER=1 (scripts/ensure-docker.sh starts an engine, scripts/base-image.sh makes the images)")
	}
}

// Binary builds the program once for all tests that share it. The zero value is ready; remove Dir after the last test.
type Binary struct {
	Make func(ctx context.Context, dir string) (path string, err error) // builds it into dir; nil is Build, or the program of PODLIFE_TEST_BINARY

	once sync.Once
	dir  string
	path string
	err  error
}

// Path gives the program's path, which is built at the first call. PODLIFE_TEST_BINARY takes the place of the program that ships.
func (b *Binary) Path(t testing.TB) string {
	t.Helper()
	if p := os.Getenv("PODLIFE_TEST_BINARY"); p != "" && b.Make == nil {
		return p
	}
	b.once.Do(func() {
		if b.dir, b.err = os.MkdirTemp("", "podlife-build-"); b.err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
			defer cancel()
			if b.Make != nil {
				b.path, b.err = b.Make(ctx, b.dir)
				return
			}
			b.path, b.err = Build(ctx, b.dir)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.path
}

// Remove removes what was built. Call it after the last test.
func (b *Binary) Remove() { _ = os.RemoveAll(b.dir) } // a folder left in the temporary one is no failure of a test

// NewDocker starts a server for a test, which ends with it; a failed test shows the end of the server's log.
func NewDocker(t testing.TB, o DockerOptions) *Docker {
	t.Helper()
	NeedDocker(t)
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	d, err := StartDocker(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", lastBytes(d.Log(), 8000))
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// NewSimulated starts a simulated world for a test, which ends with it.
func NewSimulated(t testing.TB, o SimulatedOptions) *Simulated {
	t.Helper()
	if o.Dir == "" {
		o.Dir = memoryDir(t)
	}
	s, err := StartSimulated(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", lastBytes(s.Log(), 4000))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// memoryDir is a temporary folder in memory, where there is such a place: a simulated world has nothing that must survive a crash, and syncs thousands of times a minute.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "podlife-simulated-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // a folder left there is no failure of a test
	return dir
}
