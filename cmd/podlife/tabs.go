package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func (m *Main) tabsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "tabs",
		Short: "List the terminal sessions in your pod; rename or close one",
		Long: `List the terminal sessions in your pod: who looks at them, when something was typed last,
and of those that ended lately the exit code. Asking wakes nothing and is no activity.`,
		Example: `  podlife tabs
  podlife tabs rename main build
  podlife tabs close build
  podlife tabs --json | jq -r .[].name`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{fmt.Errorf("podlife tabs cannot %.60q: it can rename and close; see podlife tabs --help", args[0])}
			}
			return nil
		},
	}
	r := m.addPodRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return r.short(cmd, asJSON, func(ctx context.Context, cl *client.Client) error {
			tabs, err := cl.Tabs(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, append([]client.Tab{}, tabs...))
			}
			return printTabs(cmd, tabs, time.Now())
		})
	}
	c.AddCommand(m.tabsRenameCommand(), m.tabsCloseCommand())
	return c
}

func printTabs(cmd *cobra.Command, tabs []client.Tab, now time.Time) error {
	if len(tabs) == 0 {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "no session runs; podlife shell opens one")
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tVIEWERS\tCREATED\tLAST INPUT")
	for _, t := range tabs {
		state, typed := "running", "never"
		if t.Exited {
			state = "ended"
			if t.ExitCode != nil {
				state = fmt.Sprintf("ended (%d)", *t.ExitCode)
			}
		}
		if t.LastInput != nil {
			typed = about(now.Sub(*t.LastInput)) + " ago"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s ago\t%s\n", printable(t.Name), state, t.Viewers, about(now.Sub(t.Created)), typed)
	}
	return w.Flush()
}

func (m *Main) tabsRenameCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "rename NAME TO",
		Short:   "Give a session another name",
		Long:    `Give a session another name. Its programs and its terminals go on.`,
		Example: `  podlife tabs rename main build`,
		Args:    tabNames(2),
	}
	r := m.addPodRemote(c)
	asJSON := jsonOfNothing(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return r.short(cmd, *asJSON, func(ctx context.Context, cl *client.Client) error {
			return done(cmd, *asJSON, cl.RenameTab(ctx, args[0], args[1]), args[0]+" is "+args[1]+" now")
		})
	}
	return c
}

func (m *Main) tabsCloseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "close NAME",
		Short: "End a session and its programs",
		Long: `End a session: its programs are hung up, and killed when they do not heed that. What they
had not saved is lost.`,
		Example: `  podlife tabs close build`,
		Args:    tabNames(1),
	}
	r := m.addPodRemote(c)
	asJSON := jsonOfNothing(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return r.short(cmd, *asJSON, func(ctx context.Context, cl *client.Client) error {
			return done(cmd, *asJSON, cl.EndTab(ctx, args[0]), args[0]+" has ended")
		})
	}
	return c
}

func jsonOfNothing(c *cobra.Command) *bool {
	return c.Flags().Bool("json", false, "print {} when it is done, or the server's problem document, as JSON")
}

// done says that something short was done.
func done(cmd *cobra.Command, asJSON bool, err error, text string) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(cmd, struct{}{})
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// tabNames wants so many names of sessions as arguments.
func tabNames(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return &usageError{fmt.Errorf("%s wants %s, got %d; see %s --help", cmd.CommandPath(), map[int]string{1: "one name", 2: "two names"}[n], len(args), cmd.CommandPath())}
		}
		for _, a := range args {
			if !tabName.MatchString(a) {
				return &usageError{fmt.Errorf("%.80q is no name of a session: 1 to 64 letters, digits, _ and - are allowed", a)}
			}
		}
		return nil
	}
}

// short does a call that answers at once, with its client.
func (r *remote) short(cmd *cobra.Command, asJSON bool, call func(context.Context, *client.Client) error) error {
	cl, err := r.client()
	if err != nil {
		return err
	}
	defer cl.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(cmd.Context(), callTimeout)
	defer cancel()
	if err := call(ctx, cl); err != nil {
		return r.fail(cmd, err, asJSON)
	}
	return nil
}
