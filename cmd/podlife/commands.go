package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podlife/runtime/client"
)

// callTimeout bounds the calls that answer at once; a destroy has as long as an engine may need.
const (
	callTimeout    = 30 * time.Second
	destroyTimeout = 3 * time.Minute
)

func (m *Main) bootCommand() *cobra.Command {
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "boot",
		Short: "Boot your pod and wait until it is ready",
		Long: `Boot your pod and wait until it is ready: wake it if it sleeps, run its boot script
if it has not run. A pod that is ready stays as it is. Progress is told on standard
error, step by step; interrupting the command does not stop the boot. With --for it
is first given a lease, as podlife extend does, so that it stays awake with nobody in
it; where none is given, nothing is booted.`,
		Example: `  podlife boot
  podlife boot --for 8h          # and keep it awake for so long
  podlife boot --verbose         # with the boot script's output
  podlife boot --json | jq .incarnation`,
		Args: noArgs,
	}
	r := m.addPodRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print the result, or the server's problem document, as JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the boot script's output too")
	d := addFor(c, "keep the pod awake for this `time` from now on, such as 30m or 8h")
	c.RunE = func(cmd *cobra.Command, _ []string) error { return r.boot(cmd, time.Duration(*d), asJSON, verbose) }
	return c
}

func (m *Main) startCommand() *cobra.Command {
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "start NAME",
		Short: "Boot a pod by its name and wait until it is ready",
		Long: `Boot a pod by its name and wait until it is ready, as podlife boot does. The container is
a new one with a fresh disk, on which the boot script runs again. The home of a workspace
is in it as it was left; an ephemeral pod has nothing of what it had before its sleep.`,
		Example: `  podlife start web
  podlife start web --for 8h     # and keep it awake for so long`,
		Args: oneName("pod"),
	}
	r := m.addRemote(c)
	c.ValidArgsFunction = r.completion(r.podNames)
	c.Flags().BoolVar(&asJSON, "json", false, "print the result, or the server's problem document, as JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the boot script's output too")
	d := addFor(c, "keep the pod awake for this `time` from now on, such as 30m or 8h")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		return r.boot(cmd, time.Duration(*d), asJSON, verbose)
	}
	return c
}

// boot boots the pod, with a lease first where one is wanted, and says what came of it.
func (r *remote) boot(cmd *cobra.Command, lease time.Duration, asJSON, verbose bool) error {
	cl, err := r.client()
	if err != nil {
		return err
	}
	defer cl.CloseIdleConnections()
	until, err := leaseFirst(cmd, cl, lease)
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	res, err := bootTelling(cmd, cl, verbose)
	if err != nil {
		return r.fail(cmd, err, asJSON)
	}
	if asJSON {
		return printJSON(cmd, struct {
			client.Result
			LeaseUntil *time.Time `json:"lease_until,omitempty"`
		}{res, until})
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is %s (incarnation %d)\n", r.called(res.Pod), res.State, res.Incarnation)
	return err
}

// bootTelling boots the pod, and tells the steps on standard error.
func bootTelling(cmd *cobra.Command, cl *client.Client, verbose bool) (client.Result, error) {
	p := &progress{w: cmd.ErrOrStderr(), verbose: verbose, now: time.Now}
	return cl.Boot(cmd.Context(), "cli-"+rand.Text(), p.event)
}

func (m *Main) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [NAME]",
		Short: "Show where your pod is, why it is awake and when it will sleep",
		Long: `Show where your pod is: its state (asleep, provisioning, ready), since when, what keeps
it awake, when it will sleep, which image it runs and whether the next start uses another
one, and until when its lease lasts (podlife extend). Asking never wakes it and is no
activity.`,
		Example: `  podlife status
  podlife status web
  podlife status --json | jq -r .state`,
		Args: atMostOneName,
	}
	r := m.addPodRemote(c)
	c.ValidArgsFunction = r.completion(r.podNames)
	c.Flags().BoolVar(&asJSON, "json", false, "print what the server says as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.named(args); err != nil {
			return err
		}
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(cmd.Context(), callTimeout)
		defer cancel()
		s, err := cl.Status(ctx)
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		if asJSON {
			return printJSON(cmd, s)
		}
		s.Pod = r.called(s.Pod)
		return printStatus(cmd.OutOrStdout(), s, time.Now())
	}
	return c
}

// printStatus is the status for people, a line for each thing there is to say.
func printStatus(w io.Writer, s client.Status, now time.Time) error {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-13s %s\n", name, printable(value)) }
	line("pod", s.Pod)
	state := s.State
	if !s.Since.IsZero() {
		state += fmt.Sprintf(" for %s, since %s", about(now.Sub(s.Since)), s.Since.Local().Format("2006-01-02 15:04:05"))
	}
	if s.Recovering {
		state += "; the server has started and cannot look into the container yet"
	}
	line("state", state)
	line("incarnation", fmt.Sprint(s.Incarnation))
	if s.State != "asleep" {
		line("terminals", fmt.Sprint(s.Terminals))
		if len(s.KeptAwakeBy) > 0 {
			line("kept awake by", strings.Join(s.KeptAwakeBy, ", "))
		}
		if s.SleepsAt != nil {
			line("sleeps", fmt.Sprintf("in %s, at %s, if nobody uses it", about(s.SleepsAt.Sub(now)), s.SleepsAt.Local().Format("15:04:05")))
		}
	}
	if s.Image != "" || s.Running != nil {
		line("image", imageInWords(s.PodImages))
	}
	if s.LeaseUntil != nil {
		line("lease", leaseInWords(*s.LeaseUntil, s.State == "asleep", now))
	}
	if s.LastError != "" {
		line("last error", s.LastError)
	}
	if s.Monitor != "" {
		line("monitor", s.Monitor)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// imageInWords is which image runs, or would be started, and whether the next start uses another one.
func imageInWords(i client.PodImages) string {
	if i.Running == nil {
		return i.Image
	}
	words := fmt.Sprintf("%s (%.19s)", i.Running.Reference, i.Running.ID)
	switch {
	case i.Outdated && i.Image != i.Running.Reference:
		words += "; outdated: the next start uses " + i.Image
	case i.Outdated:
		words += "; outdated: the next start uses another image, to which this reference leads by now"
	}
	return words
}

// about rounds a time span for people.
func about(d time.Duration) string {
	d = max(d, 0).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func (m *Main) loginLinkCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "login-link",
		Short: "Print a fresh link that logs a browser in, once",
		Long: `Print a fresh link that logs a browser in as the token's user. It works once, within 10
minutes; the browser keeps a cookie for 12 hours.`,
		Example: `  podlife login-link
  xdg-open "$(podlife login-link)"`,
		Args: noArgs,
	}
	r := m.addRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, `print {"url": ...}`)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(cmd.Context(), callTimeout)
		defer cancel()
		url, err := cl.LoginLink(ctx)
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		if asJSON {
			return printJSON(cmd, map[string]string{"url": url})
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), printable(url))
		return err
	}
	return c
}

func versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the program's version",
		Long:    "Print the program's version, its build, and the source revision if the build recorded it.",
		Example: "  podlife version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := struct {
				Version  string `json:"version"`
				Build    string `json:"build"`
				Revision string `json:"revision,omitempty"`
				Go       string `json:"go"`
			}{Version: version, Build: buildID, Go: runtime.Version()}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						v.Revision = s.Value
					}
				}
			}
			if asJSON {
				return printJSON(cmd, v)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "podlife %s (build %s, %s)\n", v.Version, v.Build, strings.TrimSpace(v.Revision+" "+v.Go))
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

// fail tells a failed call: the server's problem document on standard output with --json, the failed boot's log, and the sentence for Run to print.
func (r *remote) fail(cmd *cobra.Command, err error, asJSON bool) error {
	var p *client.Problem
	if errors.As(err, &p) {
		if asJSON {
			if jerr := printJSON(cmd, p); jerr != nil {
				return jerr
			}
		}
		if p.Code == client.CodeBootFailed {
			return bootFailed(cmd.ErrOrStderr(), p.Step, p.ExitCode, p.LogTail, p.Detail)
		}
	}
	return r.explain(err)
}

// bootFailed shows the end of a failed boot's output and gives the error.
func bootFailed(w io.Writer, step string, code int, tail, detail string) error {
	if text := indent(printable(tail)); text != "" {
		fmt.Fprintf(w, "the end of its output:\n%s", text)
	}
	text := "the boot failed in step " + printable(step)
	if code != 0 {
		text += fmt.Sprintf(" with exit code %d", code)
	} else if detail != "" {
		text += ": " + printable(detail)
	}
	return &codeError{code: exitBootFailed, text: text}
}

func printJSON(cmd *cobra.Command, v any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
