package docker

import (
	"context"
	"maps"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"podlife/runtime/engine"
)

// Inspect looks at one container.
func (e *Engine) Inspect(ctx context.Context, id engine.ID) (engine.Container, error) {
	if !isID(id) {
		return engine.Container{}, fail("inspect", string(id), engine.NotFound, errNoID)
	}
	c, err := e.cli.ContainerInspect(ctx, string(id))
	if err != nil {
		return engine.Container{}, fail("inspect", string(id), kindOf(ctx, err), err)
	}
	out := engine.Container{ID: engine.ID(c.ID), Name: strings.TrimPrefix(c.Name, "/"), ImageID: c.Image, State: engine.Created}
	if c.Config != nil {
		out.Image, out.Labels = c.Config.Image, labelsOf(c.Config.Labels)
	}
	if c.State != nil {
		out.State, out.ExitCode, out.OOMKilled = stateOf(c.State.Status), c.State.ExitCode, c.State.OOMKilled
	}
	out.Created, _ = time.Parse(time.RFC3339Nano, c.Created) // informative only: zero when the daemon writes it otherwise
	return out, nil
}

// List gives all containers with these labels. The daemon's list does not carry exit codes, so each ended container is inspected; one that vanishes meanwhile is left out.
func (e *Engine) List(ctx context.Context, labels map[string]string) ([]engine.Container, error) {
	sums, err := e.cli.ContainerList(ctx, container.ListOptions{All: true, Filters: labelFilter(labels)})
	if err != nil {
		return nil, fail("list", "", kindOf(ctx, err), err)
	}
	out := make([]engine.Container, 0, len(sums))
	for _, s := range sums {
		c := engine.Container{ID: engine.ID(s.ID), Image: s.Image, ImageID: s.ImageID, Labels: labelsOf(s.Labels), State: stateOf(s.State), Created: time.Unix(s.Created, 0)}
		if len(s.Names) > 0 {
			c.Name = strings.TrimPrefix(s.Names[0], "/")
		}
		if c.State == engine.Exited || c.Name == "" {
			full, err := e.Inspect(ctx, c.ID)
			if engine.KindOf(err) == engine.NotFound {
				continue
			}
			if err != nil {
				return nil, fail("list", "", engine.KindOf(err), err)
			}
			c = full
		}
		out = append(out, c)
	}
	return out, nil
}

func labelFilter(labels map[string]string) filters.Args {
	f := filters.NewArgs()
	for k, v := range labels {
		f.Add("label", k+"="+v)
	}
	return f
}

// labelsOf gives the labels as the caller wrote them.
func labelsOf(m map[string]string) map[string]string {
	out := maps.Clone(m)
	delete(out, createLabel)
	return out
}

// stateOf maps the daemon's seven states to ours. "dead" is a container whose removal was begun and failed; "restarting" cannot happen without a restart policy.
func stateOf(s string) engine.State {
	switch s {
	case "running", "restarting":
		return engine.Running
	case "paused":
		return engine.Paused
	case "removing", "dead":
		return engine.Removing
	case "created":
		return engine.Created
	default:
		return engine.Exited
	}
}
