package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

func classes() []string { return []string{classEphemeral, classWorkspace} }

func (m *Main) createCommand() *cobra.Command {
	var class, adopt, image string
	var labels []string
	var idle time.Duration
	var start, asJSON, verbose bool
	c := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a pod with a name, ephemeral or a workspace",
		Long: `Create a pod with a name: 1 to 40 of a-z, 0-9 and -, neither end a dash. Every other
command takes it as --pod NAME.

An ephemeral pod is as the default one: its disk is wiped whenever it sleeps. The home of a
workspace is a volume of its own, which stays over each stop, until podlife rm removes it
with the pod or keeps it; --adopt-volume takes one that was kept. The rest of a workspace's
disk is fresh at each start, and the boot script runs on it again.

Nothing runs yet, unless --start boots it. Where there is a pod of that name already, it is
left as it is, and the exit code is 9.`,
		Example: `  podlife create web --class workspace --start
  podlife create ci --label team=core --label nightly=
  podlife create go --image golang:1.24      # one of those that the server allows
  podlife create web --adopt-volume VOLUME   # podlife volumes lists those that are kept`,
		Args: oneName("pod"),
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.Flags().StringVar(&class, "class", "", "ephemeral or workspace; the server's default_class if not said, workspace with --adopt-volume")
	c.Flags().StringVar(&adopt, "adopt-volume", "", "a kept `volume`, which becomes the home of the workspace")
	c.Flags().StringArrayVar(&labels, "label", nil, "a `KEY=VALUE` to find it by; may be given several times")
	addIdleTimeout(c, &idle)
	addImage(c, &image)
	c.Flags().BoolVar(&start, "start", false, "boot it too, and wait until it is ready")
	c.Flags().BoolVar(&asJSON, "json", false, "print the pod, or the server's problem document, as JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "with --start, show the boot script's output too")
	r.completes("class", classes)
	r.completes("image", r.images)
	r.completes("adopt-volume", r.keptVolumes)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		if err := oneOf("class", class, classes()); err != nil {
			return err
		}
		if adopt != "" && class == classEphemeral {
			return &usageError{fmt.Errorf("an ephemeral pod has no home to keep: --adopt-volume is for --class %s", classWorkspace)}
		}
		set, err := readLabels(labels)
		if err != nil {
			return &usageError{err}
		}
		seconds, err := idleSeconds(idle)
		if err != nil {
			return err
		}
		return r.create(cmd, client.NewPod{Name: args[0], Class: class, Adopt: adopt, Labels: set, IdleTimeoutSeconds: seconds, Image: image}, start, asJSON, verbose)
	}
	return c
}

// create makes the pod, boots it if it is to be, and says what it is.
func (r *remote) create(cmd *cobra.Command, n client.NewPod, start, asJSON, verbose bool) error {
	cl, err := r.client()
	if err != nil {
		return err
	}
	defer cl.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(cmd.Context(), destroyTimeout)
	defer cancel()
	p, err := cl.Create(ctx, n)
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	if !start && !asJSON {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; podlife start %s boots it\n", created(p), n.Name)
		return err
	}
	if start {
		fmt.Fprintf(cmd.ErrOrStderr(), "  %s\n", created(p)) // it is, whatever becomes of its boot
		res, err := bootTelling(cmd, cl, verbose)
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		if !asJSON {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is %s (incarnation %d)\n", n.Name, res.State, res.Incarnation)
			return err
		}
		if p, err = r.look(cmd.Context(), cl); err != nil {
			return r.fail(cmd, err, true)
		}
	}
	return printJSON(cmd, p)
}

// created says what a new pod is, and what becomes of its files.
func created(p client.Pod) string {
	files := "its disk is wiped whenever it sleeps"
	if p.Class == classWorkspace {
		files = "its home stays on the volume " + p.Volume
	}
	return cell(fmt.Sprintf("%s is created (%s): %s", p.Name, p.Class, files))
}

// oneOf is a usage error for a value of a flag that is none of these; a flag that was not given has none.
func oneOf(flag, value string, known []string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return &usageError{&unknownNameError{what: flag, name: value, known: known}}
}

// readLabels reads KEY=VALUE, each key once. What a key may be, the server says.
func readLabels(assigned []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, a := range assigned {
		key, value, ok := strings.Cut(a, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--label %.80q: KEY=VALUE is wanted", a)
		}
		if _, twice := labels[key]; twice {
			return nil, fmt.Errorf("--label %.80q: %s has a value already", a, cell(key))
		}
		labels[key] = value
	}
	return labels, nil
}
