package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"podlife/runtime/boot"
)

// NewCommand gives the hidden command `agent` with everything that podlife runs inside a container. Its subcommands end the process themselves, with the exit code that the
// other side reads.
func NewCommand() *cobra.Command {
	agent := &cobra.Command{
		Use:               "agent",
		Short:             "What podlife runs inside a container; not for people",
		Hidden:            true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // whatever the root prepares is for the server's side
	}
	agent.AddCommand(initCommand(), bootCommand(), checkCommand(), shellCommand(), endCommand(), askpassCommand())
	return agent
}

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init", Short: "PID 1: reaps orphans, ends on SIGTERM", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { Init(); os.Exit(0) },
	}
}

func bootCommand() *cobra.Command {
	lifeline := false
	c := &cobra.Command{
		Use: "boot", Short: "runs the boot script for the request on standard input, events on standard output", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
			code := RunBoot(ctx, DefaultLayout(), os.Stdin, os.Stdout, lifeline)
			stop()
			os.Exit(code)
		},
	}
	c.Flags().BoolVar(&lifeline, "lifeline", false, "end the script when standard input ends")
	return c
}

// wantFlags adds what a marker has to vouch for.
func wantFlags(c *cobra.Command, want *boot.Marker) {
	c.Flags().StringVar(&want.Pod, "pod", "", "the pod")
	c.Flags().IntVar(&want.Incarnation, "incarnation", 0, "its incarnation")
	c.Flags().StringVar(&want.Recipe, "recipe", "", "the hash of the recipe that must have provisioned it")
	for _, name := range []string{"pod", "incarnation", "recipe"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
}

func checkCommand() *cobra.Command {
	var want boot.Marker
	c := &cobra.Command{
		Use: "check", Short: "says whether the marker vouches: exit code 0 or 3, the verdict as JSON", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { os.Exit(RunCheck(OSFiles{}, DefaultLayout().Marker, want, os.Stdout)) },
	}
	wantFlags(c, &want)
	return c
}

// RunCheck writes the verdict as JSON and gives the exit code: 0, or ExitRefused.
func RunCheck(files Files, marker string, want boot.Marker, out io.Writer) int {
	v := Check(files, marker, want)
	if err := json.NewEncoder(out).Encode(v); err != nil {
		return 1
	}
	if !v.OK {
		return ExitRefused
	}
	return 0
}

func shellCommand() *cobra.Command {
	var o ShellOptions
	c := &cobra.Command{
		Use: "shell", Short: "checks the marker, says so, and becomes the user's shell", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { os.Exit(RunShell(DefaultLayout(), o, os.Stdin, os.Stdout)) },
	}
	ShellFlags(c, &o)
	return c
}

// ShellFlags defines the flags of the shell command.
func ShellFlags(c *cobra.Command, o *ShellOptions) {
	wantFlags(c, &o.Want)
	c.Flags().StringVar(&o.Session, "session", "", "the name to end it by, never used before")
	c.Flags().StringVar(&o.Server, "server", "none", "the server process that reads it; shells of others are ended")
	c.Flags().StringVar(&o.Tab, "tab", "main", "the multiplexer session")
	c.Flags().Uint16Var(&o.Cols, "cols", 80, "the terminal's columns")
	c.Flags().Uint16Var(&o.Rows, "rows", 24, "the terminal's rows")
	c.Flags().StringVar(&o.Dir, "dir", "", "where to start, when it exists")
}

func endCommand() *cobra.Command {
	session := ""
	c := &cobra.Command{
		Use: "end", Short: "ends a session's shell; success when there is none", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			if err := DefaultLayout().EndSession(context.Background(), session); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		},
	}
	c.Flags().StringVar(&session, "session", "", "the session")
	return c
}

func askpassCommand() *cobra.Command {
	dir := ""
	c := &cobra.Command{
		Use: "askpass", Short: "answers git", Args: cobra.ExactArgs(1),
		Run: func(_ *cobra.Command, args []string) {
			if err := Askpass(dir, args[0], os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "the folder of the secret")
	return c
}
