package main

// This file makes what a replayed server runs on: an engine in memory, or Docker.

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"podlife/conformance/lockstep"
	"podlife/runtime/container"
	"podlife/runtime/engine/docker"
	"podlife/runtime/store"
)

// What --engine may be.
const (
	engineSimulated = "simulated"
	engineDocker    = "docker"
)

// What a replay on Docker needs in its image: tmux and git, and a repository to clone without a network.
const (
	replayImage = "podlife/test:bookworm"
	replayRepo  = "file:///srv/example.git"
)

// world makes one for a single replay, which closes it; leave gives back what is beside it.
func (f replayFlags) world(ctx context.Context, marked bool) (w lockstep.World, leave func(), err error) {
	if f.engine == engineSimulated {
		return lockstep.NewSimulated(lockstep.SimulatedOptions{ImageMarked: marked}), func() {}, nil
	}
	if marked {
		return nil, nil, &codeError{code: replayExitNotDrivable, text: "a trace with an image that carries a marker is played on the simulated engine alone"}
	}
	eng, err := openEngine(ctx, docker.Options{}, []string{f.image}, "")
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "podlife-replay-")
	if err != nil {
		return nil, nil, errors.Join(err, eng.Close())
	}
	base := func() {
		_ = os.RemoveAll(dir)
		_ = eng.Close()
	}
	kill, err := lockstep.Killer("")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "agent"), 0o755)
	}
	var agent string
	if err == nil {
		agent, err = container.InstallAgent(ctx, "", filepath.Join(dir, "agent"))
	}
	var s *store.Store
	if err == nil {
		s, err = store.Open(ctx, filepath.Join(dir, "replay.db"))
	}
	if err != nil {
		base()
		return nil, nil, err
	}
	o := lockstep.DockerOptions{Engine: eng, Kill: kill, Image: f.image, Repo: replayRepo, AgentPath: agent, Store: s}
	return lockstep.NewDocker(o), func() { _ = s.Close(); base() }, nil
}
