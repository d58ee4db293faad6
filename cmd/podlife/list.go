package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

// The lives of a pod, beside there.
const (
	lifeMaking = "making"
	lifeGoing  = "going"
)

func podStates() []string { return []string{"asleep", "provisioning", "ready"} }
func podSorts() []string  { return []string{"name", "-name", "created", "-created", "state"} }

func (m *Main) listCommand() *cobra.Command {
	var q client.PodQuery
	var asJSON bool
	c := &cobra.Command{
		Use:   "ls",
		Short: "List your pods: what they are, where they are, and why they are awake",
		Long: `List your pods: class, state, since when, and of those that are awake what keeps them so or
when they will sleep. Asking wakes nothing.

On a terminal it is a table that fits; otherwise a line for each pod, with these fields
between tabs, whole and without a head: name, class, state, since, what keeps it awake, when
it sleeps, labels. Times are then as in RFC 3339. A pod whose state is making or going is
being created or removed.`,
		Example: `  podlife ls
  podlife ls --class workspace --state ready --sort -created
  podlife ls --label team=core --label nightly   # both: that value, and any value
  podlife ls --json | jq -r '.[] | select(.trouble) | .name'`,
		Args: noArgs,
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.Flags().StringVar(&q.Class, "class", "", "only those of this `class`: ephemeral or workspace")
	c.Flags().StringVar(&q.State, "state", "", "only those in this `state`: asleep, provisioning or ready")
	c.Flags().StringArrayVar(&q.Labels, "label", nil, "only those with this `KEY=VALUE`, or with this KEY; of several, all must match")
	c.Flags().StringVar(&q.Sort, "sort", "name", "`order`: name, created or state, and with a - in front, name or created the other way round")
	c.Flags().BoolVar(&asJSON, "json", false, "print them as a JSON array")
	r.completes("class", classes)
	r.completes("state", podStates)
	r.completes("sort", podSorts)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		for flag, known := range map[string][]string{"class": classes(), "state": podStates(), "sort": podSorts()} {
			if err := oneOf(flag, cmd.Flag(flag).Value.String(), known); err != nil {
				return err
			}
		}
		return r.short(cmd, asJSON, func(ctx context.Context, cl *client.Client) error {
			pods, err := cl.AllPods(ctx, q)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, pods)
			}
			return printPods(cmd, pods, time.Now())
		})
	}
	return c
}

func printPods(cmd *cobra.Command, pods []client.Pod, now time.Time) error {
	t := podTable(cmd.OutOrStdout())
	for _, p := range pods {
		addPod(t, p, now)
	}
	if err := t.print("there is no such pod; podlife create NAME makes one"); err != nil {
		return err
	}
	for _, p := range pods {
		if p.Trouble != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", cell(p.Name), cell(p.Trouble))
		}
	}
	return nil
}

func podTable(out io.Writer) *table {
	return tableFor(out, column{"NAME", 14}, column{"CLASS", 0}, column{"STATE", 0}, column{"SINCE", 0}, column{"KEPT AWAKE", 14}, column{"LABELS", 6})
}

// addPod adds a pod, in words for people and in whole values for programs.
func addPod(t *table, p client.Pod, now time.Time) {
	if t.width > 0 {
		t.add(p.Name, p.Class, stateOf(p), age(now.Sub(p.Since)), awake(p, now), labelsOf(p))
		return
	}
	t.add(p.Name, p.Class, stateOf(p), p.Since.Format(time.RFC3339), strings.Join(p.KeptAwakeBy, ","), timeOrNone(p.SleepsAt), labelsOf(p))
}

// stateOf is the pod's state, or its life while it is being made or removed. What the server cannot look into since its start is said to be so: then its state is what it was, or was to be.
func stateOf(p client.Pod) string {
	if p.Life == lifeMaking || p.Life == lifeGoing {
		return p.Life
	}
	if p.Recovering {
		return p.State + " (recovering)"
	}
	return p.State
}

// awake is what keeps a pod awake, or until when it is.
func awake(p client.Pod, now time.Time) string {
	switch {
	case p.State == "asleep":
		return ""
	case len(p.KeptAwakeBy) > 0:
		return "by " + strings.Join(p.KeptAwakeBy, ", ")
	case p.SleepsAt == nil:
		return ""
	}
	layout := "15:04"
	if p.SleepsAt.Local().Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
		layout = "01-02 15:04"
	}
	return "until " + p.SleepsAt.Local().Format(layout)
}

func labelsOf(p client.Pod) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(p.Labels)) {
		all = append(all, k+"="+p.Labels[k])
	}
	return strings.Join(all, " ")
}

func timeOrNone(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}

// age is about, in days where there are some.
func age(d time.Duration) string {
	if days := int(d.Hours()) / 24; days >= 2 {
		return fmt.Sprintf("%d days", days)
	}
	return about(d)
}
