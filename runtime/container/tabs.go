package container

import (
	"context"
	"errors"
	"fmt"
	"time"

	"podlife/runtime/host/client"
	"podlife/runtime/host/frame"
	"podlife/runtime/pod"
)

// Tabs gives the sessions of a container; see pod.Containers.
func (c *Containers) Tabs(ctx context.Context, id pod.ContainerID) ([]pod.Tab, error) {
	var listed []frame.Tab
	err := c.askHost(ctx, id, func(ctx context.Context, host *client.Client) (err error) {
		listed, err = host.List(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	tabs := make([]pod.Tab, 0, len(listed))
	for _, t := range listed {
		tab := pod.Tab{Name: t.Name, Epoch: t.Epoch, Viewers: int(t.Viewers), Started: time.UnixMilli(int64(t.Started)), Exited: t.Exited, ExitCode: int(t.Code)}
		if t.LastInput != 0 {
			tab.LastInput = time.UnixMilli(int64(t.LastInput))
		}
		tabs = append(tabs, tab)
	}
	return tabs, nil
}

// EndTab ends a session of a container; see pod.Containers.
func (c *Containers) EndTab(ctx context.Context, id pod.ContainerID, tab string) error {
	return c.askHost(ctx, id, func(ctx context.Context, host *client.Client) error { return host.End(ctx, tab) })
}

// RenameTab gives a session another name; see pod.Containers.
func (c *Containers) RenameTab(ctx context.Context, id pod.ContainerID, tab, to string) error {
	err := c.askHost(ctx, id, func(ctx context.Context, host *client.Client) error { return host.Rename(ctx, tab, to) })
	var no *client.RefusedError
	if errors.As(err, &no) {
		switch no.Reason {
		case frame.NoTab:
			return pod.ErrNoTab
		case frame.NameTaken:
			return pod.ErrTabTaken
		}
	}
	return err
}

// askHost asks a container's session host for something short.
func (c *Containers) askHost(ctx context.Context, id pod.ContainerID, ask func(context.Context, *client.Client) error) error {
	host, err := c.sessions(ctx, id)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeoutCause(ctx, openTime, errNoAnswer)
	defer cancel()
	asking, stop := c.unlessPaused(asking, id)
	defer stop()
	err = ask(asking, host)
	var no *client.RefusedError
	switch {
	case err == nil || errors.As(err, &no):
		return err
	case asking.Err() != nil:
		return &pod.UnseenError{Err: fmt.Errorf("container %s: %w", id, context.Cause(asking))}
	}
	if gone := c.lost(ctx, id, err); gone != nil {
		return gone
	}
	return &pod.UnseenError{Err: err}
}
