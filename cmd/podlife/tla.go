package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/library"
	"podlife/tla/spec"
)

// Exit codes of "podlife tla ...", also in its help and in docs/tla.md. Up to 16 and from 75 on they are TLC's for the same.
const (
	tlaExitAssumption  = 10
	tlaExitDeadlock    = 11
	tlaExitInvariant   = 12
	tlaExitProperty    = 13
	tlaExitAssert      = 14
	tlaExitUnsupported = 20
	tlaExitVacuous     = 21
	tlaExitMemory      = 22
	tlaExitEvaluation  = 75 // in Init, Next, a constraint or the like
	tlaExitPredicate   = 76 // in an invariant or a property
	tlaExitSpec        = 150
	tlaExitConfig      = 151
)

func (m *Main) tlaCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tla",
		Short: "Read, evaluate and check TLA+ specifications",
		Long: `Read, evaluate and check specifications in TLA+, with the configurations (.cfg) and
the semantics of TLC. Nothing but this program is needed.

Modules are looked for in the folder of the specification, then in the folders of
--path and of the variable TLA_PATH, in this order, then among the standard
modules and the common community modules, which are built in.

Flags may be written with one dash, as TLC's are: -config FILE, -workers N.

Exit codes:
    0  done
    1  something else failed, such as writing a file
    2  wrong use
   75  an expression cannot be evaluated
  150  a module has an error, or is not there
  151  the configuration has an error, or is not there
podlife tla check has more; see its help.`,
		Example: `  podlife tla check tla/PodLifecycle.tla
  podlife tla parse tla/*.tla
  podlife tla eval '{x \in 1..10 : x % 3 = 0}'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return &usageError{fmt.Errorf("there is no command tla %.40q; podlife tla --help lists them", args[0])}
		},
	}
	c.AddCommand(m.tlaCheckCommand(), m.tlaParseCommand(), m.tlaEvalCommand())
	return c
}

// singleDash lets flags of the tla commands be written with one dash, as TLC's are. An argument that begins with a dash and is no flag, such as the
// expression -1, goes behind all flags.
func singleDash(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != "tla" {
		return args, nil
	}
	var out, behind []string
	for i, a := range args {
		switch name, _, _ := strings.Cut(a, "="); {
		case a == "--":
			return append(append(append(out, "--"), behind...), args[i+1:]...), nil
		case len(a) < 2 || a[0] != '-' || a[1] == '-':
			out = append(out, a)
		case !isLetter(a[1]):
			behind = append(behind, a)
		case name == "-deadlock":
			return nil, &usageError{errors.New("-deadlock turns the check off in TLC: say --no-deadlock (or --deadlock to turn it on)")}
		case len(name) > 2:
			out = append(out, "-"+a)
		default:
			out = append(out, a)
		}
	}
	if behind != nil {
		out = append(append(out, "--"), behind...)
	}
	return out, nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// tlaFlags are those that more than one of the commands have.
type tlaFlags struct {
	m          *Main
	path       []string
	config     string
	allowRead  []string
	allowWrite []string
	allowExec  bool
	allowEnv   bool
	json       bool
}

func (m *Main) addTLAFlags(c *cobra.Command) *tlaFlags {
	f := &tlaFlags{m: m}
	c.Flags().StringArrayVar(&f.path, "path", nil, "look for modules in this `folder` too; may be repeated, before those of TLA_PATH")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON (docs/tla.md)")
	return f
}

// addModelFlags adds those for what is evaluated.
func (f *tlaFlags) addModelFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.config, "config", "", "the configuration's `file` (default: the specification's name with .cfg)")
	flags.StringArrayVar(&f.allowRead, "allow-read", nil, "let the specification read files below this `folder`, beside its own; may be repeated")
	flags.StringArrayVar(&f.allowWrite, "allow-write", nil, "let the specification write files below this `folder`; may be repeated")
	flags.BoolVar(&f.allowExec, "allow-exec", false, "let the specification run programs (IOExec)")
	flags.BoolVar(&f.allowEnv, "allow-env", false, "let the specification see the environment variables (IOEnv)")
}

// folders are where modules are looked for.
func (f *tlaFlags) folders() []string {
	folders := append([]string{}, f.path...)
	for _, kv := range f.m.Environ {
		if list, ok := strings.CutPrefix(kv, "TLA_PATH="); ok && list != "" {
			folders = append(folders, filepath.SplitList(list)...)
		}
	}
	return folders
}

// evalOptions are what a specification in this folder may do.
func (f *tlaFlags) evalOptions(cmd *cobra.Command, folder string, out io.Writer) eval.Options {
	opt := eval.Options{
		Out:   library.Output(printableWriter{out}),
		Files: &library.Files{Read: append([]string{folder}, f.allowRead...), Write: f.allowWrite},
	}
	if f.allowExec {
		opt.Exec = library.RunProcess(cmd.Context())
	}
	if f.allowEnv {
		opt.Environ = func() []string { return f.m.Environ }
	}
	return opt
}

// printableWriter makes what a specification prints harmless on a terminal.
type printableWriter struct{ w io.Writer }

func (p printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.w, printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// specFile is the file of a specification as it was given, with or without ".tla".
func specFile(name string) string {
	if strings.HasSuffix(name, ".tla") {
		return name
	}
	if info, err := os.Stat(name + ".tla"); err == nil && !info.IsDir() {
		return name + ".tla"
	}
	return name
}

// tlaFailed shows errors of a specification or configuration, or of an evaluation, and gives the error that ends the command.
func tlaFailed(cmd *cobra.Command, what string, err error) error {
	w := cmd.ErrOrStderr()
	shown := asDiag(err)
	diag.Render(w, shown, colorful(w))
	code := tlaExitOf(err)
	if n := len(diag.All(shown)); n > 1 {
		return &codeError{code: code, text: fmt.Sprintf("%d errors in %s", n, printable(what)), err: err}
	}
	return &codeError{code: code, text: "an error in " + printable(what), err: err}
}

// tlaExitOf is the exit code for an error before or without a check.
func tlaExitOf(err error) int {
	var load *spec.LoadError
	var run *eval.Error
	switch {
	case errors.As(err, &load) && load.Part == spec.PartConfiguration:
		return tlaExitConfig
	case errors.As(err, &load):
		return tlaExitSpec
	case errors.As(err, &run) && run.Code == eval.CodeAssert:
		return tlaExitAssert
	case errors.As(err, &run):
		return tlaExitEvaluation
	}
	return tlaExitSpec
}

// asDiag turns an evaluation's error into one that shows its place. The definitions that were being evaluated become notes.
func asDiag(err error) error {
	var run *eval.Error
	if !errors.As(err, &run) {
		return err
	}
	e := &diag.Error{Code: run.Code, Span: run.Span, Message: run.Message}
	for _, frame := range run.Stack {
		e.Notes = append(e.Notes, diag.Note{Span: frame.Span, Message: "while evaluating " + frame.Definition})
	}
	return e
}

// colorful tells whether w is a terminal whose user wants colours.
func colorful(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// tlaError is an error in JSON. Lines and columns count from 1, and the end is not included.
type tlaError struct {
	Code    string    `json:"code,omitempty"`
	Message string    `json:"message"`
	Help    string    `json:"help,omitempty"`
	Place   *tlaPlace `json:"place,omitempty"`
	Notes   []tlaNote `json:"notes,omitempty"`
}

type tlaNote struct {
	Message string    `json:"message"`
	Place   *tlaPlace `json:"place,omitempty"`
}

type tlaPlace struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

func tlaPlaceOf(s diag.Span) *tlaPlace {
	if !s.Known() {
		return nil
	}
	p := &tlaPlace{File: s.Source.Name}
	p.Line, p.Column = s.Source.Position(s.Start)
	p.EndLine, p.EndColumn = s.Source.Position(s.End)
	return p
}

// tlaErrors are the single errors of err.
func tlaErrors(err error) []tlaError {
	shown := asDiag(err)
	all := diag.All(shown)
	if len(all) == 0 {
		return []tlaError{{Message: shown.Error()}}
	}
	var out []tlaError
	for _, e := range all {
		one := tlaError{Code: string(e.Code), Message: e.Message, Help: e.Help, Place: tlaPlaceOf(e.Span)}
		for _, n := range e.Notes {
			one.Notes = append(one.Notes, tlaNote{n.Message, tlaPlaceOf(n.Span)})
		}
		out = append(out, one)
	}
	return out
}
