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

Flags may be written with one dash, as TLC's are: -config FILE, -workers N.` + tlaExitHelp(""),
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
// expression -1, goes behind all flags. What follows a flag that wants a value is its value, whatever it looks like.
func singleDash(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != "tla" {
		return args, nil
	}
	commands := (&Main{}).tlaCommand()
	var out, behind []string
	isValue := false
	for i, a := range args {
		name, _, whole := strings.Cut(a, "=")
		if isValue {
			out, isValue = append(out, a), false
			continue
		}
		isValue = !whole && strings.HasPrefix(a, "-") && wantsValue(commands, strings.TrimLeft(a, "-"))
		switch {
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

// wantsValue tells whether a flag of the commands below c has a value that may be the next argument.
func wantsValue(c *cobra.Command, name string) bool {
	for _, sub := range c.Commands() {
		if f := sub.Flags().Lookup(name); f != nil && f.NoOptDefVal == "" {
			return true
		}
	}
	return false
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
	diag.Render(w, asDiag(err), colorful(w))
	return tlaErrorWithCode(what, err)
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
