// Package drive is the frame of a driver: a program that takes what it is built with through scenarios, and prints what became of each, as JSON: {"build": ID, "outcomes": [...]}.
//
// A scenario runs in a bubble of testing/synctest, which only a test may make: so the program runs one. It imports nothing of the project, so that a driver is little more than what it drives. Read this file, which is all.
package drive

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
)

// Main takes the scenarios that the command line names, each in a bubble of its own, and ends the program: with 0 where they ran, whatever was found, and with 2 where they could not.
func Main[O any](buildID string, try func(scenario string) O) {
	names := os.Args[1:]
	testing.Init()
	if err := flag.CommandLine.Parse(nil); err != nil {
		fail(err)
	}
	report := struct {
		Build    string `json:"build"`
		Outcomes []O    `json:"outcomes"`
	}{Build: buildID, Outcomes: []O{}}
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "driver", F: func(t *testing.T) {
		for _, name := range names {
			synctest.Test(t, func(*testing.T) { report.Outcomes = append(report.Outcomes, try(name)) })
		}
		if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
			fail(err)
		}
		os.Exit(0) // before the test says on the same output that it passed
	}}}, nil, nil)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "driver:", err)
	os.Exit(2)
}
