package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func (m *Main) eventsCommand() *cobra.Command {
	var follow, asJSON bool
	c := &cobra.Command{
		Use:   "events [NAME]",
		Short: "Show what happened to your pod, and go on with what happens",
		Long: `Show the actions of the lifecycle that your pod has gone through, each with its cause; the
server keeps the newest 1,000 since its start. With --follow it goes on with those that
come, until it is interrupted. Asking wakes nothing.`,
		Example: `  podlife events
  podlife events web --follow
  podlife events --json | jq -r 'select(.action == "Sleep") | .cause'`,
		Args: atMostOneName,
	}
	r := m.addPodRemote(c)
	c.ValidArgsFunction = r.completion(r.podNames)
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens, until interrupted")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object on a line for each")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		e := &eventReader{cmd: cmd, cl: cl, asJSON: asJSON}
		if err = e.page(); follow && err == nil {
			err = e.follow(m.followEvery())
		}
		if follow && cmd.Context().Err() != nil {
			return nil // how it ends
		}
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		return nil
	}
	return c
}

// eventReader prints the events of one pod, page by page.
type eventReader struct {
	cmd    *cobra.Command
	cl     *client.Client
	asJSON bool
	last   int64 // the number of the last one that was printed
}

// follow prints what happens, until the command is interrupted.
func (e *eventReader) follow(every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := e.page(); err != nil {
				return err
			}
		case <-e.cmd.Context().Done():
			return nil
		}
	}
}

// page prints the events after the last one. A server that was started again counts anew.
func (e *eventReader) page() error {
	ctx, cancel := context.WithTimeout(e.cmd.Context(), callTimeout)
	defer cancel()
	p, err := e.cl.Events(ctx, e.last)
	if err == nil && p.Next < e.last {
		e.last = 0
		p, err = e.cl.Events(ctx, 0)
	}
	if err != nil {
		return err
	}
	for _, a := range p.Events {
		if a.Seq > e.last+1 {
			fmt.Fprintf(e.cmd.ErrOrStderr(), "the server does not keep the events from %d to %d any more\n", e.last+1, a.Seq-1)
		}
		e.last = a.Seq
		if err := e.print(a); err != nil {
			return err
		}
	}
	return nil
}

func (e *eventReader) print(a client.ActionEvent) error {
	if e.asJSON {
		return printJSON(e.cmd, a)
	}
	what := a.Action
	if len(a.Args) > 0 {
		what += "(" + strings.Join(a.Args, ", ") + ")"
	}
	_, err := fmt.Fprintf(e.cmd.OutOrStdout(), "%s  incarnation %d  %s: %s\n", a.Time.Local().Format(time.DateTime), a.Incarnation, cell(what), cell(a.Cause))
	return err
}
