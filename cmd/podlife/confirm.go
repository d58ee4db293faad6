package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// confirm asks on the terminal; declined is what is said to a no. Without one there is nobody to ask, and that is a usage error.
func confirm(cmd *cobra.Command, question, declined string) error {
	f, ok := cmd.InOrStdin().(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &usageError{errors.New("nobody can be asked here: say --yes if you mean it")}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // ends with the process at the latest: a read of a terminal cannot be taken back
		s, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 100)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			s = ""
		}
		answer <- strings.ToLower(strings.TrimSpace(s))
	}()
	select {
	case a := <-answer:
		if a == "y" || a == "yes" {
			return nil
		}
		return &codeError{code: exitFailed, text: declined}
	case <-cmd.Context().Done():
		return context.Cause(cmd.Context())
	}
}
