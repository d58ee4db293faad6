package structure

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// checkImports holds the layers and the bans against the imports of s.
func checkImports(s source) []Finding {
	var findings []Finding
	own, known := layerOf(s)
	if !known {
		findings = append(findings, Finding{s.name, "Go code in a folder that no layer names",
			"each part of the project has its place and its imports decided: add it to scripts/structure/rules.go"})
	}
	s.imports(func(pos token.Pos, importPath string) {
		if known && under(importPath, module) && !own.allows(importPath) {
			findings = append(findings, Finding{s.at(pos), fmt.Sprintf("%s imports %s", own.folder, importPath), own.reason})
		}
		for _, b := range bans {
			if b.covers(s) && slices.ContainsFunc(b.banned, func(banned string) bool { return under(importPath, banned) }) {
				findings = append(findings, Finding{s.at(pos), fmt.Sprintf("import of %s", importPath), b.reason})
			}
		}
	})
	return findings
}

// layerOf gives the layer that decides about s.
func layerOf(s source) (layer, bool) {
	for _, l := range layers {
		if under(s.folder, l.folder) && (l.tests || !s.test) {
			return l, true
		}
	}
	return layer{}, false
}

// allows says whether files of the layer may import a package of the project.
func (l layer) allows(importPath string) bool {
	folder := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	if under(folder, l.folder) {
		// The interface does not know its implementations, though they lie inside of it.
		return l.folder != "runtime/engine" || folder == l.folder
	}
	return slices.ContainsFunc(l.may, func(may string) bool {
		// An engine may import what all engines share, not the engines next to it.
		if may == "runtime/engine" {
			return folder == may
		}
		return under(folder, may)
	})
}

// covers says whether the ban is about s.
func (b ban) covers(s source) bool {
	return (b.folder == "" || under(s.folder, b.folder)) &&
		(b.except == "" || !under(s.folder, b.except)) &&
		(b.tests || !s.test)
}

// checkClock finds uses of the real clock where it has to be passed in.
func checkClock(s source) []Finding {
	if s.test || !under(s.folder, clockFolder) || s.name == clockFile {
		return nil
	}
	var clock string // the name of package time in this file
	for _, spec := range s.syntax.Imports {
		if spec.Path.Value == `"time"` {
			clock = "time"
			if spec.Name != nil {
				clock = spec.Name.Name
			}
		}
	}
	var findings []Finding
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name, ok := selector.X.(*ast.Ident)
		if ok && clock != "" && name.Name == clock && slices.Contains(clockFunctions, selector.Sel.Name) {
			findings = append(findings, Finding{s.at(node.Pos()), "use of time." + selector.Sel.Name, clockReason})
		}
		return true
	})
	return findings
}

// checkDocs finds packages whose doc comment is missing or does not say what it has to: what the package is for, what it may import and
// where to start reading. One that consists of tests alone may have it in a test file. What the sentences say is left to reviewers.
func checkDocs(sources []source) []Finding {
	type folder struct {
		name   string // of the package
		beside bool   // there is Go code that is no test
		doc    string
	}
	folders := map[string]*folder{}
	for _, s := range sources {
		f := folders[s.folder]
		if f == nil {
			f = &folder{}
			folders[s.folder] = f
		}
		f.beside = f.beside || !s.test
		if name := strings.TrimSuffix(s.syntax.Name.Name, "_test"); f.name == "" || !s.test {
			f.name = name
		}
	}
	for _, s := range sources {
		f := folders[s.folder]
		if f.beside && s.test {
			continue
		}
		text := strings.TrimSpace(s.syntax.Doc.Text())
		// A program's comment starts with its own name or with "Command".
		if f.name == "main" && text != "" || strings.HasPrefix(text, "Package "+f.name+" ") {
			f.doc = text
		}
	}
	var findings []Finding
	for where, f := range folders {
		if f.doc == "" {
			findings = append(findings, Finding{where, fmt.Sprintf("no doc comment that starts with \"Package %s \"", f.name), docReason})
			continue
		}
		for _, p := range docParts {
			if !p.said.MatchString(f.doc) {
				findings = append(findings, Finding{where, "the doc comment does not say " + p.what, docReason})
			}
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int { return strings.Compare(a.Where+a.What, b.Where+b.What) })
	return findings
}

// checkLength finds files that are too long to be read.
func checkLength(name string, text []byte) []Finding {
	if !slices.Contains(measured, path.Ext(name)) || isTest(name) || isGenerated(text) {
		return nil
	}
	if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
		return []Finding{{name, fmt.Sprintf("%d lines, more than %d", lines, maxLines), lengthReason}}
	}
	return nil
}

// checkBugNames finds names of bug reports, such as B3, that bugFile does not explain. explained is the text of that file.
func checkBugNames(name string, text, explained []byte) []Finding {
	if !slices.Contains(namesBugs, path.Ext(name)) {
		return nil
	}
	var findings []Finding
	for number, line := range strings.Split(string(text), "\n") {
		for _, bug := range bugName.FindAllString(line, -1) {
			if !bytes.Contains(explained, []byte("\n| "+bug+" | https://")) {
				findings = append(findings, Finding{fmt.Sprintf("%s:%d", name, number+1), bug + " is not in " + bugFile, bugReason})
			}
		}
	}
	return findings
}

// testNamed is a place in a document that names a test.
type testNamed struct{ where, test string }

// testsNamed finds the tests that a document names.
func testsNamed(name string, text []byte) []testNamed {
	if path.Ext(name) != ".md" {
		return nil
	}
	var named []testNamed
	for number, line := range strings.Split(string(text), "\n") {
		for _, found := range testName.FindAllStringSubmatch(line, -1) {
			named = append(named, testNamed{fmt.Sprintf("%s:%d", name, number+1), found[1]})
		}
	}
	return named
}

// checkTestsNamed finds documents that name tests which no test file has.
func checkTestsNamed(named []testNamed, sources []source) []Finding {
	there := map[string]bool{}
	for _, s := range sources {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				there[f.Name.Name] = true
			}
		}
	}
	var findings []Finding
	for _, n := range named {
		if !there[n.test] {
			findings = append(findings, Finding{n.where, "there is no test " + n.test, testReason})
		}
	}
	return findings
}

// isTest goes by the names that the languages here give to tests.
func isTest(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(strings.TrimSuffix(base, path.Ext(base)), "_test") || strings.Contains(base, ".test.")
}

// isGenerated looks for the line by which Go marks generated files.
func isGenerated(text []byte) bool {
	head := text[:min(len(text), 1000)]
	return bytes.Contains(head, []byte("// Code generated ")) && bytes.Contains(head, []byte(" DO NOT EDIT."))
}

// checkMachine finds what betrays the machine that a file was written on.
func checkMachine(name string, text []byte, forbidden []string) []Finding {
	var findings []Finding
	for number, line := range strings.Split(string(text), "\n") {
		where := fmt.Sprintf("%s:%d", name, number+1)
		for _, word := range forbidden {
			if strings.Contains(line, word) {
				findings = append(findings, Finding{where, "the path of this checkout", checkoutReason})
			}
		}
		for _, word := range machineWords {
			if word.files != nil && !word.files.MatchString(name) {
				continue
			}
			if match := word.expression.FindString(line); match != "" {
				findings = append(findings, Finding{where, fmt.Sprintf("%q", match), word.reason})
			}
		}
	}
	return findings
}
