package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"podlife/conformance/tracecheck"
	"podlife/runtime/client"
)

func (m *Main) followEvery() time.Duration {
	if m.every > 0 {
		return m.every
	}
	return time.Second
}

// follow writes the steps of the pod as the server takes them, until the command is interrupted, which is its normal end. Steps that the server dropped
// before they were read, and a server that cannot be reached, are errors.
func (s *source) follow(cmd *cobra.Command, every time.Duration) error {
	cl, err := s.remote.client()
	if err != nil {
		return err
	}
	defer cl.CloseIdleConnections()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last := int64(0); ; {
		last, err = s.page(cmd.Context(), cl, last, cmd.OutOrStdout())
		if cmd.Context().Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-cmd.Context().Done():
			return nil
		}
	}
}

// page writes the steps after a number, 0 being none, and gives the number of the last one. A server that was started again counts anew.
func (s *source) page(ctx context.Context, cl *client.Client, last int64, out io.Writer) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	page, err := cl.Steps(ctx, last)
	if err == nil && page.Next < last {
		last = 0
		page, err = cl.Steps(ctx, last)
	}
	if err != nil {
		return last, s.remote.explain(err)
	}
	records := make([]tracecheck.Record, 0, len(page.Steps))
	for _, step := range page.Steps {
		r, err := recordOf(step)
		if err != nil {
			return last, err
		}
		if r.Seq != last+1 {
			text := fmt.Sprintf("the server has dropped the steps from %d to %d before they were read", last+1, r.Seq-1)
			return last, &codeError{code: traceExitUnknown, text: text}
		}
		last, records = r.Seq, append(records, r)
	}
	return last, tracecheck.Write(out, records)
}
