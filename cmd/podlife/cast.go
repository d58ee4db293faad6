package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"podlife/conformance/input"
	"podlife/runtime/recording/cast"
)

// castFlags are the flags of replay-cast, as given.
type castFlags struct {
	speed, idle float64
	json        bool
}

func (m *Main) replayCastCommand() *cobra.Command {
	var f castFlags
	c := &cobra.Command{
		Use:   "replay-cast FILE",
		Short: "Play the recording of a terminal",
		Long: `Play the recording of a terminal, an asciicast file of version 2 or 3, in this terminal. Where
the server records sessions (record: on), the files are in <data_dir>/recordings, unless
record_dir says otherwise. FILE may be -, for standard input.

Ctrl-C or q ends it, and leaves the terminal as it was. Nothing of what is played can type
anything: what a terminal answers to is left out.`,
		Example: `  podlife replay-cast local.main.20260102T150405Z.1.cast
  podlife replay-cast --speed 4 --idle-limit 1 demo.cast
  podlife replay-cast --json demo.cast | jq .duration_seconds`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{fmt.Errorf("replay-cast takes one file, got %d arguments; see %s --help", len(args), cmd.CommandPath())}
			}
			return nil
		},
	}
	c.Flags().Float64Var(&f.speed, "speed", 1, "how many times as fast, 0.01 to 1000")
	c.Flags().Float64Var(&f.idle, "idle-limit", 0, "wait no longer than so many `seconds` where nothing happens; 0 is as long as it was")
	c.Flags().BoolVar(&f.json, "json", false, "play nothing, and print what the file is as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case !(f.speed >= 0.01 && f.speed <= 1000):
			return &usageError{fmt.Errorf("--speed %v: 0.01 to 1000 are allowed", f.speed)}
		case !(f.idle >= 0 && f.idle <= 1e6):
			return &usageError{fmt.Errorf("--idle-limit %v: 0 to 1000000 are allowed", f.idle)}
		}
		in := input.Reader(cmd.Context(), cmd.InOrStdin())
		if args[0] != "-" {
			file, err := input.Open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		}
		d, err := cast.NewDecoder(in)
		switch {
		case err != nil:
		case f.json:
			err = describeCast(cmd, d)
		default:
			err = m.playCast(cmd, d, f, args[0] == "-")
		}
		return ofCast(cmd.Context(), args[0], err)
	}
	return c
}

// ofCast says of a file that is none in which line of which file that is seen.
func ofCast(ctx context.Context, name string, err error) error {
	var bad *cast.Error
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.As(err, &bad) {
		return &codeError{code: exitFailed, text: printable(fmt.Sprintf("%s:%d: %s", name, bad.Line, bad.Problem)), err: err}
	}
	return err
}

// castSummary is what --json says of a file.
type castSummary struct {
	Version  int        `json:"version"`
	Title    string     `json:"title"`
	Cols     int        `json:"cols"`
	Rows     int        `json:"rows"`
	Recorded *time.Time `json:"recorded"` // null where the file does not say
	Duration float64    `json:"duration_seconds"`
	Events   int        `json:"events"`
	Output   int64      `json:"output_bytes"`
	Exit     *string    `json:"exit_status"` // null where the recording ends before the program
	CutOff   bool       `json:"cut_off"`     // the file ends in the middle of a line
}

// describeCast prints what a file is.
func describeCast(cmd *cobra.Command, d *cast.Decoder) error {
	h := d.Header()
	s := castSummary{Version: h.Version, Title: h.Title, Cols: h.Cols, Rows: h.Rows}
	if !h.Time.IsZero() {
		at := h.Time.UTC()
		s.Recorded = &at
	}
	for {
		e, err := d.Next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			s.CutOff = !errors.Is(err, io.EOF)
			return printJSON(cmd, s)
		case err != nil:
			return err
		}
		s.Events++
		s.Duration = e.At.Seconds()
		switch e.Code {
		case cast.Output:
			s.Output += int64(len(e.Data))
		case cast.Exit:
			s.Exit = &e.Data
		}
	}
}

// playCast sets the local terminal up, plays, and puts the terminal back, whatever happens.
func (m *Main) playCast(cmd *cobra.Command, d *cast.Decoder, f castFlags, fromInput bool) error {
	var stdin *os.File
	if !fromInput {
		stdin, _ = cmd.InOrStdin().(*os.File)
	}
	t, err := openTTY(stdin, fileOf(cmd.OutOrStdout()))
	if err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	defer m.onExit(t.restore)()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	p := &castPlayer{out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), pace: pace{speed: f.speed, limit: time.Duration(f.idle * float64(time.Second))}, begin: time.Now()}
	if t.raw {
		p.notes = &crlfWriter{p.notes}
		in := m.readInput(ctx, stdin, t)
		defer in.wait()
		defer cancel() // before the wait
		p.keys = in.bytes
		defer p.settle()
	}
	if t.sizeOf != nil {
		defer m.onExit(func() { writeAll(cmd.OutOrStdout(), p.modes.reset()+"\r\n") })()
		if cols, rows := t.size(); cols < d.Header().Cols || rows < d.Header().Rows {
			p.note(fmt.Sprintf("the recording is of a terminal of %d × %d, and this one has %d × %d: it may look broken", d.Header().Cols, d.Header().Rows, cols, rows))
		}
	}
	return p.play(ctx, d)
}
