package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

// The classes of pods: what becomes of a pod's files when it stops.
const (
	classEphemeral = "ephemeral"
	classWorkspace = "workspace"
)

func (m *Main) destroyCommand() *cobra.Command {
	var asJSON, yes bool
	c := &cobra.Command{
		Use:   "destroy",
		Short: "Destroy your pod's container and its disk",
		Long: `Destroy your pod's container and its disk, everything in it that is not pushed or copied
elsewhere, and return when both are gone. The next boot makes a fresh one. The home of a
workspace is on no container's disk, and stays. It asks first; where nobody can be asked,
it wants --yes. The pod itself is still there: podlife rm removes one.`,
		Example: `  podlife destroy
  podlife destroy --yes --json`,
		Args: noArgs,
	}
	r := m.addPodRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		p, err := r.look(cmd.Context(), cl)
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		if !yes {
			question := "Destroy the container and everything on its disk?"
			if p.Class == classWorkspace {
				question = "Destroy the container and what is on its disk? " + printable("The home stays, on the volume "+p.Volume+".")
			}
			if err := confirm(cmd, question, "nothing was destroyed"); err != nil {
				return err
			}
		}
		return r.stop(cmd, cl.Destroy, p, asJSON)
	}
	return c
}

func (m *Main) stopCommand() *cobra.Command {
	var asJSON, yes bool
	c := &cobra.Command{
		Use:   "stop NAME",
		Short: "Put a pod to sleep: a workspace's home stays, an ephemeral pod's disk is wiped",
		Long: `Put a pod to sleep, and return when its container is gone. Its programs end.

Of a workspace, the home directory stays as it is, and is there again after the next start;
what was written elsewhere, as installed packages, is gone. Of an ephemeral pod, the whole
disk is wiped: it asks first, and where nobody can be asked, it wants --yes.`,
		Example: `  podlife stop web
  podlife stop scratch --yes`,
		Args: oneName("pod"),
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = r.completion(r.podNames)
	c.Flags().BoolVar(&asJSON, "json", false, "print the result, or the server's problem document, as JSON")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		p, err := r.look(cmd.Context(), cl)
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		if !yes && p.Class != classWorkspace {
			if err := confirm(cmd, "Stop "+args[0]+", and wipe everything on its disk?", "nothing was stopped"); err != nil {
				return err
			}
		}
		return r.stop(cmd, cl.Stop, p, asJSON)
	}
	return c
}

// look asks what the pod is, to say what becomes of its files. The default pod is what it is: nobody is asked.
func (r *remote) look(ctx context.Context, cl *client.Client) (client.Pod, error) {
	name, _ := r.podName()
	if name == client.DefaultPod {
		return client.Pod{Name: name, Class: classEphemeral}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return cl.Pod(ctx, name)
}

// stop puts the pod to sleep by that call, and says what became of its files.
func (r *remote) stop(cmd *cobra.Command, call func(context.Context) (client.Result, error), p client.Pod, asJSON bool) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), destroyTimeout)
	defer cancel()
	res, err := call(ctx)
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	if asJSON {
		return printJSON(cmd, res)
	}
	files := "the container and its disk are gone"
	if p.Class == classWorkspace {
		files = "the container is gone, its home stays on the volume " + p.Volume
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), printable(fmt.Sprintf("%s is %s: %s", r.called(res.Pod), res.State, files)))
	return err
}
