package specs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"podlife/tla/config"
	"podlife/tla/diag"
	"podlife/tla/syntax"
	"podlife/tla/value"
)

// family is a specification whose guards can be switched off. Its hazards are in a module of its own, its configurations in a folder.
type family string

func families() []family { return []family{"PodRuntime", "SessionResume", "IdleRule", "Workspace"} }

func (f family) witness() string { return string(f) + "Witness" }
func (f family) folder() string  { return "configs/" + string(f) + "/" }
func (f family) off() string     { return f.folder() + "off" }
func (f family) reach() string   { return f.folder() + "reach" }

const (
	offConstant = "Off"
	typeOK      = "TypeOK"
)

// Read reads the registry in a folder of specifications, and holds it against what is in the folder. Everything that is wrong is named at once,
// in a diag.List; with that error the entries are given too.
func Read(dir string) ([]Entry, error) {
	text, err := os.ReadFile(filepath.Join(dir, RegistryFile))
	if err != nil {
		return nil, fmt.Errorf("the registry of the configurations: %w", err)
	}
	src := diag.NewSource(RegistryFile, text)
	entries, err := Parse(src)
	if err != nil {
		return nil, err
	}
	w := whole{dir: dir, src: src, entries: entries}
	if err := w.files(); err != nil {
		return nil, err
	}
	for _, f := range families() {
		if err := errors.Join(w.switches(f), w.hazards(f)); err != nil {
			return nil, err
		}
	}
	if err := w.configs(); err != nil {
		return nil, err
	}
	return entries, w.errs.Err()
}

// whole is the look at whether the registry and the folder belong together.
type whole struct {
	dir     string
	src     *diag.Source
	entries []Entry
	errs    diag.List
}

func (w *whole) add(code diag.Code, at diag.Span, help, format string, args ...any) {
	err := diag.Errorf(code, at, format, args...)
	err.Help = help
	w.errs = append(w.errs, err)
}

// head is a place for what the registry lacks.
func (w *whole) head() diag.Span { return diag.Span{Source: w.src} }

func (w *whole) registered(file string) bool {
	return slices.ContainsFunc(w.entries, func(e Entry) bool { return e.File == file })
}

// files finds configurations without a line, and lines without a configuration or module.
func (w *whole) files() error {
	present, err := configurations(w.dir)
	if err != nil {
		return err
	}
	for _, file := range present {
		if !w.registered(file) {
			w.add(CodeUnregistered, w.head(), "add a line that says what must come out of it, or remove the file", "%s is not in the registry.", file)
		}
	}
	for _, e := range w.entries {
		if !slices.Contains(present, e.File) {
			w.add(CodeMissing, e.Span, "write the configuration, or remove the line", "There is no %s.", e.File)
		}
		if _, err := os.Stat(filepath.Join(w.dir, e.Module+".tla")); err != nil {
			w.add(CodeMissing, e.Span, "", "There is no module %s: %s.", e.Module, err)
		}
	}
	return nil
}

// configurations are all in the folder itself and below configs, sorted.
func configurations(dir string) ([]string, error) {
	top, err := filepath.Glob(filepath.Join(dir, "*.cfg"))
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(dir, "configs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".cfg") {
			top = append(top, name)
		}
		return err
	})
	for i, name := range top {
		rel, relErr := filepath.Rel(dir, name)
		err = errors.Join(err, relErr)
		top[i] = filepath.ToSlash(rel)
	}
	slices.Sort(top)
	return top, err
}

// switchName is the form of the names that a family gives to its guards and rules.
var switchName = regexp.MustCompile(`^[A-Z][A-Za-z]*\.[a-z][A-Za-z]*$`)

// Switches are the names of the guards and rules in the text of a module that can be switched off, sorted: they are its only strings of the
// form Action.name. Comments are none.
func Switches(src *diag.Source) ([]string, error) {
	m, err := syntax.ParseModule(src)
	if err != nil {
		return nil, err
	}
	var names []string
	var look func(e syntax.Expr)
	look = func(e syntax.Expr) {
		if s, ok := e.(*syntax.String); ok && switchName.MatchString(s.Value) {
			names = append(names, s.Value)
		}
		for _, c := range syntax.Children(nil, e) {
			look(c)
		}
	}
	for _, u := range m.Units {
		if d, ok := u.(*syntax.Definition); ok {
			look(d.Body)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// switches holds the guards and rules of a family against the configurations that switch them off: one for each, none besides.
func (w *whole) switches(f family) error {
	src, ok, err := w.module(string(f))
	if !ok || err != nil {
		return err
	}
	names, err := Switches(src)
	if err != nil {
		return err
	}
	w.paired(names, f.off(), Violates, fmt.Sprintf("%s.tla can switch %%s off", f),
		"write it, with the smallest constants that show what breaks: a guard or rule whose loss breaks nothing is not needed")
	return nil
}

// hazards holds the hazards of a family against their configurations.
func (w *whole) hazards(f family) error {
	src, ok, err := w.module(f.witness())
	if !ok || err != nil {
		return err
	}
	m, err := syntax.ParseModule(src)
	if err != nil {
		return err
	}
	var names []string
	for _, u := range m.Units {
		if d, ok := u.(*syntax.Definition); ok {
			if name, isNever := strings.CutPrefix(d.Name.Text, never); isNever {
				names = append(names, name)
			}
		}
	}
	w.paired(names, f.reach(), Reaches, f.witness()+".tla has "+never+"%s", "write it, with the smallest constants that get there")
	return nil
}

// paired finds names without a registered configuration in a folder, and those there that no name goes with.
func (w *whole) paired(names []string, folder string, verb Verb, why, help string) {
	for _, name := range names {
		if file := folder + "/" + name + ".cfg"; !w.registered(file) {
			w.add(CodeMissing, w.head(), help, "%s, but %s is not in the registry.", fmt.Sprintf(why, name), file)
		}
	}
	for _, e := range w.entries {
		name, inside := strings.CutPrefix(e.File, folder+"/")
		if !inside {
			continue
		}
		if !slices.Contains(names, strings.TrimSuffix(name, ".cfg")) {
			w.add(CodeMismatch, e.Span, "the file is named after it", "There is no %s for %s.", strings.TrimSuffix(name, ".cfg"), e.File)
		}
		if e.Expect.Verb != verb {
			w.add(CodeMismatch, e.Span, "", "A configuration in %s %s something.", folder, verb)
		}
		if verb == Reaches && e.Expect.Name+".cfg" != name {
			w.add(CodeMismatch, e.Span, "the file is named after it", "%s reaches %s.", e.File, e.Expect.Name)
		}
	}
}

// module reads a module of the folder; a folder without it has nothing to say about it.
func (w *whole) module(name string) (src *diag.Source, ok bool, err error) {
	text, err := os.ReadFile(filepath.Join(w.dir, name+".tla"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return diag.NewSource(name+".tla", text), true, nil
}

// configs holds each configuration against its line.
func (w *whole) configs() error {
	for _, e := range w.entries {
		text, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(e.File)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was named
		}
		if err != nil {
			return err
		}
		c, err := config.Parse(diag.NewSource(e.File, text))
		if err != nil {
			w.errs = append(w.errs, diag.All(err)...)
			continue
		}
		w.errs = append(w.errs, c.Warnings...)
		w.config(e, c)
	}
	return nil
}

func (w *whole) config(e Entry, c *config.Config) {
	var asked []string
	for _, n := range slices.Concat(c.Invariants, c.Properties) {
		asked = append(asked, n.Text)
	}
	violated := e.Expect.Violated()
	if violated != "" && !slices.Contains(asked, violated) {
		w.add(CodeMismatch, e.Span, "", "%s does not ask for %s.", e.File, violated)
	}
	at := slices.IndexFunc(families(), func(f family) bool { return strings.HasPrefix(e.File, f.folder()) })
	if at < 0 {
		return
	}
	f := families()[at]
	for _, name := range asked {
		if violated != "" && name != violated && name != typeOK {
			w.add(CodeMismatch, e.Span, "one that breaks something else first would hide it", "%s asks for %s besides %s and %s.", e.File, name, violated, typeOK)
		}
	}
	want := "{}"
	if name, inside := strings.CutPrefix(e.File, f.off()+"/"); inside {
		want = fmt.Sprintf("{%q}", strings.TrimSuffix(name, ".cfg"))
	}
	if got := constant(c, offConstant); got != want {
		w.add(CodeMismatch, e.Span, "", "In %s the constant %s is %s, and not %s.", e.File, offConstant, got, want)
	}
}

func constant(c *config.Config, name string) string {
	for _, k := range c.Constants {
		if k.Name.Text == name {
			return value.Normalize(k.Value).String()
		}
	}
	return "not there"
}
