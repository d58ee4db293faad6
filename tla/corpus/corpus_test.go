// Package corpus holds small specifications and expressions, each about one feature of TLA+, with what the language's definition says of them,
// and checks the whole of podlife's TLA+ against them: from the text to the verdict. It consists of tests. There are three of them: what podlife
// says, what TLC says of the same texts (environment variable TLC), and whether the corpus would notice if podlife were wrong (mutants,
// PODLIFE_TLA_MUTANTS=1).
//
// It imports the packages of tla that are put together by spec, and tlc (to run TLC and to read its values). Read first: corpus_test.go, then
// testdata/models/actions.txtar.
package corpus

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/tla/diag"
	"podlife/tla/eval"
	"podlife/tla/spec"
)

var update = flag.Bool("update", false, "write what comes out into testdata; read the difference before it is trusted")

// A model is a specification of an archive: the parts NAME.tla, NAME.cfg, NAME.want, perhaps NAME.tlc, and NAME/OTHER.tla for further modules.
type model struct {
	archive, name string
	modules       map[string]string // by module name
	cfg, want     string
	// tlc is what TLC says where it differs from podlife: the reason, in lines that start with "#", and then what it says.
	tlc string
}

// A part of an archive is the text after a line "-- name --".
type part struct{ name, text string }

// readParts splits an archive. head is what stands before the first part.
func readParts(t testing.TB, file string) (head string, parts []part) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, begins := strings.CutPrefix(line, "-- ")
		name, ends := strings.CutSuffix(name, " --\n")
		switch {
		case begins && ends:
			parts = append(parts, part{name: name})
		case len(parts) == 0:
			head += line
		default:
			parts[len(parts)-1].text += line
		}
	}
	return head, parts
}

// archives are the files with models.
func archives(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/models/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no models", err)
	}
	return files
}

// readModels reads an archive's models, in order. It refuses parts that no test would look at.
func readModels(t testing.TB, file string) []*model {
	t.Helper()
	_, parts := readParts(t, file)
	var models []*model
	for _, p := range parts {
		base, kind := strings.TrimSuffix(p.name, filepath.Ext(p.name)), filepath.Ext(p.name)
		name, other, further := strings.Cut(base, "/")
		if kind == ".tla" && !further {
			models = append(models, &model{archive: file, name: name, modules: map[string]string{name: p.text}})
			continue
		}
		if len(models) == 0 || models[len(models)-1].name != name {
			t.Fatalf("%s: %s does not follow %s.tla", file, p.name, name)
		}
		m := models[len(models)-1]
		switch {
		case kind == ".tla" && further:
			m.modules[other] = p.text
		case kind == ".cfg" && !further:
			m.cfg = p.text
		case kind == ".want" && !further:
			m.want = p.text
		case kind == ".tlc" && !further:
			m.tlc = p.text
		default:
			t.Fatalf("%s: what is %s?", file, p.name)
		}
	}
	return models
}

// setPart puts a text into the part of that name of an archive, behind the other parts of the same model where there is none.
func setPart(parts []part, name, text string) []part {
	model, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "/")
	last := -1
	for i, p := range parts {
		if p.name == name {
			parts[i].text = text
			return parts
		}
		if own := strings.TrimSuffix(p.name, filepath.Ext(p.name)); own == model || strings.HasPrefix(own, model+"/") {
			last = i
		}
	}
	return append(parts[:last+1], append([]part{{name, text}}, parts[last+1:]...)...)
}

func writeParts(t testing.TB, file, head string, parts []part) {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for _, p := range parts {
		fmt.Fprintf(&b, "-- %s --\n%s", p.name, p.text)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// place is where an error is: module, line and column.
func place(at diag.Span) string {
	if !at.Known() {
		return "unknown place"
	}
	return at.String()
}

// errorText names each error by its code and place. Messages may change; these may not.
func errorText(err error) string {
	var evaluation *eval.Error
	if errors.As(err, &evaluation) {
		return fmt.Sprintf("%s %s", evaluation.Code, place(evaluation.Span))
	}
	var b strings.Builder
	for i, d := range diag.All(err) {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %s", d.Code, place(d.Span))
	}
	if b.Len() == 0 {
		return err.Error()
	}
	return b.String()
}

// loadErrorText says in addition whether it is the specification or the configuration.
func loadErrorText(err error) string {
	var load *spec.LoadError
	if errors.As(err, &load) {
		return fmt.Sprintf("%s %s", load.Part, errorText(load.Err))
	}
	return errorText(err)
}

// noPanic makes an error of a panic, which no text may cause, so that the test that finds it is named.
func noPanic(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}

// TestTheCorpusIsReadWhole guards the reader: a name that occurs twice would hide a model.
func TestTheCorpusIsReadWhole(t *testing.T) {
	seen := map[string]string{}
	for _, file := range archives(t) {
		for _, m := range readModels(t, file) {
			if before, twice := seen[m.name]; twice {
				t.Errorf("%s is in %s and in %s", m.name, before, file)
			}
			seen[m.name] = file
			if m.want == "" && !*update {
				t.Errorf("%s: nothing is expected of %s", file, m.name)
			}
		}
	}
}
