package main

// This file is what the shell completes by asking the server. Whoever presses Tab is told nothing of a server that does not answer.

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

// completeTimeout is how long somebody who presses Tab waits at most.
const completeTimeout = time.Second

// completion completes the first argument from these values.
func (r *remote) completion(values func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(typed, values()), cobra.ShellCompDirectiveNoFileComp
	}
}

// completes completes the value of a flag of the command, which must be there.
func (r *remote) completes(flag string, values func() []string) {
	err := r.cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return beginning(typed, values()), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // there is no such flag
	}
}

// beginning gives the values that begin with what was typed.
func beginning(typed string, values []string) []string {
	var fit []string
	for _, v := range values {
		if strings.HasPrefix(v, typed) {
			fit = append(fit, v)
		}
	}
	return fit
}

// asks asks the server something for a short time; of what goes wrong nothing is said.
func (r *remote) asks(call func(context.Context, *client.Client) error) {
	cl := r.cl
	if cl == nil {
		var err error
		if cl, err = r.client(); err != nil {
			return
		}
		defer cl.CloseIdleConnections()
	}
	ctx, cancel := context.WithTimeout(r.cmd.Context(), completeTimeout)
	defer cancel()
	_ = call(ctx, cl)
}

// podNames gives the names of the pods; none where the server does not answer. A name that is none is left out: it would be typed into a shell.
func (r *remote) podNames() []string {
	var names []string
	r.asks(func(ctx context.Context, cl *client.Client) error {
		pods, err := cl.AllPods(ctx, client.PodQuery{})
		for _, p := range pods {
			if client.CheckPodName(p.Name) == nil {
				names = append(names, p.Name)
			}
		}
		return err
	})
	return names
}

// images gives the images that a pod may have, as podNames does.
func (r *remote) images() []string {
	var names []string
	r.asks(func(ctx context.Context, cl *client.Client) error {
		all, err := cl.Images(ctx)
		for _, name := range all.Images {
			if plainReference(name) {
				names = append(names, name)
			}
		}
		return err
	})
	return names
}

// plainReference says whether a reference has no characters but those that one can have, none of which a shell reads otherwise.
func plainReference(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@-") == ""
}

// keptVolumes gives the names of the kept volumes, as podNames does.
func (r *remote) keptVolumes() []string {
	var names []string
	r.asks(func(ctx context.Context, cl *client.Client) error {
		volumes, err := cl.Volumes(ctx)
		for _, name := range volumeNames(volumes) {
			if client.CheckVolumeName(name) == nil {
				names = append(names, name)
			}
		}
		return err
	})
	return names
}
