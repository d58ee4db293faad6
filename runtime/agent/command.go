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
	"podlife/runtime/host/process"
	"podlife/runtime/transfer"
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
	agent.AddCommand(initCommand(), relayCommand(), bootCommand(), checkCommand(), askpassCommand(), packCommand(), unpackCommand())
	return agent
}

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init", Short: "PID 1: the session host; reaps orphans, ends on SIGRTMIN+3 from outside", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { exit(Init(DefaultLayout())) },
	}
}

func relayCommand() *cobra.Command {
	return &cobra.Command{
		Use: "relay", Short: "carries a server's bytes to the session host, on standard input and output", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { exit(Relay(context.Background(), os.Stdin, os.Stdout)) },
	}
}

// exit ends the process, with the error on standard error.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "podlife agent:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func bootCommand() *cobra.Command {
	lifeline := false
	c := &cobra.Command{
		Use: "boot", Short: "runs the boot script for the request on standard input, events on standard output", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			_ = process.Sacrifice(os.Getpid()) // and with it the script and what that leaves running; a boot is done as well without
			ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
			code := RunBoot(ctx, DefaultLayout(), os.Stdin, os.Stdout, lifeline)
			stop()
			os.Exit(code)
		},
	}
	c.Flags().BoolVar(&lifeline, "lifeline", false, "end the script when standard input ends")
	return c
}

// WantFlags adds what a marker has to vouch for.
func WantFlags(c *cobra.Command, want *boot.Marker) {
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
	WantFlags(c, &want)
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

func packCommand() *cobra.Command {
	return &cobra.Command{
		Use: "pack PATH", Short: "writes a file or a folder to standard output, as runtime/transfer reads it", Args: cobra.ExactArgs(1),
		Run: func(_ *cobra.Command, args []string) { exit(Pack(context.Background(), args[0], os.Stdout, os.Stderr)) },
	}
}

// Pack writes a file or a folder to out, and what cannot travel to notes, a line each.
func Pack(ctx context.Context, path string, out, notes io.Writer) error {
	report, err := transfer.Pack(ctx, out, path, nil)
	for _, name := range report.Skipped {
		fmt.Fprintf(notes, "%s%q\n", transfer.SkippedNote, name)
	}
	return err
}

func unpackCommand() *cobra.Command {
	return &cobra.Command{
		Use: "unpack PATH NAME", Short: "puts what is on standard input at a path, or into the folder there under its own name", Args: cobra.ExactArgs(2),
		Run: func(_ *cobra.Command, args []string) {
			// Whoever sends it may go away: then what is half there is removed, which has to be quick.
			ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
			in, err := interruptible(os.Stdin)
			if err == nil {
				context.AfterFunc(ctx, func() { in.Close() })
				err = Unpack(ctx, args[0], args[1], in)
			}
			stop()
			exit(err)
		},
	}
}

// interruptible gives the same file as one whose reads end when it is closed.
func interruptible(f *os.File) (*os.File, error) {
	if err := unix.SetNonblock(int(f.Fd()), true); err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return os.NewFile(f.Fd(), f.Name()), nil
}

// Unpack puts what comes in at a path, or into the folder that is there, under its own name.
func Unpack(ctx context.Context, path, own string, in io.Reader) error {
	folder, name, err := transfer.Place(path, own)
	if err != nil {
		return err
	}
	_, err = transfer.Unpack(ctx, in, folder, name, nil)
	return err
}
