package module_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podlife/tla/diag"
	"podlife/tla/module"
)

// write puts modules into files of a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func text(name, body string) string { return "---- MODULE " + name + " ----\n" + body + "\n====\n" }

// code gives the codes of an error's parts.
func codes(err error) []diag.Code {
	var out []diag.Code
	for _, e := range diag.All(err) {
		out = append(out, e.Code)
	}
	return out
}

func TestModulesAreLookedForBesideTheRootThenOnThePathThenAmongTheStandardOnes(t *testing.T) {
	folder := write(t, map[string]string{
		"root/A.tla":     text("A", "EXTENDS Both, OnPath, FiniteSets\nOp == Which"),
		"root/Both.tla":  text("Both", `Which == "root"`),
		"path/Both.tla":  text("Both", `Which == "path"`),
		"path/A.tla":     text("A", "Broken =="),
		"path2/Both.tla": text("Both", "Broken =="),
		"path/OnPath.tla": text("OnPath", `EXTENDS Randomization
Other == 1`),
		"path/Randomization.tla": text("Randomization", `Own == "mine"`),
	})
	m, err := module.Load(filepath.Join(folder, "root", "A.tla"), module.Options{Path: []string{filepath.Join(folder, "path"), filepath.Join(folder, "path2")}})
	if err != nil {
		t.Fatal(err)
	}
	which, _ := m.Lookup("Which")
	if got := module.Dump(which.Definition.Body); got != `"root"` {
		t.Errorf("Which is %s, not that of the module beside the root", got)
	}
	if _, ok := m.Lookup("Own"); !ok {
		t.Error("a module of the path does not go before the standard one of its name")
	}
	if _, ok := m.Lookup("Cardinality"); !ok {
		t.Error("the standard module was not found")
	}
	var names []string
	for _, f := range m.Files() {
		names = append(names, filepath.Base(f))
	}
	if want := []string{"A.tla", "Both.tla", "OnPath.tla", "Randomization.tla"}; !slices.Equal(names, want) {
		t.Errorf("the files are %v, want %v", names, want)
	}
	if len(m.Sources()) <= len(m.Files()) {
		t.Error("the sources are without the standard modules")
	}
}

func TestModulesMayStandBesideTheRootModuleInItsFile(t *testing.T) {
	folder := write(t, map[string]string{"A.tla": text("A", "EXTENDS B\nOp == FromB") + "\n" + text("B", "VARIABLE x\nFromB == x = y") + text("C", "")})
	_, err := module.Load(filepath.Join(folder, "A.tla"), module.Options{})
	all := diag.All(err)
	if len(all) != 1 || all[0].Code != module.CodeUnknownIdentifier {
		t.Fatalf("the error is %v, want the one unknown identifier", err)
	}
	if line, column := all[0].Span.Source.Position(all[0].Span.Start); line != 8 || column != 14 {
		t.Errorf("the error is in line %d, column %d, want the place in the file: 8, 14", line, column)
	}
}

func TestWhatCannotBeReadIsAnErrorWithItsReason(t *testing.T) {
	folder := write(t, map[string]string{
		"Spec.txt":         text("Spec", ""),
		"A.tla":            text("A", "EXTENDS Folder"),
		"Folder.tla/x.tla": "",
	})
	for _, test := range []struct {
		file string
		code diag.Code
		says string
	}{
		{"Missing.tla", module.CodeModuleNotFound, "there is no file"},
		{"Spec.txt", module.CodeModuleName, "must end in .tla"},
		{"A.tla", module.CodeUnreadable, "cannot be read"},
	} {
		_, err := module.Load(filepath.Join(folder, test.file), module.Options{})
		if got := codes(err); !slices.Equal(got, []diag.Code{test.code}) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v %v, want %s and %q", test.file, got, err, test.code, test.says)
		}
	}
	_, err := module.Load("A.tla", module.Options{Open: func(string) (*diag.Source, error) { return nil, errors.New("no network") }})
	if got := codes(err); !slices.Equal(got, []diag.Code{module.CodeUnreadable}) || !strings.Contains(err.Error(), "no network") {
		t.Errorf("Open's own error: %v %v", got, err)
	}
}

func TestAMissingModuleSaysWhereItWasLookedFor(t *testing.T) {
	folder := write(t, map[string]string{"A.tla": text("A", "EXTENDS Helpers"), "Helper.tla": text("Helper", "")})
	_, err := module.Load(filepath.Join(folder, "A.tla"), module.Options{Path: []string{"elsewhere"}})
	all := diag.All(err)
	if len(all) != 1 || all[0].Help != "did you mean Helper?" || !strings.Contains(all[0].Message, folder) || !strings.Contains(all[0].Message, "elsewhere") {
		t.Errorf("the error is %v with help %q", err, all[0].Help)
	}
}

func TestErrorsAreShownUpToALimit(t *testing.T) {
	_, err := module.Load("A.tla", module.Options{Open: texts{"A": text("A", "Op == {"+strings.Repeat("x, y, ", 200)+"z}")}.open})
	if n := len(diag.All(err)); n != 50 {
		t.Errorf("there are %d errors, want the first 50", n)
	}
}

func TestTheSameMistakeIsReportedOnce(t *testing.T) {
	_, err := module.Load("A.tla", module.Options{Open: texts{
		"A": text("A", "EXTENDS B, C"), "B": text("B", "EXTENDS D"), "C": text("C", "EXTENDS D"), "D": text("D", "Op == nothing"),
	}.open})
	if got := codes(err); !slices.Equal(got, []diag.Code{module.CodeUnknownIdentifier}) {
		t.Errorf("the errors are %v, want the one", err)
	}
}
