package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podlife/conformance/traces"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
)

var update = flag.Bool("update", false, "write testdata/page.golden.json anew")

func built(t *testing.T, in Inputs) Page {
	t.Helper()
	if in.Coverage == "" {
		in.Coverage = "testdata/coverage.json"
	}
	p, err := Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func written(t *testing.T, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestThePageSaysWhatTheFilesSay(t *testing.T) {
	p := built(t, Inputs{Root: "testdata", Results: "testdata/results"})
	// The drawing, and what the table says of itself, have tests of their own.
	p.Graph.Nodes, p.Graph.Width, p.Graph.Height = nil, 0, 0
	p.Graph.Edges = slices.DeleteFunc(p.Graph.Edges, func(e Edge) bool { return e.Total() == 0 })
	for i := range p.Graph.Edges {
		p.Graph.Edges[i].Path = ""
	}
	for i := range p.Behaviour.Frames {
		p.Behaviour.Frames[i].Values = nil
	}
	got, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/page.golden.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("the page says something else than %s (-want +got; go test -run ThePageSays -update):\n%s", golden, diff)
	}
}

// The glance of the test's record, in which something is wrong with nearly every part.
func TestOnlyAPassIsGreen(t *testing.T) {
	want := map[string]Mark{
		"specs": Failed, "specs, liveness": NotRun, "mirror": Failed, "traces, docker": Passed, "traces, simulated": Unknown, "paths, docker": NotRun, "paths, simulated": Passed,
		"histories": Unknown, "faults, simulated": Passed, "mutants, docker": Failed, "mutants, guards": Passed, "mutants, resume": Failed, "mutants, idle": Passed, "mutants, homes": Passed,
	}
	got := map[string]Mark{}
	for _, l := range built(t, Inputs{Results: "testdata/results"}).Lines {
		got[l.What] = l.Mark
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

func TestWhatIsNotThereDidNotRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "coverage.json")
	if err := os.WriteFile(name, []byte(`{"schema": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := built(t, Inputs{Coverage: name, Results: t.TempDir()})
	if len(p.Lines) == 0 {
		t.Error("nothing is said at all")
	}
	for _, l := range p.Lines {
		if l.Mark != NotRun {
			t.Errorf("%s is %s: %s", l.What, l.Mark, l.Text)
		}
	}
	text := written(t, p)
	body := text[strings.Index(text, `id="glance"`):strings.Index(text, "<script>")]
	if strings.Contains(body, `class="mark pass"`) {
		t.Error("the page of nothing has something green")
	}
	if n := strings.Count(body, `class="mark not-run"`); n < len(p.Lines)+4 {
		t.Errorf("%d things did not run, want at least the %d at a glance, the check, both mutants and the picture", n, len(p.Lines))
	}
}

func TestThePageAsksNobodyAndEscapesEverything(t *testing.T) {
	text := written(t, built(t, Inputs{Results: "testdata/results"}))
	for _, raw := range []string{"<script>alert", "<img", "<b>two tabs", "<none>"} {
		if strings.Contains(text, raw) {
			t.Errorf("%q is in the page as it was in a file", raw)
		}
	}
	for _, shown := range []string{"&lt;script&gt;alert", "&lt;img src=x onerror=alert(1)&gt;", "&lt;b&gt;two tabs"} {
		if !strings.Contains(text, shown) {
			t.Errorf("%q is not in the page", shown)
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts, want ours alone", n)
	}
	outside := regexp.MustCompile(`<[a-z][^>]*\s(?:src|href|action)\s*=\s*["']?([^"'\s>]+)|url\(([^)]*)\)|@import`)
	found := outside.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		t.Error("no reference at all was found: the test does not look right")
	}
	for _, m := range found {
		if to := m[1] + m[2]; !strings.HasPrefix(to, "#") && to != "data:," {
			t.Errorf("the page refers to %q", m[0])
		}
	}
}

func TestTheGraphIsTheOneThatTheTracesCountIn(t *testing.T) {
	all, level, err := links(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := traces.ReachableEdges()
	for l := range all {
		if !want[l.String()] {
			t.Errorf("%s is here alone", l)
		}
		delete(want, l.String())
		if _, known := level[l.from]; !known {
			t.Errorf("%s has no level", l.from)
		}
	}
	for name := range want {
		t.Errorf("%s is not here", name)
	}
}

func TestTheDrawingHasAPlaceForEverything(t *testing.T) {
	g, err := graphOf(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) == 0 || len(g.Edges) == 0 {
		t.Fatalf("%d nodes, %d edges", len(g.Nodes), len(g.Edges))
	}
	for i, a := range g.Nodes {
		if a.X < 0 || a.Y < 0 || a.X+nodeWidth > g.Width || a.Y+nodeHeight > g.Height {
			t.Errorf("%s is outside of the picture", a.Name)
		}
		for _, b := range g.Nodes[i+1:] {
			if a.X < b.X+nodeWidth && b.X < a.X+nodeWidth && a.Y < b.Y+nodeHeight && b.Y < a.Y+nodeHeight {
				t.Errorf("%s lies on %s", a.Name, b.Name)
			}
		}
	}
	paths := map[string]string{}
	for _, e := range g.Edges {
		if other, twice := paths[e.Path]; twice || e.Path == "" {
			t.Errorf("%s has the line of %s: %q", e.Action, other, e.Path)
		}
		paths[e.Path] = e.Action
	}
}

// The same counterexample from each form, and from the table: the step at which the terminal opens, in a container that nothing set up.
func TestACounterexampleIsReadInEveryForm(t *testing.T) {
	for _, name := range []string{"", "testdata/wakes.itf.json", "testdata/wakes.tlc.json"} {
		b := built(t, Inputs{Counterexample: name}).Behaviour
		if b.Example != (name == "") || len(b.Frames) != 14 {
			t.Fatalf("%q: example %v, %d states, want 14", name, b.Example, len(b.Frames))
		}
		last := b.Frames[13]
		if !strings.HasPrefix(last.Step, podruntime.AttachReady) {
			t.Errorf("%q ends with %s", name, last.Step)
		}
		opened := func(change string) bool { return strings.HasSuffix(change, "term.at: dialed → open") }
		if !slices.ContainsFunc(last.Change, opened) {
			t.Errorf("%q: the last step changes %q", name, last.Change)
		}
		if len(b.Lanes) == 0 || len(b.Lanes) >= len(b.Names) {
			t.Errorf("%q: %d of %d parts change", name, len(b.Lanes), len(b.Names))
		}
		if name != "testdata/wakes.tlc.json" && b.Violates != podruntime.NoAttachWithoutShellSetup {
			t.Errorf("%q violates %q", name, b.Violates)
		}
	}
}

func TestATraceOfCheckIsReadToo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bug.json")
	text := `{"format":"podlife-trace-1","table":"PodLifecycle","violates":"NoAttachWithoutShellSetup","steps":[{"state":{"ctr":"asleep","client":{"c1":{"phase":"idle"}}}},{"action":"StartBoot","args":["c1"],"state":{"ctr":"provisioning","client":{"c1":{"phase":"booting"}}}}]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := built(t, Inputs{Counterexample: name}).Behaviour
	want := []string{"client.c1.phase: idle → booting", "ctr: asleep → provisioning"}
	if b.Violates != podlifecycle.NoAttachWithoutShellSetup || len(b.Frames) != 2 || !slices.Equal(b.Frames[1].Change, want) || b.Frames[1].Step != "StartBoot(c1)" {
		t.Errorf("read as %+v", b)
	}
}

func TestAFileThatIsNoBehaviourIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "no behaviour",
		`{"a": 1}`:                               "no behaviour",
		`[]`:                                     "no behaviour",
		`{"states": 3}`:                          "itf",
		`{"counterexample": {}}`:                 "tlcjson",
		`{"format":"podlife-trace-1"}`:           "no steps",
		strings.Repeat(" ", MaxBehaviour) + "{}": "has more than",
	} {
		name := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Build(t.Context(), Inputs{Coverage: "testdata/coverage.json", Counterexample: name})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want something of %q", text, err, want)
		}
	}
}

func TestAnyGuardCanBeTheExample(t *testing.T) {
	for off, violates := range map[string]string{
		"Dial.marker": podruntime.NoAttachWithoutShellSetup, "StartBoot.known": podruntime.IncarnationsIncrease, "TearDown.launched": podruntime.NoContainerUnowned,
		"AttachReady.sameInc": "", // what it breaks is a property of steps
	} {
		b, err := example(t.Context(), off)
		if err != nil || b.Violates != violates || (len(b.Frames) == 0) != (violates == "") || !b.Example {
			t.Errorf("without %s: violates %q in %d states, want %q; %v", off, b.Violates, len(b.Frames), violates, err)
		}
	}
	var unknown *podruntime.SwitchError
	if _, err := example(t.Context(), "Dial.mark"); !errors.As(err, &unknown) {
		t.Errorf("a guard that is none: %v", err)
	}
}

func TestACoverageThatIsNotThereIsAnError(t *testing.T) {
	_, err := Build(t.Context(), Inputs{Coverage: filepath.Join(t.TempDir(), "coverage.json")})
	var none *CoverageError
	if !errors.As(err, &none) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "make coverage") {
		t.Errorf("%v", err)
	}
}

func TestAStaleRecordIsSaidToBe(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "page.txt"), []byte("now\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const sum = "9c30b97d1d0e0d9d9d0b5a8bb5b1e1ad5a3d5e0f8f0d3a2d6d9a4f5b1c2d3e4f"
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	f, err := freshness(root, map[string]string{"page.txt": sum, "gone.txt": empty})
	if err != nil || f.Mark() != Failed || !slices.Equal(f.Different, []string{"gone.txt", "page.txt"}) {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = freshness("../..", map[string]string{})
	if err != nil || f.Mark() != NotRun {
		t.Errorf("nothing was compared: %+v, %v", f, err)
	}
}

func TestThePictureIsInAFrame(t *testing.T) {
	dir := t.TempDir()
	const picture = `<p class="x">it's &amp; a picture</p><script>1</script>`
	if err := os.WriteFile(filepath.Join(dir, PictureFile), []byte(picture), 0o600); err != nil {
		t.Fatal(err)
	}
	text := written(t, built(t, Inputs{Results: dir}))
	_, after, framed := strings.Cut(text, `sandbox="allow-scripts" srcdoc="`)
	inside, _, _ := strings.Cut(after, `"`)
	if !framed || html.UnescapeString(inside) != picture || strings.Contains(text, `<p class="x">`) {
		t.Errorf("the picture is not in a frame of its own as it was: %q", inside)
	}
	if !strings.Contains(written(t, built(t, Inputs{Results: t.TempDir()})), "the check left no "+PictureFile) {
		t.Error("without a picture nothing is said of it")
	}
}

func TestACoverageOfAnotherSchemaIsRefused(t *testing.T) {
	for schema, want := range map[int]string{newestSchema + 1: "what comes after", 1: "what was before"} {
		name := filepath.Join(t.TempDir(), "coverage.json")
		if err := os.WriteFile(name, fmt.Appendf(nil, `{"schema": %d}`, schema), 0o600); err != nil {
			t.Fatal(err)
		}
		var refused *CoverageError
		if _, err := ReadCoverage(t.Context(), name); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), name) != 1 {
			t.Errorf("schema %d: %v", schema, err)
		}
	}
	for _, text := range []string{"{", strings.Repeat(" ", 10)} {
		name := filepath.Join(t.TempDir(), "coverage.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadCoverage(t.Context(), name); err == nil || strings.Count(err.Error(), name) != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAFileWithoutAnEndIsRefused(t *testing.T) {
	var v any
	if _, err := readJSON(t.Context(), "/dev/zero", &v); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
}
