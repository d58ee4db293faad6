package specs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"podlife/tla/diag"
)

// RegistryFile is the registry, in the folder of the specifications.
const RegistryFile = "configs/registry.txt"

// A Set says when a configuration is run.
type Set string

// The sets.
const (
	PR      Set = "pr"      // with every change: `make check`
	Nightly Set = "nightly" // where there is time: `make specs SET=nightly`
)

// A Verb is the kind of what must come out.
type Verb string

// The verbs. With Violates and Reaches goes a name.
const (
	Holds       Verb = "holds"       // all that the configuration asks for
	Violates    Verb = "violates"    // this invariant or property is violated
	Reaches     Verb = "reaches"     // likewise the one that says Never and this name: the design gets there
	Unsupported Verb = "unsupported" // the embedded checker has not looked at all of it; in TLC it holds
)

// An Expectation is what must come out of a configuration.
type Expectation struct {
	Verb Verb
	Name string // with Violates and Reaches
}

// String is the expectation as the registry has it.
func (e Expectation) String() string {
	if e.Name == "" {
		return string(e.Verb)
	}
	return string(e.Verb) + " " + e.Name
}

// Violated is the invariant or property that must be violated; "" is none.
func (e Expectation) Violated() string {
	if e.Verb == Reaches {
		return never + e.Name
	}
	return e.Name
}

// never begins the name of the invariant or property which says that a hazard is not reached.
const never = "Never"

// Numbers are counted as TLC counts with one worker.
type Numbers struct {
	States   int // generated
	Distinct int
	Depth    int
	Length   int // states of the counterexample; 0 is none
}

// String is the numbers as the registry has them.
func (n Numbers) String() string {
	text := fmt.Sprintf("states=%d distinct=%d depth=%d", n.States, n.Distinct, n.Depth)
	if n.Length > 0 {
		text += fmt.Sprintf(" length=%d", n.Length)
	}
	return text
}

// An Entry is a line of the registry.
type Entry struct {
	File    string // of the configuration, in the folder of the specifications, with slashes
	Module  string
	Set     Set
	Expect  Expectation
	Numbers Numbers
	Span    diag.Span // the line
}

// Line is the entry as the registry has it.
func (e Entry) Line() string {
	return fmt.Sprintf("%s %s %s %s %s", e.File, e.Module, e.Set, e.Expect, e.Numbers)
}

// Codes of the errors of this package.
const (
	CodeSyntax       diag.Code = "registry-syntax"
	CodeTwice        diag.Code = "registry-twice"
	CodeUnregistered diag.Code = "unregistered"   // a configuration without a line
	CodeMissing      diag.Code = "missing"        // a line without its file, a guard without its configuration
	CodeMismatch     diag.Code = "does-not-match" // a configuration is not what its line says
)

// form is what a line must be.
const form = "a line is: file module set expectation states=N distinct=N depth=N [length=N]; see the head of the file"

// maxEntries bounds the registry.
const maxEntries = 10000

// Parse reads the text of a registry. The error is a diag.List.
func Parse(src *diag.Source) ([]Entry, error) {
	var entries []Entry
	var errs diag.List
	at := 0
	for _, line := range strings.SplitAfter(string(src.Text), "\n") {
		start := at
		at += len(line)
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if len(entries) == maxEntries {
			return nil, append(errs, diag.Errorf(CodeSyntax, diag.Span{Source: src, Start: start, End: at}, "The registry has more than %d lines.", maxEntries))
		}
		e, err := parseLine(src, start, line)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, e)
	}
	errs = append(errs, twice(entries)...)
	if len(entries) == 0 && len(errs) == 0 {
		errs = append(errs, diag.Errorf(CodeSyntax, diag.Span{Source: src}, "The registry is empty."))
	}
	return entries, errs.Err()
}

// twice finds configurations that two lines speak of. File names must differ too, whatever their folders: TLC gets them in one folder.
func twice(entries []Entry) diag.List {
	var errs diag.List
	first := map[string]Entry{}
	for _, e := range entries {
		base := filepath.Base(e.File)
		if f, ok := first[base]; ok {
			err := diag.Errorf(CodeTwice, e.Span, "A configuration called %s is in the registry twice.", base)
			err.Notes = []diag.Note{{Span: f.Span, Message: "the first time here"}}
			err.Help = "remove one of the lines, or rename one of two files"
			errs = append(errs, err)
			continue
		}
		first[base] = e
	}
	return errs
}

// A lineReader takes the words of a line from left to right.
type lineReader struct {
	src   *diag.Source
	words []diag.Span
	end   diag.Span // behind the last word
}

func parseLine(src *diag.Source, start int, line string) (Entry, *diag.Error) {
	r := lineReader{src: src}
	for i := 0; i < len(line); {
		if strings.IndexByte(" \t\r\n", line[i]) >= 0 {
			i++
			continue
		}
		n := strings.IndexAny(line[i:], " \t\r\n")
		if n < 0 {
			n = len(line) - i
		}
		r.words = append(r.words, diag.Span{Source: src, Start: start + i, End: start + i + n})
		i += n
	}
	last := r.words[len(r.words)-1]
	r.end = diag.Span{Source: src, Start: last.End, End: last.End}
	return r.entry()
}

func (r *lineReader) entry() (e Entry, err *diag.Error) {
	e.Span = r.words[0].To(r.words[len(r.words)-1])
	file, err := r.word("the file of a configuration")
	if err != nil {
		return e, err
	}
	if e.File = file.Text(); !strings.HasSuffix(e.File, ".cfg") || !filepath.IsLocal(e.File) || filepath.ToSlash(filepath.Clean(e.File)) != e.File {
		return e, wrong(file, "%q is no file of a configuration: a path in the folder of the specifications that ends in .cfg.", e.File)
	}
	module, err := r.word("a module")
	if err != nil {
		return e, err
	}
	if e.Module = module.Text(); !isName(e.Module) {
		return e, wrong(module, "%q is no module's name.", e.Module)
	}
	set, err := r.word("a set")
	if err != nil {
		return e, err
	}
	if e.Set = Set(set.Text()); e.Set != PR && e.Set != Nightly {
		return e, wrong(set, "%q is no set: it is %s or %s.", set.Text(), PR, Nightly)
	}
	if e.Expect, err = r.expectation(); err != nil {
		return e, err
	}
	e.Numbers, err = r.numbers(e.Expect.Name != "")
	return e, err
}

func (r *lineReader) word(what string) (diag.Span, *diag.Error) {
	if len(r.words) == 0 {
		return diag.Span{}, wrong(r.end, "Here %s is missing.", what)
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w, nil
}

func (r *lineReader) expectation() (Expectation, *diag.Error) {
	verb, err := r.word("an expectation")
	if err != nil {
		return Expectation{}, err
	}
	e := Expectation{Verb: Verb(verb.Text())}
	switch e.Verb {
	case Holds, Unsupported:
		return e, nil
	case Violates, Reaches:
	default:
		return e, wrong(verb, "%q is no expectation: it is %s, %s NAME, %s NAME or %s.", verb.Text(), Holds, Violates, Reaches, Unsupported)
	}
	name, err := r.word("the name of what is violated or reached")
	if err != nil {
		return e, err
	}
	if e.Name = name.Text(); !isName(e.Name) {
		return e, wrong(name, "%q is no name of an invariant, a property or a hazard.", e.Name)
	}
	return e, nil
}

func (r *lineReader) numbers(length bool) (n Numbers, err *diag.Error) {
	fields := []struct {
		name string
		into *int
	}{{"states", &n.States}, {"distinct", &n.Distinct}, {"depth", &n.Depth}, {"length", &n.Length}}
	if !length {
		fields = fields[:3]
	}
	for _, f := range fields {
		w, err := r.word(f.name + "=N")
		if err != nil {
			return n, err
		}
		digits, ok := strings.CutPrefix(w.Text(), f.name+"=")
		number, problem := strconv.Atoi(digits)
		if !ok || problem != nil || number < 1 || strconv.Itoa(number) != digits {
			return n, wrong(w, "Here %s=N is expected, with a number from 1, and not %q.", f.name, w.Text())
		}
		*f.into = number
	}
	if len(r.words) > 0 {
		return n, wrong(r.words[0], "The line ends before %q.", r.words[0].Text())
	}
	return n, nil
}

func wrong(at diag.Span, format string, args ...any) *diag.Error {
	err := diag.Errorf(CodeSyntax, at, format, args...)
	err.Help = form
	return err
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return s != ""
}

// Of gives the entries of a set; "" is all of them.
func Of(entries []Entry, set Set) []Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return set != "" && e.Set != set })
}
