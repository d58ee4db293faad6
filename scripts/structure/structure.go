// Package structure checks that the source keeps the shape that the project decided on: who may import whom, that every package says
// what it is for, that files stay readable, and that nothing of one machine gets into the repository.
//
// It imports nothing of the project and reads only the file system it is given. Read rules.go first: the rules are data, each with the
// reason that a failure prints. The test of this package is the check itself: it runs the rules on this repository.
package structure

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Finding is one place that breaks a rule.
type Finding struct {
	Where  string // file or folder, relative to the root, with a line where there is one
	What   string // what is wrong there
	Reason string // why there is a rule
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s\n\twhy: %s", f.Where, f.What, f.Reason)
}

// A source is one Go file.
type source struct {
	name   string // path from the root
	folder string // of name; "." at the root
	test   bool
	set    *token.FileSet
	syntax *ast.File
}

// at gives file:line of a position in s.
func (s source) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", s.name, s.set.Position(pos).Line)
}

// imports gives the path of each import, with its position.
func (s source) imports(each func(pos token.Pos, importPath string)) {
	for _, spec := range s.syntax.Imports {
		// The parser has accepted it as a string literal.
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			each(spec.Pos(), importPath)
		}
	}
}

// Check holds all rules against a repository and gives what breaks them, in the order of the files. forbidden are texts that no file may
// contain because they are of this machine, such as the path of the checkout. An error is about reading, never about a rule; a Go file
// that cannot be parsed is one.
func Check(root fs.FS, forbidden ...string) ([]Finding, error) {
	var findings []Finding
	var sources []source
	var named []testNamed
	bugs, err := fs.ReadFile(root, bugFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without it no bug report may be named
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(notOurs, name) || slices.Contains(notOursAnywhere, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if !isText(text) {
			return nil
		}
		findings = append(findings, checkMachine(name, text, forbidden)...)
		findings = append(findings, checkLength(name, text)...)
		findings = append(findings, checkBugNames(name, text, bugs)...)
		named = append(named, testsNamed(name, text)...)
		// What is under testdata is material of tests, as the go command sees it too.
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") {
			return nil
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		sources = append(sources, source{
			name: name, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			set: set, syntax: syntax,
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("structure: no Go file found: this is not the root of the repository")
	}
	for _, s := range sources {
		findings = append(findings, checkImports(s)...)
		findings = append(findings, checkClock(s)...)
	}
	findings = append(findings, checkDocs(sources)...)
	findings = append(findings, checkTestsNamed(named, sources)...)
	slices.SortStableFunc(findings, func(a, b Finding) int { return strings.Compare(a.Where, b.Where) })
	return findings, nil
}

// isText says whether text looks like text: like git, it takes a zero byte near the start for the mark of a binary file.
func isText(text []byte) bool {
	return !slices.Contains(text[:min(len(text), 8000)], 0)
}

// under says whether the folder or import path name is prefix or inside of it.
func under(name, prefix string) bool {
	return name == prefix || strings.HasPrefix(name, prefix+"/")
}
