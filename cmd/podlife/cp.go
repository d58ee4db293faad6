package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"podlife/runtime/boot"
	"podlife/runtime/client"
	"podlife/runtime/transfer"
)

func (m *Main) cpCommand() *cobra.Command {
	var asJSON, verbose bool
	c := &cobra.Command{
		Use:   "cp SOURCE DESTINATION",
		Short: "Copy a file or a folder into your pod, or out of it",
		Long: `Copy a file or a folder into your pod, or out of it, booting the pod first when it is not
ready. The side with a colon in front is the pod's: :/path is an absolute path in it, :path
one from where a shell starts.

Where the destination is a folder, what is copied lands in it under its own name; else the
destination is the new name, in a folder that is there. Modes and times of change go along,
links stay links; owners, devices, sockets and pipes do not. A file has its name only once
all of it has arrived. Nothing from the pod lands outside of the destination, whatever links
are in it.`,
		Example: `  podlife cp notes.md :
  podlife cp ./project :/tmp
  podlife cp :build/result.tar.gz .`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{fmt.Errorf("a source and a destination are wanted, got %d; see %s --help", len(args), cmd.CommandPath())}
			}
			return nil
		},
	}
	r := m.addPodRemote(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print what was copied as JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the boot's steps and its script's output too")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		from, out := strings.CutPrefix(args[0], ":")
		to, in := strings.CutPrefix(args[1], ":")
		if err := wellFormed(args...); err != nil {
			return err
		}
		for _, side := range []string{args[0], args[1]} {
			if side == "-" {
				return &usageError{errors.New("- is no file: for a stream, podlife exec -- sh -c 'cat > FILE', or cat FILE")}
			}
		}
		if in == out {
			return &usageError{errors.New("one side, and not both, must be the pod's: give that one a colon in front, as in :/path")}
		}
		cl, err := r.client()
		if err != nil {
			return err
		}
		defer cl.CloseIdleConnections()
		p := podProgram{notes: cmd.ErrOrStderr(), verbose: verbose, ownSignals: true}
		said := &saying{w: cmd.ErrOrStderr(), silent: asJSON}
		var report transfer.Report
		if in {
			report, err = m.copyIn(cmd.Context(), cl, p, said, from, to)
		} else {
			report, err = m.copyOut(cmd.Context(), cl, p, said, from, to)
		}
		said.clear()
		if err != nil {
			return r.fail(cmd, err, asJSON)
		}
		return printCopied(cmd, report, asJSON)
	}
	return c
}

func printCopied(cmd *cobra.Command, r transfer.Report, asJSON bool) error {
	if asJSON {
		r.Skipped = append([]string{}, r.Skipped...)
		return printJSON(cmd, r)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%s\n", transfer.SkippedNote, printable(s))
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "copied %s\n", copied(r))
	return err
}

func copied(r transfer.Report) string {
	size, files := fmt.Sprintf("%d bytes", r.Bytes), fmt.Sprintf("%d files", r.Files)
	if r.Bytes >= 1<<20 {
		size = fmt.Sprintf("%.1f MiB", float64(r.Bytes)/(1<<20))
	}
	if r.Files == 1 {
		files = "1 file"
	}
	return files + ", " + size
}

// saying tells how far a copy is, where somebody watches.
type saying struct {
	w      io.Writer
	silent bool
	last   time.Time
	said   bool
}

func (s *saying) report(r transfer.Report) {
	f := fileOf(s.w)
	if s.silent || f == nil || !term.IsTerminal(int(f.Fd())) || time.Since(s.last) < time.Second/4 {
		return
	}
	s.last, s.said = time.Now(), true
	fmt.Fprintf(s.w, "\r\x1b[K  %s", copied(r))
}

func (s *saying) clear() {
	if s.said {
		fmt.Fprint(s.w, "\r\x1b[K")
	}
}

// agentProgram is one of the programs that podlife itself has in each container.
func agentProgram(args ...string) []string {
	return append([]string{boot.AgentPath, "agent"}, args...)
}

// half is how one side of a copy came out.
type half struct {
	report transfer.Report
	err    error
}

// copyIn packs here and unpacks there.
func (m *Main) copyIn(ctx context.Context, cl *client.Client, p podProgram, said *saying, from, to string) (transfer.Report, error) {
	own, err := filepath.Abs(from)
	if err != nil {
		return transfer.Report{}, err
	}
	if to == "" {
		to = "."
	}
	reader, writer := io.Pipe()
	packed := make(chan half, 1)
	packing, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // ends when the other end of the pipe is closed, below
		report, err := transfer.Pack(packing, writer, from, said.report)
		writer.CloseWithError(err)
		if err != nil {
			cancel() // half a stream has no end
		}
		packed <- half{report, err}
	}()
	var errs captured
	p.argv, p.stdin, p.stdout, p.stderr = agentProgram("unpack", "--", to, filepath.Base(own)), reader, io.Discard, &errs
	exit, err := m.runProgram(packing, cl, p)
	reader.CloseWithError(io.ErrClosedPipe)
	h := <-packed
	switch {
	case h.err != nil && !errors.Is(h.err, io.ErrClosedPipe):
		return h.report, h.err
	case err != nil:
		return h.report, err
	}
	return h.report, thatSide(exit, &errs)
}

// copyOut packs there and unpacks here.
func (m *Main) copyOut(ctx context.Context, cl *client.Client, p podProgram, said *saying, from, to string) (transfer.Report, error) {
	own := path.Base(path.Clean("/" + from))
	if from == "" || strings.HasSuffix(from, "/.") || from == "." || from == ".." || strings.HasSuffix(from, "/..") {
		return transfer.Report{}, &usageError{fmt.Errorf("source :%.80s has no name of its own: name the folder", from)}
	}
	folder, name, err := transfer.Place(to, own)
	if err != nil {
		return transfer.Report{}, err
	}
	reader, writer := io.Pipe()
	unpacked := make(chan half, 1)
	go func() { // ends when the other end of the pipe is closed, below
		report, err := transfer.Unpack(ctx, reader, folder, name, said.report)
		if err == nil {
			_, err = io.Copy(io.Discard, reader) // what a stream has behind its end
		}
		reader.CloseWithError(err)
		unpacked <- half{report, err}
	}()
	var errs captured
	p.argv, p.stdout, p.stderr = agentProgram("pack", "--", from), writer, &errs
	exit, err := m.runProgram(ctx, cl, p)
	if err == nil && exit.Code == 0 {
		writer.Close()
	} else {
		writer.CloseWithError(io.ErrUnexpectedEOF)
	}
	h := <-unpacked
	for _, line := range strings.Split(errs.String(), "\n") {
		if quoted, ok := strings.CutPrefix(line, transfer.SkippedNote); ok {
			if name, err := strconv.Unquote(quoted); err == nil {
				h.report.Skipped = append(h.report.Skipped, name)
			}
		}
	}
	switch {
	case h.err != nil && errors.Is(err, h.err):
		return h.report, h.err // this side's, which ended the other
	case err != nil:
		return h.report, err
	case exit.Code != 0:
		return h.report, thatSide(exit, &errs)
	}
	return h.report, h.err
}

// thatSide is the error of a copy that failed in the pod.
func thatSide(exit client.Exit, errs *captured) error {
	if exit.Code == 0 {
		return nil
	}
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(errs.String()), "podlife agent:"))
	if exit.Signal != "" || text == "" {
		text = fmt.Sprintf("it ended with code %d %s", exit.Code, exit.Signal)
	}
	return &codeError{code: exitFailed, text: "in the pod: " + printable(strings.ReplaceAll(text, "\n", "; "))}
}
