package mutants

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"podlife/mutants/guards"
)

// Source is the repository's source with changes that exist in memory alone.
type Source struct {
	root    string
	changed map[string][]byte // by path with slashes, from the root
}

// NewSource gives the unchanged source at root.
func NewSource(root string) *Source { return &Source{root: root, changed: map[string][]byte{}} }

// Changed gives the new content of each changed file, by its path with slashes from the root.
func (s *Source) Changed() map[string][]byte { return maps.Clone(s.changed) }

// Edit is one change of the source. Its error is a [*NotAppliedError] when the source is not what the edit was written for.
type Edit func(*Source) error

// NotAppliedError says that an edit found no place, or more than one, or that it would change nothing.
type NotAppliedError struct {
	File    string
	Problem string
}

// Error names the file first.
func (e *NotAppliedError) Error() string { return e.File + ": " + e.Problem }

func (s *Source) read(file string) ([]byte, error) {
	if b, ok := s.changed[file]; ok {
		return b, nil
	}
	b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotAppliedError{file, "there is no such file"}
	}
	return b, err
}

// Apply makes all edits, in order.
func (s *Source) Apply(edits []Edit) error {
	for _, e := range edits {
		if err := e(s); err != nil {
			return err
		}
	}
	return nil
}

// RemoveGuard removes the one statement in a file that carries a guard. The guard's annotation may go on being there or not.
func RemoveGuard(file, action, guard string) Edit {
	return func(s *Source) error {
		src, err := s.read(file)
		if err != nil {
			return err
		}
		all, err := guards.InFile(file, src, guards.Server())
		if err != nil {
			return &NotAppliedError{file, err.Error()}
		}
		var found []guards.Statement
		for _, st := range all {
			if st.Action == action && st.Guard == guard {
				found = append(found, st)
			}
		}
		if len(found) != 1 {
			return &NotAppliedError{file, fmt.Sprintf("%d statements carry %s.%s, want 1", len(found), action, guard)}
		}
		s.changed[file] = splice(src, found[0].Start, found[0].End, "")
		return nil
	}
}

// Replace replaces a piece of text that must be there exactly once.
func Replace(file, old, replacement string) Edit {
	return func(s *Source) error {
		src, err := s.read(file)
		if err != nil {
			return err
		}
		switch n := bytes.Count(src, []byte(old)); {
		case old == "" || old == replacement:
			return &NotAppliedError{file, "the change changes nothing"}
		case n != 1:
			return &NotAppliedError{file, fmt.Sprintf("what is to be replaced is there %d times, want 1: %.200q", n, old)}
		}
		s.changed[file] = bytes.Replace(src, []byte(old), []byte(replacement), 1)
		return nil
	}
}

// Begin puts statements at the beginning of a method's body.
func Begin(file, receiver, method, statements string) Edit {
	return func(s *Source) error {
		src, err := s.read(file)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
		if err != nil {
			return &NotAppliedError{file, err.Error()}
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != method || f.Body == nil || receiverOf(f) != receiver {
				continue
			}
			at := fset.Position(f.Body.Lbrace).Offset + 1
			s.changed[file] = splice(src, at, at, "\n"+statements+"\n")
			return nil
		}
		return &NotAppliedError{file, fmt.Sprintf("there is no method %s of %s", method, receiver)}
	}
}

// receiverOf gives the name of a method's receiver's type, without the star.
func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// Add adds a file that is not there.
func Add(file, content string) Edit {
	return func(s *Source) error {
		_, err := s.read(file)
		var missing *NotAppliedError
		switch {
		case err == nil:
			return &NotAppliedError{file, "there is a file of that name"}
		case !errors.As(err, &missing):
			return err
		case strings.TrimSpace(content) == "":
			return &NotAppliedError{file, "the change changes nothing"}
		}
		s.changed[file] = []byte(content)
		return nil
	}
}

func splice(src []byte, start, end int, with string) []byte {
	return bytes.Join([][]byte{src[:start], []byte(with), src[end:]}, nil)
}
