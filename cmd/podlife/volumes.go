package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func (m *Main) volumesCommand() *cobra.Command {
	c := m.volumesListCommand()
	c.Use = "volumes"
	c.Short = "List the volumes that were kept of removed pods; remove one"
	c.Example = `  podlife volumes
  podlife create web --adopt-volume VOLUME
  podlife volumes rm VOLUME`
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return &usageError{fmt.Errorf("podlife volumes cannot %.60q: it can ls and rm; see podlife volumes --help", args[0])}
		}
		return nil
	}
	c.AddCommand(m.volumesListCommand(), m.volumesRemoveCommand())
	return c
}

func (m *Main) volumesListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "ls",
		Short: "List the volumes that were kept of removed pods",
		Long: `List the volumes that podlife rm --keep-volume has kept for you, and whose homes they were.
A volume that is the home of a pod is not among them: podlife ls --json has its name.

On a terminal it is a table; otherwise a line for each, with volume, pod and time between
tabs, and no head.`,
		Example: `  podlife volumes ls
  podlife volumes ls --json | jq -r .[].volume`,
		Args: noArgs,
	}
	r := m.addRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		return r.short(cmd, asJSON, func(ctx context.Context, cl *client.Client) error {
			volumes, err := cl.Volumes(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, append([]client.Volume{}, volumes...))
			}
			return printVolumes(cmd, volumes, time.Now())
		})
	}
	return c
}

func printVolumes(cmd *cobra.Command, volumes []client.Volume, now time.Time) error {
	t := tableFor(cmd.OutOrStdout(), column{head: "VOLUME", least: 20}, column{head: "OF POD", least: 10}, column{head: "KEPT"})
	for _, v := range volumes {
		kept := v.KeptAt.Format(time.RFC3339)
		if t.width > 0 {
			kept = age(now.Sub(v.KeptAt)) + " ago"
		}
		t.add(v.Name, v.Pod, kept)
	}
	return t.print("no volume is kept; podlife rm --keep-volume keeps one")
}

func (m *Main) volumesRemoveCommand() *cobra.Command {
	var asJSON, yes bool
	c := &cobra.Command{
		Use:   "rm VOLUME",
		Short: "Remove a kept volume with all files in it",
		Long: `Remove a kept volume with all files in it. It asks first; where nobody can be asked, it
wants --yes. Where no such volume is kept, or a container has it, it says so, and the exit
code is 9.`,
		Example: `  podlife volumes rm VOLUME
  podlife volumes rm VOLUME --yes`,
		Args: oneName("volume"),
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = r.completion(r.keptVolumes)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&asJSON, "json", false, "print {} when it is done, or the server's problem document, as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := client.CheckVolumeName(args[0]); err != nil {
			return &usageError{err}
		}
		return r.removeVolume(cmd, args[0], yes, asJSON)
	}
	return c
}

func (r *remote) removeVolume(cmd *cobra.Command, name string, yes, asJSON bool) error {
	cl, err := r.client()
	if err != nil {
		return err
	}
	defer cl.CloseIdleConnections()
	if !yes {
		if err := r.confirmVolume(cmd, cl, name); err != nil {
			return r.fail(cmd, err, asJSON)
		}
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), destroyTimeout)
	defer cancel()
	err = cl.RemoveVolume(ctx, name)
	if client.CodeOf(err) == client.CodeNoVolume {
		if asJSON {
			_ = r.fail(cmd, err, true) // the document; the words are ours
		}
		return noVolume(name, r.keptVolumes())
	}
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	return done(cmd, asJSON, nil, name+" is removed, and all files in it are gone")
}

// confirmVolume asks before a volume is removed, and says whose home it was.
func (r *remote) confirmVolume(cmd *cobra.Command, cl *client.Client, name string) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), callTimeout)
	defer cancel()
	volumes, err := cl.Volumes(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(volumes, func(v client.Volume) bool { return v.Name == name })
	if i < 0 {
		return noVolume(name, volumeNames(volumes))
	}
	return confirm(cmd, cell(fmt.Sprintf("Remove the volume %s, with all files of what was the home of %s?", name, volumes[i].Pod)), "nothing was removed")
}

// noVolume is the error of a volume that is not kept.
func noVolume(name string, known []string) error {
	text := "no volume " + name + " is kept"
	if near := nearestName(name, known); near != "" {
		text += "; did you mean " + near + "?"
	} else {
		text += ": podlife volumes lists those that are"
	}
	return &codeError{code: exitConflict, text: text}
}

func volumeNames(volumes []client.Volume) []string {
	var names []string
	for _, v := range volumes {
		names = append(names, v.Name)
	}
	return names
}
