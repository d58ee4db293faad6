// Package report makes what was checked readable: one page that stands for itself ([Page.Write]), and the screen with which a check ends ([Screen.Write]).
//
// It believes nothing and runs nothing but the explorer: it shows what coverage.json records and what a check left in its folder of results, and says of everything that is in neither that it did not run.
// Only "pass" is green. It imports model and its parts, and tla where a counterexample is read; so that the program which has it stays small, it does not import the packages that do the checking, and
// reads their results as JSON. Read this file first; record.go has the results, lines.go what is said of them, page.html the page.
package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Inputs say what a page is made of.
type Inputs struct {
	Coverage string // the file coverage.json; it must be there
	// Root is the repository that the coverage is held against, file by file; "" is not compared.
	Root string
	// Results is the folder that a check left; Mutants is one that make mutants-runtime left. What is not there did not run.
	Results, Mutants string
	// Counterexample is a file with a behaviour: the Informal Trace Format, TLC's JSON, or one of podlife check --trace. "" makes an example.
	Counterexample string
	// Off is the guard of PodRuntime that the example is found without; "" is [ExampleOff].
	Off string
}

// Page is what the page says, ready to be written.
type Page struct {
	Lines       []Line // at a glance
	Source      Freshness
	Schema      int
	Last        *Check // the check that left Results; nil is none
	Specs       []SpecRow
	Mirror      []MirrorRow
	Conformance []ConformanceRow
	Linear      LinearRow
	Matrices    []Matrix
	Guards      []GuardRow
	Graph       Graph
	Actions     ActionTable
	Behaviour   Behaviour
	Picture     string // porcupine's page; "" was not run
	PictureNote string
}

// MaxPicture bounds what is taken of porcupine's page.
const MaxPicture = 4 << 20

// PictureFile is the name under which a check leaves the picture of a judged history.
const PictureFile = "linearizability.html"

// Build reads everything and makes the page of it. Its errors are about files that are there and cannot be understood; what is not there is shown as not run. The exception is the coverage, without
// which there is nothing to report, and a counterexample that was asked for.
func Build(ctx context.Context, in Inputs) (Page, error) {
	record, err := ReadCoverage(ctx, in.Coverage)
	if err != nil {
		return Page{}, err
	}
	var p Page
	if p.Source, err = freshness(in.Root, record.Hashes); err != nil {
		return p, err
	}
	if p.Last, err = readCheck(ctx, in.Results); err != nil {
		return p, err
	}
	left, err := ReadResults(ctx, in.Results)
	if err != nil {
		return p, err
	}
	if record.Auto = left.Auto; record.Auto == nil {
		if record.Auto, err = readAuto(ctx, in.Mutants); err != nil {
			return p, err
		}
	}
	record.Resume, record.Idle, record.Homes = left.Resume, left.Idle, left.Homes
	if len(record.Faults) == 0 {
		record.Faults = left.Faults
	}
	edges := record.edges()
	if edges == nil {
		edges = left.edges()
	}
	p.Schema, p.Lines = record.Schema, record.Lines()
	p.Specs, p.Mirror, p.Conformance, p.Linear = record.specRows(), record.mirrorRows(), record.conformanceRows(), record.linearRow()
	p.Matrices, p.Guards = record.matrices(), record.guardRows()
	if p.Graph, err = graphOf(ctx, edges); err != nil {
		return p, err
	}
	p.Actions = record.actionTable()
	if p.Behaviour, err = behaviour(ctx, in); err != nil {
		return p, err
	}
	p.Picture, p.PictureNote, err = picture(in.Results)
	return p, err
}

// picture reads porcupine's page. One that is too long is told and left out.
func picture(dir string) (text, note string, err error) {
	if dir == "" {
		return "", "not run: no folder of results", nil
	}
	name := filepath.Join(dir, PictureFile)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "not run: the check left no " + PictureFile, nil
	case err != nil:
		return "", "", err
	case info.Size() > MaxPicture:
		return "", fmt.Sprintf("not shown: %s has %d bytes, more than %d", name, info.Size(), MaxPicture), nil
	}
	data, err := os.ReadFile(name)
	return string(data), "", err
}
