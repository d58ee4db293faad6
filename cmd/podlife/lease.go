package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func (m *Main) extendCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "extend --for TIME",
		Short: "Keep your pod awake for a time, also with nobody in it",
		Long: `Give your pod a lease: whenever it is awake, it stays so until the lease ends, also with
nobody in it. A lease lasts over a sleep, a boot and a restart of the server. It wakes
nothing (podlife boot --for does both), and does not keep a pod from being destroyed.
One that is asked for while another lasts never makes it shorter. How long one may be
is the server's setting max_lease.`,
		Example: `  podlife extend --for 8h
  podlife extend --for 90m --json | jq -r .lease_until`,
		Args: noArgs,
	}
	r := m.addPodRemote(c)
	d := addFor(c, "keep the pod awake for this `time` from now on, such as 30m or 8h")
	c.Flags().BoolVar(&asJSON, "json", false, "print the lease, or the server's problem document, as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if *d == 0 {
			return &usageError{fmt.Errorf("for how long? Say it with --for, such as --for 8h; see %s --help", cmd.CommandPath())}
		}
		return r.short(cmd, asJSON, func(ctx context.Context, cl *client.Client) error {
			l, err := cl.Extend(ctx, time.Duration(*d))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, l)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), leaseGiven(l, time.Now()))
			return err
		})
	}
	return c
}

// leaseFirst gives a pod a lease before something else is done with it, says so as progress, and gives its end; for 0 nothing and nil.
func leaseFirst(cmd *cobra.Command, cl *client.Client, d time.Duration) (*time.Time, error) {
	if d == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), callTimeout)
	defer cancel()
	l, err := cl.Extend(ctx, d)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "  %s\n", leaseGiven(l, time.Now()))
	return &l.Until, nil
}

// leaseTime is how long a lease is to last, as a flag; 0 is not given.
type leaseTime time.Duration

// addFor gives a command the flag --for.
func addFor(c *cobra.Command, help string) *leaseTime {
	var d leaseTime
	c.Flags().Var(&d, "for", help)
	return &d
}

// Set takes a duration of more than 0; what is too long, the server says.
func (l *leaseTime) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("want a duration with a unit, such as 30m or 8h")
	case d <= 0:
		return errors.New("a lease lasts more than 0")
	}
	*l = leaseTime(d)
	return nil
}

// String is empty where nothing was given, so that the help tells no default.
func (l *leaseTime) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// Type is what the help calls a value.
func (l *leaseTime) Type() string { return "duration" }

// leaseGiven is the answer to a lease that was asked for, for people.
func leaseGiven(l client.Lease, now time.Time) string {
	if l.Longer {
		return "the lease already lasts until " + moment(l.Until, now) + ", longer than what was asked for, and stays"
	}
	return "the lease lasts until " + moment(l.Until, now)
}

// leaseInWords is what a lease does to a pod, for people.
func leaseInWords(until time.Time, asleep bool, now time.Time) string {
	if asleep {
		return "once it wakes, kept awake until " + moment(until, now) + " by its lease"
	}
	return "kept awake until " + moment(until, now) + " by its lease"
}

// moment is a time that is near: the time of day, with the date where it is another day, and how far away it is.
func moment(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	layout := "15:04"
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		layout = "2006-01-02 15:04"
	}
	return fmt.Sprintf("%s (in %s)", t.Format(layout), about(t.Sub(now)))
}
