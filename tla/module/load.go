package module

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"podlife/tla/diag"
	"podlife/tla/library"
	"podlife/tla/syntax"
)

// Options are where Load looks for modules.
type Options struct {
	// Path is further folders, searched in order after the folder of the root file and before the standard modules.
	Path []string
	// Open gives the text of a module by its name and takes the place of all folders, the root file's too. It returns an error that wraps
	// fs.ErrNotExist for a module that it does not have.
	Open func(name string) (*diag.Source, error)

	maxCopies int // instead of the constant of that name, for tests; 0: the constant
}

// Load reads the module in the file at path and all modules that it needs. A module is looked for among the nested modules that are in scope, in the
// folder of the root file, in opts.Path, and among the standard modules, in this order. The error is a diag.List, in which each error has one of this
// package's codes or one of package syntax's.
func Load(path string, opts Options) (*Module, error) {
	name, found := strings.CutSuffix(filepath.Base(path), ".tla")
	l := newLoader(opts, filepath.Dir(path))
	if !found && opts.Open == nil {
		return nil, diag.List{diag.Errorf(CodeModuleName, diag.Span{}, "%s is no TLA+ module: the name of its file must end in .tla", path)}
	}
	l.rootPath = path
	m := l.load(name, diag.Span{})
	if err := l.errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// A loader is one Load: the modules read so far, and what is wrong with them.
type loader struct {
	opts     Options
	folder   string
	rootPath string
	modules  map[string]*loaded
	stack    []string // modules being resolved, outermost first
	sources  []*diag.Source
	errs     diag.List
	full     bool // there are too many errors; the rest is not collected
	copies   int
	copying  int // depth of recursion
	standard map[string]bool

	pending []*Definition  // whose levels are being computed
	active  *levelProgress // of the last of them

	mu sync.Mutex // guards what ParseExpr and Lookup add to modules
}

// loaded is what became of a module: nil while it is resolved, and nil for good when it could not be.
type loaded struct {
	module *Module
	done   bool
}

func newLoader(opts Options, folder string) *loader {
	if opts.maxCopies == 0 {
		opts.maxCopies = maxCopies
	}
	return &loader{opts: opts, folder: folder, modules: map[string]*loaded{}}
}

// report adds an error, unless there are too many.
func (l *loader) report(e *diag.Error) {
	if l.full {
		return
	}
	l.errs = append(l.errs, e)
	l.full = len(l.errs) >= maxErrors
}

// load gives a module by name, or nil after reporting why there is none. at is where it was asked for.
func (l *loader) load(name string, at diag.Span) *Module {
	if known := l.modules[name]; known != nil {
		switch {
		case !known.done:
			l.reportCycle(name, at)
		case known.module == nil && len(l.errs) == 0: // what is wrong with it was said when another expression was read
			l.report(diag.Errorf(CodeModuleNotFound, at, "module %s is not there, or has errors", name))
		}
		return known.module
	}
	if len(l.modules) >= maxModules {
		l.report(diag.Errorf(CodeLimit, at, "more than %d modules", maxModules))
		return nil
	}
	entry := &loaded{}
	l.modules[name] = entry
	l.stack = append(l.stack, name)
	defer func() {
		l.stack = l.stack[:len(l.stack)-1]
		entry.done = true
	}()

	source := l.find(name, at)
	if source == nil {
		return nil
	}
	l.sources = append(l.sources, source)
	tree, err := syntax.ParseModule(source)
	if err != nil {
		all := diag.All(err)
		if len(all) == 0 {
			all = diag.List{diag.Errorf(CodeUnreadable, at, "%v", err)}
		}
		for _, e := range all {
			l.report(e)
		}
		return nil
	}
	if tree.Name.Text != name {
		e := diag.Errorf(CodeModuleName, tree.Name.Span, "the module in %s is named %s, and must have the name of its file, %s", source.Name, tree.Name.Text, name)
		e.Help = fmt.Sprintf("rename the module to %s, or the file to %s.tla", name, tree.Name.Text)
		l.report(e)
		return nil
	}
	before := len(l.errs)
	m := l.resolve(tree, nil)
	if len(l.errs) > before || l.full {
		return nil
	}
	entry.module = m
	return m
}

func (l *loader) reportCycle(name string, at diag.Span) {
	var chain []string
	for i, s := range l.stack {
		if s == name {
			chain = append(chain, l.stack[i:]...)
			break
		}
	}
	chain = append(chain, name)
	if len(chain) == 2 {
		l.report(diag.Errorf(CodeModuleCycle, at, "module %s extends or instantiates itself", name))
		return
	}
	l.report(diag.Errorf(CodeModuleCycle, at, "modules extend or instantiate each other in a circle: %s", strings.Join(chain, " -> ")))
}

// find gives the text of a module, or nil after reporting why there is none.
func (l *loader) find(name string, at diag.Span) *diag.Source {
	if l.opts.Open != nil {
		source, err := l.opts.Open(name)
		switch {
		case err == nil && source != nil:
			return source
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			l.report(diag.Errorf(CodeUnreadable, at, "module %s cannot be read: %v", name, err))
			return nil
		}
	} else {
		for i, folder := range append([]string{l.folder}, l.opts.Path...) {
			path := filepath.Join(folder, name+".tla")
			if i == 0 && len(l.stack) == 1 {
				path = l.rootPath
			}
			text, err := readFile(path)
			switch {
			case err == nil:
				return diag.NewSource(path, text)
			case !errors.Is(err, fs.ErrNotExist):
				l.report(diag.Errorf(CodeUnreadable, at, "module %s cannot be read: %v", name, err))
				return nil
			case i == 0 && len(l.stack) == 1:
				l.report(diag.Errorf(CodeModuleNotFound, at, "there is no file %s", path))
				return nil
			}
		}
	}
	if source, ok := library.Source(name); ok {
		if l.standard == nil {
			l.standard = map[string]bool{}
		}
		l.standard[source.Name] = true
		return source
	}
	if source := l.besideRoot(name); source != nil {
		return source
	}
	l.reportMissing(name, at)
	return nil
}

// besideRoot gives a module that stands in the root module's file, before or after the root module, or nil. Places in it are places in the file.
func (l *loader) besideRoot(name string) *diag.Source {
	if len(l.sources) == 0 {
		return nil
	}
	root := l.sources[0]
	start := regexp.MustCompile(`(?m)^-{4,}\s*MODULE\s+` + regexp.QuoteMeta(name) + `\s*-{4,}\s*$`).FindIndex(root.Text)
	if start == nil {
		return nil
	}
	text := make([]byte, len(root.Text))
	copy(text, root.Text)
	for i, b := range text[:start[0]] {
		if b != '\n' {
			text[i] = ' '
		}
	}
	return diag.NewSource(root.Name, text)
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() { // a named pipe would keep us waiting
		return nil, fmt.Errorf("%s is no file that can be read: %s", path, info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSourceBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSourceBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxSourceBytes)
	}
	return text, nil
}

func (l *loader) reportMissing(name string, at diag.Span) {
	where := "none of the texts that were given and no standard module"
	if l.opts.Open == nil {
		where = strings.Join(append([]string{l.folder}, l.opts.Path...), ", ") + " and the standard modules"
		where = "no module of that name is in " + where
	} else {
		where += " has that name"
	}
	e := diag.Errorf(CodeModuleNotFound, at, "there is no module %s: %s", name, where)
	if close := nearest(name, l.moduleNames()); close != "" {
		e.Help = fmt.Sprintf("did you mean %s?", close)
	} else if l.opts.Open == nil {
		e.Help = "name the folder that holds it as a further folder of modules, or copy it beside the specification"
	}
	l.report(e)
}

// moduleNames are the modules that could have been meant.
func (l *loader) moduleNames() []string {
	names := library.Names()
	if l.opts.Open == nil {
		for _, folder := range append([]string{l.folder}, l.opts.Path...) {
			files, _ := os.ReadDir(folder) // a folder that cannot be read has nothing to propose
			for _, f := range files {
				if name, ok := strings.CutSuffix(f.Name(), ".tla"); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
