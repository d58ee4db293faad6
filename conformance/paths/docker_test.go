package paths

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"podlife/conformance/harness"
	"podlife/conformance/lockstep"
	"podlife/runtime/container"
	"podlife/runtime/engine/docker"
	"podlife/runtime/store"
)

// dockerWorkers are paths at a time: what they wait for is mostly the engine.
const dockerWorkers = 4

// onDocker drives paths in worlds of real containers, each with a store of its own on disk.
func onDocker(t *testing.T) Runner {
	t.Helper()
	harness.NeedDocker(t)
	var binary harness.Binary
	t.Cleanup(binary.Remove)
	agent, err := container.InstallAgent(t.Context(), binary.Path(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, err := docker.New(docker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	kill, err := lockstep.Killer("")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	return func(ctx context.Context, p Path, o lockstep.Options) (lockstep.Report, error) {
		dir, err := os.MkdirTemp(folder, "")
		if err != nil {
			return lockstep.Report{}, err
		}
		s, err := store.Open(ctx, filepath.Join(dir, "podlife.db"))
		if err != nil {
			return lockstep.Report{}, err
		}
		defer s.Close()
		world := lockstep.NewDocker(lockstep.DockerOptions{Engine: e, Kill: kill, Image: harness.Image, Repo: harness.RepoURL, AgentPath: agent, Store: s})
		o.Ask = false // each question costs what a step does; the simulated engine answers them
		return lockstep.Run(ctx, world, p, o)
	}
}

func TestAServerGoesTheKeptPathsOnDocker(t *testing.T) {
	run := onDocker(t)
	_, kept := readKept(t)
	drive := NewDrive(kept, KeptConfig().Tabs)
	took := driveAll(t.Context(), drive, run)
	set, got, did := keptWas(t, kept, drive, took)
	tellDocker(t, drive.Failure(), run, set)
	if err := NewResult("docker", KeptName, did, got, drive.Failure() != nil, took).Write(); err != nil {
		t.Error(err)
	}
	if all(t) {
		wholeOnDocker(t, run)
	}
}

// wholeOnDocker drives all paths of the smallest configuration: some twenty minutes.
func wholeOnDocker(t *testing.T, run Runner) {
	t.Helper()
	g, err := Build(t.Context(), Quick()[0], Server())
	if err != nil {
		t.Fatal(err)
	}
	set := g.Paths()
	drive := NewDrive(set.Paths, g.Config.Tabs)
	took := driveAll(t.Context(), drive, run)
	tellDocker(t, drive.Failure(), run, set)
	got, did := set.Coverage(drive.Taken), drive.Did()
	if drive.Failure() == nil && (did.Paths != len(set.Paths) || got.NotDrivable[NotTaken] > 0) {
		t.Errorf("%d of %d paths, %d edges could have been taken and were not", did.Paths, len(set.Paths), got.NotDrivable[NotTaken])
	}
	if err := NewResult("docker", g.Config.String(), did, got, drive.Failure() != nil, took).Write(); err != nil {
		t.Error(err)
	}
}

func driveAll(ctx context.Context, drive *Drive, run Runner) (took time.Duration) {
	began := time.Now()
	var workers sync.WaitGroup
	for range dockerWorkers {
		workers.Go(func() { drive.Work(ctx, run) })
	}
	workers.Wait()
	return time.Since(began)
}

// tellDocker tells of a failure. A shorter path that fails is looked for on the simulated engine, where a try costs little, and then taken once on Docker.
func tellDocker(t *testing.T, f *Failure, run Runner, set Set) {
	t.Helper()
	if f == nil {
		return
	}
	t.Errorf("on docker: %s", f.Report(t.Context()))
	short, ok := f.Shorten(t.Context(), simulated(t), set)
	if !ok {
		t.Log("the path does not fail on the simulated engine, so it was not made shorter")
		return
	}
	t.Logf("on the simulated engine a shorter one fails: %s", short.Report(t.Context()))
	if _, err := run(t.Context(), short.Path, lockstep.Options{}); err != nil {
		t.Logf("and it fails on docker too: %v", err)
	} else {
		t.Log("on docker that one passes")
	}
}
