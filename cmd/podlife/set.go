package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func (m *Main) setCommand() *cobra.Command {
	var idle time.Duration
	var labels []string
	var image string
	var noLabels, asJSON bool
	c := &cobra.Command{
		Use:   "set NAME",
		Short: "Change a pod's idle timeout, its image or its labels",
		Long: `Change the settings of a pod with a name; what is not said stays. It starts nothing and is
no activity: another idle timeout counts from when somebody did something last, and the one
that the pod has already changes nothing. No lease gets shorter by it. --label sets all of
the labels: those that are not named are gone. Another --image is that of the next start;
what runs stays what it is, and podlife status says so.`,
		Example: `  podlife set web --idle-timeout 2h
  podlife set web --idle-timeout 0           # the server's own again
  podlife set web --image golang:1.24        # and podlife stop web, to have it at the next start
  podlife set web --label team=core --label nightly=`,
		Args: oneName("pod"),
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = r.completion(r.podNames)
	addIdleTimeout(c, &idle)
	addImage(c, &image)
	r.completes("image", r.images)
	c.Flags().StringArrayVar(&labels, "label", nil, "a `KEY=VALUE` to find it by; may be given several times")
	c.Flags().BoolVar(&noLabels, "no-labels", false, "take all of its labels away")
	c.Flags().BoolVar(&asJSON, "json", false, "print the pod, or the server's problem document, as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		var change client.PodChange
		if cmd.Flags().Changed("idle-timeout") {
			n, err := idleSeconds(idle)
			if err != nil {
				return err
			}
			change.IdleTimeoutSeconds = &n
		}
		if cmd.Flags().Changed("image") {
			change.Image = &image
		}
		if noLabels && len(labels) > 0 {
			return &usageError{fmt.Errorf("--label and --no-labels: one of them")}
		}
		if noLabels || len(labels) > 0 {
			set, err := readLabels(labels)
			if err != nil {
				return &usageError{err}
			}
			change.Labels = set
		}
		if change.IdleTimeoutSeconds == nil && change.Labels == nil && change.Image == nil {
			return &usageError{fmt.Errorf("what is to change? --idle-timeout, --image, --label or --no-labels; see %s --help", cmd.CommandPath())}
		}
		return r.short(cmd, asJSON, func(ctx context.Context, cl *client.Client) error {
			p, err := cl.Change(ctx, args[0], change)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, p)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, image %s, labels %s\n", p.Name, sleepsAfter(p.IdleTimeout), cell(p.Image), cell(orNone(labelsOf(p))))
			return err
		})
	}
	return c
}

// addIdleTimeout gives a command the flag --idle-timeout.
func addIdleTimeout(c *cobra.Command, d *time.Duration) {
	c.Flags().DurationVar(d, "idle-timeout", 0, "sleep after this `time` with nobody in it: 1m to 24h, or 0 for the server's setting")
}

// addImage gives a command the flag --image.
func addImage(c *cobra.Command, image *string) {
	c.Flags().StringVar(image, "image", "", "the `reference` of its own image, one of those that the server allows; empty for the server's")
}

// idleSeconds is an idle timeout as the server takes it.
func idleSeconds(d time.Duration) (int64, error) {
	if d < 0 || d%time.Second != 0 {
		return 0, &usageError{fmt.Errorf("--idle-timeout %s: want whole seconds, such as 90s or 2h, or 0 for the server's setting", d)}
	}
	return int64(d / time.Second), nil
}

func orNone(list string) string {
	if list == "" {
		return "none"
	}
	return list
}

// sleepsAfter is an idle timeout for people.
func sleepsAfter(seconds int64) string {
	if seconds == 0 {
		return "it never sleeps by itself"
	}
	return fmt.Sprintf("it sleeps after %s with nobody in it", about(time.Duration(seconds)*time.Second))
}
