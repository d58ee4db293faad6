package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/module"
	"podlife/tla/spec"
	"podlife/tla/value"
)

// plainModule is the scope of expressions without --spec.
const plainModule = `---- MODULE Expression ----
EXTENDS Integers, Sequences, FiniteSets, Bags, TLC
====
`

// maxExpression is how much of an expression is read from standard input, in bytes.
const maxExpression = 16 << 20

// tlaValue is what "podlife tla eval --json" prints. Fields are only ever added.
type tlaValue struct {
	Schema int        `json:"schema"`
	Value  *string    `json:"value,omitempty"`
	Errors []tlaError `json:"errors,omitempty"`
}

func (m *Main) tlaEvalCommand() *cobra.Command {
	var specName string
	c := &cobra.Command{
		Use:   "eval [EXPRESSION]",
		Short: "Evaluate a constant expression",
		Long: `Evaluate an expression and print its value, as TLC prints it. Without an expression,
or with "-", it is read from standard input.

The operators of Integers, Sequences, FiniteSets, Bags and TLC are there. With
--spec, the names are those of that specification instead, and its constants have
the values of its configuration, if there is one.` + tlaExitHelp("eval"),
		Example: `  podlife tla eval '{x \in 1..10 : x % 3 = 0}'
  podlife tla eval --spec tla/PodLifecycle.tla 'Clients'
  echo 'SUBSET {1, 2}' | podlife tla eval`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("%s takes one expression, got %d: quote it", cmd.CommandPath(), len(args))}
			}
			return nil
		},
	}
	f := m.addTLAFlags(c)
	f.addModelFlags(c)
	c.Flags().StringVar(&specName, "spec", "", "evaluate in the scope of the specification in this `file`")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		source, err := expressionSource(cmd, args)
		if err != nil {
			return err
		}
		text, err := f.evaluate(cmd, specName, source)
		result := tlaValue{Schema: 1}
		if err == nil {
			result.Value = &text
		} else if context.Cause(cmd.Context()) != nil {
			return context.Cause(cmd.Context())
		}
		switch {
		case f.json && err != nil:
			result.Errors = tlaErrors(err)
			if err := printJSON(cmd, result); err != nil {
				return err
			}
			return &codeError{code: tlaExitOf(err), text: "the expression has no value", err: err}
		case f.json:
			return printJSON(cmd, result)
		case err != nil:
			return tlaFailed(cmd, source.Name, err)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), printable(text))
		return err
	}
	return c
}

func expressionSource(cmd *cobra.Command, args []string) (*diag.Source, error) {
	if len(args) == 1 && args[0] != "-" {
		return diag.NewSource("<expression>", []byte(args[0])), nil
	}
	text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxExpression+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxExpression {
		return nil, &usageError{fmt.Errorf("the expression is longer than %d bytes", maxExpression)}
	}
	if strings.TrimSpace(string(text)) == "" {
		return nil, &usageError{fmt.Errorf("there is no expression; see %s --help", cmd.CommandPath())}
	}
	return diag.NewSource("<stdin>", text), nil
}

// evaluate gives the value as text.
func (f *tlaFlags) evaluate(cmd *cobra.Command, specName string, source *diag.Source) (string, error) {
	s, err := f.scope(cmd, specName)
	if err != nil {
		return "", err
	}
	// Its names and strings come after those of the specification in TLC's order; see spec.Options.Alone.
	eval.DeclareConfigNames(source)
	x, err := module.ParseExpr(s.Module, source)
	if err != nil {
		return "", &spec.LoadError{Part: spec.PartSpecification, Err: err}
	}
	v, err := s.Program.NewEvaluator(cmd.Context()).EvalExpr(x, nil, nil)
	if err != nil {
		return "", err
	}
	var text string
	// A value may be lazy, and then it may have to be evaluated to be printed.
	if err := value.Catch(func() { text = v.String() }); err != nil {
		return "", &eval.Error{Code: eval.CodeEvaluation, Message: err.Error(), Span: x.Place()}
	}
	return text, nil
}

// scope is the specification in whose scope the expression is evaluated.
func (f *tlaFlags) scope(cmd *cobra.Command, specName string) (*spec.Spec, error) {
	file := specFile(specName)
	opt := spec.Options{Config: f.config, Path: f.folders(), Alone: true, Eval: f.evalOptions(cmd, filepath.Dir(file), cmd.ErrOrStderr())}
	opt.Eval.ExpressionsOnly = true
	if specName == "" {
		opt.NoConfig = f.config == ""
		opt.Open = func(name string) (*diag.Source, error) {
			if name == "Expression" {
				return diag.NewSource("<scope>", []byte(plainModule)), nil
			}
			return nil, fs.ErrNotExist
		}
		return spec.Load("Expression.tla", opt)
	}
	if f.config == "" {
		_, err := os.Stat(strings.TrimSuffix(file, ".tla") + ".cfg")
		opt.NoConfig = err != nil
	}
	return spec.Load(file, opt)
}
