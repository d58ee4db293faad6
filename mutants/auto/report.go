package auto

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"podlife/mutants"
	"podlife/mutants/auto/trial"
)

// The files that a run leaves: the results, and the same in the form that viewers of mutation tests read (Stryker's mutation-testing-report-schema, version 2).
const (
	ResultsFile  = "mutants-runtime.json"
	StrykerFile  = "mutation.json"
	schemaNumber = "2.0"
)

// Table is the results for people.
func Table(results []Result) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "mutant\tmust break\tbroke\ttable\tclass\tshipped\tbuild\tran")
	for _, r := range results {
		broke, table, shipped := strings.Join(r.Broke, ", "), "-", "pass"
		if broke == "" {
			broke = "-"
		}
		if r.Table {
			table = "refuses"
		}
		if r.Shipped != mutants.ShippedPass {
			shipped = "FAILS"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\n", r.ID, strings.Join(r.Expected, " or "), broke, table, r.Class, shipped, r.Build, r.Seconds)
	}
	w.Flush()
	return text.String()
}

// Write leaves the results in a folder, in both forms. root is the repository.
func Write(dir, root string, results []Result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, ResultsFile), results); err != nil {
		return err
	}
	report, err := strykerReport(root, results)
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, StrykerFile), report)
}

// writeJSON writes a file whole or not at all.
func writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".new", append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// What the schema calls things.
type (
	stryker struct {
		SchemaVersion string                  `json:"schemaVersion"`
		Thresholds    map[string]int          `json:"thresholds"`
		Files         map[string]*strykerFile `json:"files"`
		TestFiles     map[string]strykerTests `json:"testFiles"`
		Framework     map[string]string       `json:"framework"`
	}
	strykerFile struct {
		Language string          `json:"language"`
		Source   string          `json:"source"`
		Mutants  []strykerMutant `json:"mutants"`
	}
	strykerMutant struct {
		ID           string          `json:"id"`
		MutatorName  string          `json:"mutatorName"`
		Description  string          `json:"description"`
		Replacement  string          `json:"replacement"`
		Location     strykerLocation `json:"location"`
		Status       string          `json:"status"`
		StatusReason string          `json:"statusReason,omitempty"`
		CoveredBy    []string        `json:"coveredBy"`
		KilledBy     []string        `json:"killedBy"`
		Duration     int             `json:"duration"` // milliseconds
	}
	strykerLocation struct {
		Start strykerPosition `json:"start"`
		End   strykerPosition `json:"end"`
	}
	strykerPosition struct {
		Line   int `json:"line"` // both from 1
		Column int `json:"column"`
	}
	strykerTests struct {
		Tests []strykerTest `json:"tests"`
	}
	strykerTest struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
)

// statusOf is a class in the schema's words. What was noticed by something else than it should is not called killed.
func statusOf(c mutants.Class) string {
	switch c {
	case mutants.KilledExpected:
		return "Killed"
	case mutants.KilledOther, mutants.Survived:
		return "Survived"
	case mutants.Equivalent:
		return "Ignored"
	case mutants.DoesNotBuild:
		return "CompileError"
	case mutants.Timeout:
		return "Timeout"
	}
	return "RuntimeError"
}

func strykerReport(root string, results []Result) (stryker, error) {
	report := stryker{
		SchemaVersion: schemaNumber, Thresholds: map[string]int{"high": 100, "low": 100}, Files: map[string]*strykerFile{},
		TestFiles: map[string]strykerTests{}, Framework: map[string]string{"name": "podlife mutants/auto"},
	}
	var tests strykerTests
	for _, name := range trial.Names() {
		tests.Tests = append(tests.Tests, strykerTest{name, name})
	}
	report.TestFiles["mutants/auto/trial/scenarios.go"] = tests
	scenarios := map[string][]string{}
	for _, m := range Catalogue() {
		scenarios[m.ID] = m.Scenarios
	}
	for _, r := range results {
		name := place(r.changed)
		if name == "" {
			continue // it does not apply: there is no place
		}
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return report, err
		}
		f := report.Files[name]
		if f == nil {
			f = &strykerFile{Language: "go", Source: string(source)}
			report.Files[name] = f
		}
		m := strykerMutant{
			ID: r.ID, MutatorName: r.Switch, Description: strings.TrimSpace(r.About + "; must break " + strings.Join(r.Expected, " or ")), Status: statusOf(r.Class),
			StatusReason: r.Detail, CoveredBy: append([]string{}, scenarios[r.ID]...), KilledBy: []string{}, Duration: int(r.Seconds * 1000),
		}
		if r.Class == mutants.KilledExpected {
			m.KilledBy = scenarios[r.ID]
		}
		m.Location, m.Replacement = difference(string(source), string(r.changed[name]))
		f.Mutants = append(f.Mutants, m)
	}
	return report, nil
}

// place is the file that a mutant is shown in: where it takes something away, or else the table that it switches off. A file that it adds has no place in the source.
func place(changed map[string][]byte) string {
	files := make([]string, 0, len(changed))
	for name := range changed {
		if !strings.HasSuffix(name, "/attach_by_name.go") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	if i := slices.IndexFunc(files, func(name string) bool { return name != actorFile }); i >= 0 {
		return files[i]
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// difference gives the lines of the source that are not there any more, and what stands in their place.
func difference(source, changed string) (strykerLocation, string) {
	was, is := strings.SplitAfter(source, "\n"), strings.SplitAfter(changed, "\n")
	first := 0
	for first < len(was) && first < len(is) && was[first] == is[first] {
		first++
	}
	last := 0
	for last < len(was)-first && last < len(is)-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	end := strykerPosition{Line: len(was) - last + 1, Column: 1}
	return strykerLocation{Start: strykerPosition{Line: first + 1, Column: 1}, End: end}, strings.Join(is[first:len(is)-last], "")
}
