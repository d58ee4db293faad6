// Command testagent is the agent alone, for tests: the same commands that the podlife binary has, in a binary that builds in a second.
//
// It imports runtime/agent. There is nothing more to read.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"podlife/runtime/agent"
)

func main() {
	root := &cobra.Command{Use: "podlife", SilenceUsage: true}
	root.AddCommand(agent.NewCommand())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
