package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Also a command that is added later has its exit codes in its --help, once.
func TestEveryHelpTellsTheExitCodes(t *testing.T) {
	var paths [][]string
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		if c.Hidden {
			return
		}
		paths = append(paths, path)
		for _, sub := range c.Commands() {
			walk(sub, append(path[:len(path):len(path)], sub.Name()))
		}
	}
	walk((&Main{}).rootCommand(), nil)
	if len(paths) < 10 {
		t.Fatalf("only %d commands were found: %v", len(paths), paths)
	}
	for _, path := range paths {
		t.Run(strings.Join(append([]string{"podlife"}, path...), " "), func(t *testing.T) {
			out, _, code := (&Main{}).run(t, "", append(path[:len(path):len(path)], "--help")...)
			if code != exitOK {
				t.Errorf("exit code %d", code)
			}
			if n := strings.Count(out, "\nExit codes:\n"); n != 1 {
				t.Errorf("the exit codes are told %d times in:\n%s", n, out)
			}
			if !strings.Contains(out, "wrong use") {
				t.Errorf("nothing about wrong use in:\n%s", out)
			}
		})
	}
}

// What runs inside a container has codes that the server reads, not these.
func TestTheAgentsHelpTellsNoneOfThem(t *testing.T) {
	out, _, _ := (&Main{}).run(t, "", "agent", "check", "--help")
	if !strings.Contains(out, "--incarnation") || strings.Contains(out, "Exit codes:") {
		t.Errorf("got:\n%s", out)
	}
}
