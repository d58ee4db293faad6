package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func (m *Main) removeCommand() *cobra.Command {
	var keep, yes, asJSON bool
	c := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a pod for good: its container, its disk, and its home unless that is kept",
		Long: `Remove a pod for good, and return when its container and its disk are gone. The home of a
workspace is gone with it, with every file that is not pushed or copied elsewhere, unless
--keep-volume keeps it: podlife volumes lists what is kept, and podlife create with
--adopt-volume makes it the home of another pod.

It asks first; where nobody can be asked, it wants --yes. Where there is no such pod, it says
so, and the exit code is 9. The pod default cannot be removed: podlife stop wipes its disk.`,
		Example: `  podlife rm scratch
  podlife rm web --keep-volume --yes
  podlife rm web --yes --json | jq -r .kept_volume`,
		Args: oneName("pod"),
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = r.completion(r.podNames)
	c.Flags().BoolVar(&keep, "keep-volume", false, "keep the home of a workspace as a volume, for another pod to adopt")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&asJSON, "json", false, "print the name and the kept volume, or the server's problem document, as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		if args[0] == client.DefaultPod {
			return &usageError{fmt.Errorf("%s", defaultStays)}
		}
		return r.remove(cmd, keep, yes, asJSON)
	}
	return c
}

// remove asks, removes the pod, and says what is gone and what was kept.
func (r *remote) remove(cmd *cobra.Command, keep, yes, asJSON bool) error {
	cl, err := r.client()
	if err != nil {
		return err
	}
	defer cl.CloseIdleConnections()
	p, err := r.look(cmd.Context(), cl)
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	if keep && p.Class != classWorkspace {
		return &usageError{fmt.Errorf("%s is ephemeral and has no volume: there is nothing that --keep-volume could keep", r.pod)}
	}
	if !yes && p.Life != lifeGoing { // of one that goes, nothing is left to be lost
		if err := confirm(cmd, removeQuestion(r.pod, p, keep), "nothing was removed"); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), destroyTimeout)
	defer cancel()
	res, err := cl.Remove(ctx, r.pod, keep)
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	if asJSON {
		return printJSON(cmd, res)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), removedText(r.pod, p, res, keep))
	return err
}

// removeQuestion says what will be lost, and what is kept.
func removeQuestion(name string, p client.Pod, keep bool) string {
	switch {
	case p.Class != classWorkspace:
		return cell(fmt.Sprintf("Remove %s, with everything on its disk?", name))
	case keep:
		return cell(fmt.Sprintf("Remove %s, and keep the files in its home as the volume %s?", name, p.Volume))
	}
	return cell(fmt.Sprintf("Remove %s, with all files in its home (volume %s; --keep-volume would keep it)?", name, p.Volume))
}

// removedText says what is gone, what was kept, and how to get it back.
func removedText(name string, p client.Pod, res client.Removed, keep bool) string {
	switch {
	case res.KeptVolume != "":
		v := cell(res.KeptVolume)
		return fmt.Sprintf("%s is removed; the files of its home are kept on the volume %s\nadopt it: podlife create %s --adopt-volume %s", name, v, name, v)
	case keep:
		return name + " is removed; no volume was kept, as there is none any more"
	case p.Class == classWorkspace:
		return name + " is removed: its container, its disk and its home are gone"
	}
	return name + " is removed: its container and its disk are gone"
}
