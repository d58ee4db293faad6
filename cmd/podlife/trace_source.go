package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"podlife/conformance/input"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/runtime/client"
	"podlife/tla/itf"
)

// source is where a trace comes from: a file, or the pod on a running server.
type source struct {
	remote *remote
	pod    fromPod
	hidden int
}

// fromPod is the flag --pod of a command that reads a file otherwise: alone, or as --pod=NAME.
type fromPod struct {
	on   bool
	name string // "" where the flag names none
}

// Set takes what follows the equals sign; true is the flag alone.
func (p *fromPod) Set(text string) error {
	switch text {
	case "true":
		*p = fromPod{on: true}
	case "false":
		*p = fromPod{}
	default:
		*p = fromPod{true, text}
		return client.CheckPodName(text)
	}
	return nil
}

// String is empty where the flag was not given, so that the help tells no default.
func (p *fromPod) String() string { return p.name }

// Type is what the help shows of a value: that there need be none.
func (p *fromPod) Type() string { return "bool" }

func (m *Main) addSource(c *cobra.Command) *source {
	s := &source{remote: m.addRemote(c)}
	s.remote.ofPod = true
	c.Flags().Var(&s.pod, "pod", "take the steps of your pod from the running server, which keeps its newest 1,000; the argument is then the pod's name, else PODLIFE_POD or default")
	c.Flags().Lookup("pod").NoOptDefVal = "true"
	names := s.remote.completion(s.remote.podNames)
	c.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if s.pod.on {
			return names(cmd, args, typed)
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	c.Flags().IntVar(&s.hidden, "hidden", explain.DefaultHidden, "how many unrecorded steps of the world may come in a row, 0 to 8; 0: everything is recorded")
	c.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case s.pod.on && (len(args) > 1 || len(args) == 1 && client.CheckPodName(args[0]) != nil):
			return &usageError{fmt.Errorf("it is either a file or --pod, with the name of a pod or without; see %s --help", cmd.CommandPath())}
		case s.pod.on:
			s.remote.pod = s.pod.name
			return s.remote.named(args)
		case len(args) != 1:
			return &usageError{fmt.Errorf("name one file with a trace (- is standard input), or say --pod; see %s --help", cmd.CommandPath())}
		case s.hidden < 0 || s.hidden > 8:
			return &usageError{fmt.Errorf("hidden is %d, must be between 0 and 8", s.hidden)}
		}
		return nil
	}
	return s
}

func (s *source) options() explain.Options {
	if s.hidden == 0 {
		return explain.Options{Hidden: -1}
	}
	return explain.Options{Hidden: s.hidden}
}

// read gives the trace; one that is none has an exit code of its own.
func (s *source) read(cmd *cobra.Command, args []string) ([]tracecheck.Record, error) {
	if s.pod.on {
		return s.fromServer(cmd)
	}
	in := input.Reader(cmd.Context(), cmd.InOrStdin())
	if args[0] != "-" {
		f, err := input.Open(cmd.Context(), args[0])
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	records, err := tracecheck.Read(in)
	var line *tracecheck.LineError
	var form *itf.FormatError
	if errors.As(err, &line) || errors.As(err, &form) {
		return nil, &codeError{code: traceExitNoTrace, text: printable(fmt.Sprintf("%s is no trace: %v", args[0], err)), err: err}
	}
	return records, err
}

func (s *source) fromServer(cmd *cobra.Command) ([]tracecheck.Record, error) {
	cl, err := s.remote.client()
	if err != nil {
		return nil, err
	}
	defer cl.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(cmd.Context(), callTimeout)
	defer cancel()
	page, err := cl.Steps(ctx, 0)
	if err != nil {
		return nil, s.remote.explain(err)
	}
	records := make([]tracecheck.Record, 0, len(page.Steps))
	for _, step := range page.Steps {
		r, err := recordOf(step)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// recordOf is a step that the server told, if it is one at all.
func recordOf(step client.CommittedStep) (tracecheck.Record, error) {
	r := tracecheck.Record(step)
	if err := explain.New(explain.Options{}).Valid(r.Step()); err != nil {
		return r, &codeError{code: exitFailed, text: printable(fmt.Sprintf("the server is one of another version: %v", err)), err: err}
	}
	return r, nil
}
