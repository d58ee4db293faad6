package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"podlife/tla/diag"
	"podlife/tla/module"
)

// tlaParsed is what "podlife tla parse --json" prints. Fields are only ever added.
type tlaParsed struct {
	Schema int             `json:"schema"`
	Files  []tlaParsedFile `json:"files"`
}

type tlaParsedFile struct {
	File        string          `json:"file"`
	Module      string          `json:"module,omitempty"`
	Extends     []string        `json:"extends,omitempty"`
	Constants   []tlaName       `json:"constants,omitempty"`
	Variables   []tlaName       `json:"variables,omitempty"`
	Definitions []tlaDefinition `json:"definitions,omitempty"` // of this module, without those that it extends
	Assumptions int             `json:"assumptions"`
	Errors      []tlaError      `json:"errors,omitempty"`
	Warnings    []tlaError      `json:"warnings,omitempty"`
}

type tlaName struct {
	Name   string    `json:"name"`
	Arity  int       `json:"arity,omitempty"`
	Module string    `json:"module"`
	Place  *tlaPlace `json:"place,omitempty"`
}

type tlaDefinition struct {
	Name       string    `json:"name"`
	Parameters []string  `json:"parameters,omitempty"`
	Level      string    `json:"level"` // constant, state, action or temporal
	Place      *tlaPlace `json:"place,omitempty"`
}

func (m *Main) tlaParseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "parse FILE...",
		Short: "Read specifications and report their errors",
		Long: `Read each file and all modules that it needs, resolve every name, and check arities
and levels. Each file is a root module of its own. On success a line says what is in
it.` + tlaExitHelp("parse"),
		Example: `  podlife tla parse tla/PodLifecycle.tla
  podlife tla parse --json tla/*.tla | jq '.files[].errors'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{fmt.Errorf("%s needs a file; see %s --help", cmd.CommandPath(), cmd.CommandPath())}
			}
			return nil
		},
	}
	f := m.addTLAFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		result := tlaParsed{Schema: 1}
		errs := 0
		for _, name := range args {
			file := specFile(name)
			mod, err := module.Load(file, module.Options{Path: f.folders()})
			one := parsedFile(file, mod)
			w := cmd.ErrOrStderr()
			if err != nil {
				one.Errors = tlaErrors(err)
				errs += len(one.Errors)
			}
			result.Files = append(result.Files, one)
			switch {
			case f.json:
			case err != nil:
				diag.Render(w, err, colorful(w))
			default:
				showWarnings(w, mod.Warnings)
				fmt.Fprintln(cmd.OutOrStdout(), parsedLine(one))
			}
		}
		if f.json {
			if err := printJSON(cmd, result); err != nil {
				return err
			}
		}
		if errs > 0 {
			return &codeError{code: tlaExitSpec, text: counted(errs, "error")}
		}
		return nil
	}
	return c
}

func parsedFile(file string, m *module.Module) tlaParsedFile {
	one := tlaParsedFile{File: file}
	if m == nil {
		return one
	}
	one.Module, one.Assumptions = m.Name, len(m.Assumes)
	for _, e := range m.Extends {
		one.Extends = append(one.Extends, e.Name)
	}
	for _, c := range m.Constants {
		one.Constants = append(one.Constants, tlaName{c.Name, c.Arity, c.Module, tlaPlaceOf(c.Span)})
	}
	for _, v := range m.Variables {
		one.Variables = append(one.Variables, tlaName{v.Name, 0, v.Module, tlaPlaceOf(v.Span)})
	}
	for _, d := range m.Defs {
		if d.Module != m.Name {
			continue
		}
		x := tlaDefinition{Name: d.Name, Level: levelName(d.Level), Place: tlaPlaceOf(d.NameSpan)}
		for _, p := range d.Params {
			x.Parameters = append(x.Parameters, p.Name)
		}
		one.Definitions = append(one.Definitions, x)
	}
	if len(m.Warnings) > 0 {
		one.Warnings = tlaErrors(m.Warnings)
	}
	return one
}

func levelName(l module.Level) string {
	switch l {
	case module.LevelConstant:
		return "constant"
	case module.LevelState:
		return "state"
	case module.LevelAction:
		return "action"
	}
	return "temporal"
}

func parsedLine(one tlaParsedFile) string {
	text := fmt.Sprintf("%s: module %s: %s, %s, %s", one.File, one.Module,
		counted(len(one.Constants), "constant"), counted(len(one.Variables), "variable"), counted(len(one.Definitions), "definition"))
	if one.Assumptions > 0 {
		text += ", " + counted(one.Assumptions, "assumption")
	}
	if len(one.Extends) > 0 {
		text += "; extends " + strings.Join(one.Extends, ", ")
	}
	return printable(text)
}

// counted is "1 error", "2 errors".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
