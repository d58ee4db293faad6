// Package guards finds the statements of the runtime that implement the specification's guards: those under a comment `//model:guard Action.guardName`.
//
// It reads Go's syntax tree and never the text, so that a comment that hangs in the air, names nothing that exists, or stands in a file that is not shipped is an error and not a guard. It imports
// model, to know what exists. Read this file first; enforced.go has the guards that no statement carries because the table itself refuses, and says which specification is named where.
package guards

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// directive begins the comment, as the Go tools' own directives are written: no space after the slashes.
const directive = "//model:guard"

// Statement is one statement that implements a guard.
type Statement struct {
	Action string `json:"action"`
	Guard  string `json:"guard"`
	File   string `json:"file"` // slashes, from the repository's root
	Line   int    `json:"line"` // of the statement, from 1
	Hash   string `json:"hash"` // SHA-256 of the statement as gofmt prints it, without comments and empty lines

	// Start and End are the statement's bytes in the file.
	Start int `json:"-"`
	End   int `json:"-"`
}

// Known says whether the specification has such an action and such a guard of it.
type Known interface {
	HasAction(action string) bool
	HasGuard(action, guard string) bool
}

// AnnotationError is a comment that is not what it wants to be.
type AnnotationError struct {
	File    string
	Line    int
	Problem string
}

// Error names the place first, as compilers do.
func (e *AnnotationError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem) }

// Find reads every Go file below dir (slashes, from root), but for those of [HostDir] where dir is another folder, whose guards are another specification's, and gives the annotated statements, by action, guard, file and line. Every wrong annotation is an [*AnnotationError] in the joined error;
// a file that cannot be parsed is an error too.
func Find(root, dir string, known Known) ([]Statement, error) {
	var all []Statement
	var problems []error
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(dir)), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || dir != HostDir && name == filepath.Join(root, filepath.FromSlash(HostDir))) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(d.Name()) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found, err := InFile(filepath.ToSlash(rel), src, known)
		all = append(all, found...)
		problems = append(problems, err)
		return nil
	})
	problems = append(problems, err)
	sort.Slice(all, func(i, j int) bool { return less(all[i], all[j]) })
	return all, errors.Join(problems...)
}

func less(a, b Statement) bool {
	for _, d := range []int{strings.Compare(a.Action, b.Action), strings.Compare(a.Guard, b.Guard), strings.Compare(a.File, b.File)} {
		if d != 0 {
			return d < 0
		}
	}
	return a.Line < b.Line
}

// InFile is [Find] for the source of one file.
func InFile(file string, src []byte, known Known) ([]Statement, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []Statement
	var problems []error
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if !looksLikeDirective(c.Text) {
				continue
			}
			s, problem := read(fset, tree, src, group, c, known)
			at := fset.Position(c.Pos())
			if problem == "" && strings.HasSuffix(file, "_test.go") {
				problem = "a guard's statement is part of what is shipped, and a test is not"
			}
			if problem != "" {
				problems = append(problems, &AnnotationError{File: file, Line: at.Line, Problem: problem})
				continue
			}
			s.File = file
			found = append(found, s)
		}
	}
	return found, errors.Join(problems...)
}

// looksLikeDirective is generous, so that a slip of the pen is reported and not taken for prose.
func looksLikeDirective(text string) bool {
	text = strings.TrimLeft(strings.TrimLeft(text, "/*"), " \t")
	return strings.HasPrefix(strings.ToLower(text), "model:")
}

// read gives the statement that a directive stands on, or what is wrong with it.
func read(fset *token.FileSet, tree *ast.File, src []byte, group *ast.CommentGroup, c *ast.Comment, known Known) (Statement, string) {
	name, ok := strings.CutPrefix(c.Text, directive+" ")
	if !ok {
		return Statement{}, fmt.Sprintf("%.60q is not of the form %s Action.guard", c.Text, directive)
	}
	action, guard, ok := strings.Cut(name, ".")
	if !ok || !token.IsIdentifier(action) || !token.IsIdentifier(guard) {
		return Statement{}, fmt.Sprintf("%.60q is not the name of a guard: Action.guard, and nothing behind it", name)
	}
	switch {
	case !known.HasAction(action):
		return Statement{}, fmt.Sprintf("the specification has no action %s", action)
	case !known.HasGuard(action, guard):
		return Statement{}, fmt.Sprintf("action %s has no guard %s", action, guard)
	}
	node := statementOf(fset, tree, src, group, c)
	if node == nil {
		return Statement{}, "stands on no statement: it belongs on the line of one, or directly above it"
	}
	hash, err := hashOf(fset, src, node)
	if err != nil {
		return Statement{}, err.Error()
	}
	return Statement{
		Action: action, Guard: guard, Line: fset.Position(node.Pos()).Line, Hash: hash,
		Start: fset.Position(node.Pos()).Offset, End: fset.Position(node.End()).Offset,
	}, ""
}

// statementOf gives the first statement that begins on the comment's own line, left of it, or where the comment has its line for itself, on the line after its group.
func statementOf(fset *token.FileSet, tree *ast.File, src []byte, group *ast.CommentGroup, c *ast.Comment) ast.Stmt {
	at := fset.Position(c.Pos())
	line := at.Line
	lineStart := at.Offset - (at.Column - 1)
	if strings.TrimSpace(string(src[lineStart:at.Offset])) == "" {
		line = fset.Position(group.End()).Line + 1
	}
	var first ast.Stmt
	ast.Inspect(tree, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok {
			return true
		}
		if _, block := s.(*ast.BlockStmt); block {
			return true
		}
		if fset.Position(s.Pos()).Line == line && (first == nil || s.Pos() < first.Pos()) {
			first = s
		}
		return true
	})
	return first
}

// hashOf hashes what the statement does, not how it is laid out: printed as gofmt does, without comments, without empty lines, from the left margin.
func hashOf(fset *token.FileSet, src []byte, node ast.Stmt) (string, error) {
	start, end := fset.Position(node.Pos()).Offset, fset.Position(node.End()).Offset
	// Parsed again without comments, because they leave gaps in the printed form.
	again := token.NewFileSet()
	bare, err := parser.ParseFile(again, "", "package p\nfunc _() {\n"+string(src[start:end])+"\n}\n", parser.SkipObjectResolution)
	var body ast.Node
	if err == nil {
		body = bare.Decls[0].(*ast.FuncDecl).Body
	} else {
		body = node // a case clause is no statement by itself; it is printed as it is
		again = fset
	}
	var text strings.Builder
	if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&text, again, body); err != nil {
		return "", fmt.Errorf("print the statement: %w", err)
	}
	var lines []string
	for l := range strings.Lines(text.String()) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:]), nil
}
