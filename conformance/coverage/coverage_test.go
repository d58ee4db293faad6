package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/conformance/lockstep"
	"podlife/conformance/mirror"
	"podlife/conformance/paths"
	registry "podlife/conformance/specs"
	"podlife/model/podlifecycle"
	"podlife/model/podruntime"
	"podlife/mutants"
)

// repository copies what static reads, so that a test can break it.
func repository(t *testing.T) string {
	t.Helper()
	from, to := filepath.Join("..", ".."), t.TempDir()
	var names []string
	for _, pattern := range append([]string{"go.mod", "scripts/tlc.sh"}, defining...) {
		found, err := filepath.Glob(filepath.Join(from, filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: found %d, error %v", pattern, len(found), err)
		}
		names = append(names, found...)
	}
	err := filepath.WalkDir(filepath.Join(from, "runtime"), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "node_modules":
			return fs.SkipDir
		case strings.HasSuffix(name, ".go"):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		rel, err := filepath.Rel(from, name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(to, rel), data)
	}
	return to
}

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// change replaces text in a file; it must be there.
func change(t *testing.T, name, old, replacement string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s does not have %q: the test changes nothing", name, old)
	}
	put(t, name, bytes.Replace(data, []byte(old), []byte(replacement), 1))
}

// goodRun writes the results of a run that is just good enough.
func goodRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, v any) {
		data, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), data)
	}
	m := minima()
	for _, engine := range engines {
		want := m.of(engine)
		actions, seen := map[string]int{}, map[string]Seen{}
		for _, a := range podlifecycle.Table(podlifecycle.Constants{}).Actions {
			for _, g := range a.Guards {
				seen[a.Name+"."+g.Name] = Seen{True: want.EachGuardTrue, False: 1}
			}
		}
		for _, a := range shippedActions() {
			actions[a] = want.EachAction
		}
		write(tracesResults(engine), map[string]any{
			"engine": engine, "kind": "traces", "requested": want.Traces, "executed": want.Traces, "steps": want.Steps, "actions": actions, "disabled_tried": want.DisabledTried,
			"guards": seen, "edges_covered": want.EdgesCovered, "edges_reachable": 100, "verdict": "pass", "seconds": 12.3,
		})
	}
	for _, m := range m.Paths {
		write(paths.ResultsFile(m.Engine, m.Config), goodPaths(m))
	}
	write(linearResults, map[string]any{"histories": m.Linearizability.Histories, "operations": m.Linearizability.Operations, "unknown_outcomes": m.Linearizability.UnknownOutcomes, "unknown": 0, "verdict": "pass", "seconds": 26})
	write(registry.ResultsFile, foundSpecs(t))
	var compared []mirror.Result
	for _, d := range mirror.RuntimeDesigns() {
		compared = append(compared, mirror.Result{Design: d.Name, States: 1, Comparisons: 1, Guards: 95})
	}
	write(mirror.ResultsFile, compared)
	var judged []mutants.Result
	for _, c := range mutants.Catalogue() {
		judged = append(judged, mutants.Result{
			ID: c.ID, Guard: c.Guard, Expected: c.Expected, Broke: []string{c.Expected}, Class: mutants.KilledExpected, Detector: "looked", Seconds: 5.2, Shipped: mutants.ShippedPass,
		})
	}
	write(mutants.ResultsFile, judged)
	return dir
}

// goodPaths is what the paths of a configuration leave that take every action, and show every outcome of every guard.
func goodPaths(m PathMinima) paths.Result {
	r := paths.Result{
		Engine: m.Engine, Kind: paths.Kind, Spec: podruntime.Name, Config: m.Config, Requested: 7, Executed: 7, Steps: 2 * m.Edges, Actions: map[string]int{},
		DisabledTried: m.DisabledTried, EdgesCovered: m.Edges, EdgesReachable: m.Edges, EdgesAll: m.Edges + 5, NotDrivable: map[lockstep.Reason]int{lockstep.InSection: 2}, Unreachable: 3,
		Guards: map[string]paths.Outcome{}, Verdict: pass, Seconds: 5,
	}
	for _, a := range podruntime.Table(podruntime.Constants{}).Actions {
		if a.Name != podruntime.DialWakes {
			r.Actions[a.Name] = 1
		}
		for _, g := range a.Guards {
			r.Guards[a.Name+"."+g.Name] = paths.Outcome{True: 1, False: 1}
		}
	}
	return r
}

// foundSpecs is what a run leaves that found each configuration to be what the registry says.
func foundSpecs(t *testing.T) []registry.Result {
	t.Helper()
	entries, err := registry.Read(filepath.Join("..", "..", "tla"))
	if err != nil {
		t.Fatal(err)
	}
	var found []registry.Result
	for _, e := range registry.Of(entries, registry.PR) {
		r := registry.Result{
			Module: e.Module, Config: e.File, Expect: e.Expect.String(), Verdict: e.Expect.String(),
			Distinct: e.Numbers.Distinct, Generated: e.Numbers.States, Depth: e.Numbers.Depth, Length: e.Numbers.Length,
		}
		if e.Expect.Verb == registry.Holds && e.Module != podlifecycle.Name {
			r.Fired, r.Antecedents = map[string]int{"StartBoot": 1}, map[string]int{"StoreAgrees": 1}
		}
		found = append(found, r)
	}
	return found
}

func command(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	code = run(t.Context(), args, &out, &out)
	return code, out.String()
}

// written gives a repository whose coverage.json is right, and the run that it states.
func written(t *testing.T) (root, results string) {
	t.Helper()
	root, results = repository(t), goodRun(t)
	if code, said := command(t, "write", "--root", root, "--results", results); code != 0 {
		t.Fatalf("write: exit code %d\n%s", code, said)
	}
	return root, results
}

// copied gives another repository with the file that was written in one, and a run of its own.
func copied(t *testing.T, file []byte) (root, results string) {
	t.Helper()
	root, results = repository(t), goodRun(t)
	put(t, filepath.Join(root, FileName), file)
	return root, results
}

func TestWhatWasWrittenIsVerified(t *testing.T) {
	root, results := written(t)
	code, said := command(t, "verify", "--root", root, "--results", results)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	for _, part := range []string{"holds, 1453 states, depth 20", "81 violate as named", "violates NoAttachWithoutShellSetup, 24 states, depth 5", "117, 4 of them carried", "mutant-d   killed_expected by BootIdempotent"} {
		if !strings.Contains(said, part) {
			t.Errorf("the summary does not have %q:\n%s", part, said)
		}
	}
	// The same run and source give the same bytes.
	first, err := os.ReadFile(filepath.Join(root, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if code, said := command(t, "write", "--root", root, "--results", results); code != 0 {
		t.Fatal(said)
	}
	if again, err := os.ReadFile(filepath.Join(root, FileName)); err != nil || !bytes.Equal(first, again) {
		t.Errorf("written again it differs, error %v", err)
	}
}

func TestStaleOrTooLittleIsRed(t *testing.T) {
	first, _ := written(t)
	file, err := os.ReadFile(filepath.Join(first, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		breaks func(t *testing.T, root, results string)
		names  string // the field that must be named
	}{
		"stale hash of the specification": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodLifecycle.tla"), "\n", "\n\n")
		}, "hashes.tla/PodLifecycle.tla is"},
		"stale hash of the boot script": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "runtime/boot/script.sh"), "\n", "\n\n")
		}, "hashes.runtime/boot/script.sh is"},
		"another bound in a configuration": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodLifecycle.cfg"), "MaxInc = 3", "MaxInc = 2")
		}, "specs[PodLifecycle.cfg].distinct is 1453 in the file, and now 414"},
		"a configuration that does not give what it must": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodLifecycleUnguarded.cfg"), "GuardedAttach = FALSE", "GuardedAttach = TRUE")
		}, `specs[PodLifecycleUnguarded.cfg]: verdict is "holds", expected "violates NoAttachWithoutShellSetup"`},
		"a specification that is not the table": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodLifecycle.tla"), `/\ ctr' = "asleep"`, `/\ ctr' = "fresh"`)
		}, "mirror[guarded]: specification and table differ"},
		"a specification that the embedded checker finds wrong": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodLifecycle.tla"), `/\ inc' = inc + 1`, `/\ inc' = inc + 2`)
		}, "specs[PodLifecycleUnguardedBoot.cfg]: the embedded checker says violates TypeOK"},
		"a switch that nothing excuses any more": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodLifecycle.tla"), `GuardedAttach   (* vacuous-ok: chooses a design *)`, `GuardedAttach   (* *)`)
		}, "specs[PodLifecycle.cfg]: vacuous: "},
		"a configuration that nobody registered": {func(t *testing.T, root, _ string) {
			put(t, filepath.Join(root, "tla/More.cfg"), []byte("SPECIFICATION Spec\n"))
		}, "More.cfg is not in the registry"},
		"a lost configuration": {func(t *testing.T, root, _ string) {
			if err := os.Remove(filepath.Join(root, "tla/PodLifecycleUnguardedBoot.cfg")); err != nil {
				t.Fatal(err)
			}
		}, "There is no PodLifecycleUnguardedBoot.cfg"},
		"a number of the registry changed by hand": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/configs/registry.txt"), "states=351420", "states=351421")
		}, "specs[configs/PodRuntime/holds/one-tab.cfg].generated is 351420 in the file, and now 351421"},
		"a guard that no configuration switches off": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/PodRuntime.tla"), "/\\ Awake(p) ", "/\\ Guard(\"IdleSleep.awake\", Awake(p)) ")
		}, "PodRuntime.tla can switch IdleSleep.awake off, but configs/PodRuntime/off/IdleSleep.awake.cfg is not in the registry"},
		"a configuration of the finer specification that is another one": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "tla/configs/PodRuntime/live/fair.cfg"), "MaxInc = 1", "MaxInc = 2")
		}, "hashes.tla/configs/PodRuntime/live/fair.cfg is"},
		"lost guard": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "runtime/pod/outcome.go"), "//model:guard FinishBoot.sameInc", "")
		}, `guards[FinishBoot.sameInc].by is "statement" in the file, and now "table"`},
		"weakened guard": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "runtime/agent/host.go"), "Wanted(m)); !v.OK {", "Wanted(m)); !v.OK && false {")
		}, "guards[Dial.marker].statements[runtime/agent/host.go].hash is"},
		"actor that does not heed the table": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "runtime/pod/actor.go"), "MaxCrashes: math.MaxInt}", "MaxCrashes: math.MaxInt, Off: []string{\"StartBoot.idle\"}}")
		}, "guard StartBoot.idle of PodRuntime: no statement carries it"},
		"another version of a checker": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, "go.mod"), "pgregory.net/rapid v1", "pgregory.net/rapid v9")
		}, "tools.pgregory.net/rapid is"},
		"a number changed by hand": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, FileName), `"distinct": 1453`, `"distinct": 1454`)
		}, "specs[PodLifecycle.cfg].distinct is 1454 in the file, and now 1453"},
		"a minimum lowered by hand": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, FileName), `"traces": 60`, `"traces": 6`)
		}, "minima.docker.traces is 6"},
		"a run below the minima in the file": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, FileName), `"executed": 60`, `"executed": 59`)
		}, "coverage.json: conformance[docker].executed is 59"},
		"a field that the form does not have": {func(t *testing.T, root, _ string) {
			change(t, filepath.Join(root, FileName), `"schema"`, `"scheme": 1, "schema"`)
		}, "unknown field"},
		"no file": {func(t *testing.T, root, _ string) {
			if err := os.Remove(filepath.Join(root, FileName)); err != nil {
				t.Fatal(err)
			}
		}, "coverage.json: there is none"},

		"no results of an engine":   {func(t *testing.T, _, results string) { drop(t, results, "conformance-docker.json") }, "conformance-docker.json: not_run"},
		"no configurations checked": {func(t *testing.T, _, results string) { drop(t, results, registry.ResultsFile) }, "specs.json: not_run"},
		"a configuration that was not checked": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, registry.ResultsFile), `"configs/PodRuntime/off/Dial.marker.cfg"`, `"configs/PodRuntime/off/Dial.mark.cfg"`)
		}, "this run: specs[configs/PodRuntime/off/Dial.marker.cfg]: not_run"},
		"a guard whose loss broke nothing": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, registry.ResultsFile), `"verdict": "violates Refines"`, `"verdict": "holds"`)
		}, `.verdict is "holds", expected "violates Refines"`},
		"other numbers": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, registry.ResultsFile), `"generated": 351420`, `"generated": 351421`)
		}, "holds, with other numbers: states=351421"},
		"a left side that was never true": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, registry.ResultsFile), `"StoreAgrees": 1`, `"StoreAgrees": 0`)
		}, "vacuous: the left side of StoreAgrees is never true"},
		"nothing counted": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, registry.ResultsFile), `"StartBoot": 1`, ``)
		}, "fired: nobody counted what happened"},
		"PodRuntime was not compared": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mirror.ResultsFile), "PodRuntime, two tabs", "PodRuntime, no tabs")
		}, "this run: mirror[PodRuntime, two tabs]: not_run"},
		"a table that is not PodRuntime": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mirror.ResultsFile), `"differences": 0`, `"differences": 2`)
		}, "this run: mirror[PodRuntime, one tab]: specification and table differ in 2 places"},
		"a guard that was not dropped on both sides": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mirror.ResultsFile), `"guards": 95`, `"guards": 94`)
		}, "this run: mirror[PodRuntime, one tab].guards is 94, below its minimum of 95"},
		"no paths of a configuration": {func(t *testing.T, _, results string) { drop(t, results, paths.ResultsFile("simulated", "2,1,0")) }, "paths-simulated-2,1,0.json: not_run"},
		"no paths on Docker":          {func(t *testing.T, _, results string) { drop(t, results, paths.ResultsFile("docker", paths.KeptName)) }, "paths-docker-kept.json: not_run"},
		"an edge that no path took": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("simulated", "1,1,1")), `"edges_covered": 5000`, `"edges_covered": 4999`)
		}, "this run: conformance[simulated, paths 1,1,1].edges_covered is 4999, below its minimum of 5000"},
		"an edge in no class": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("simulated", "1,1,1")), `"unreachable": 3`, `"unreachable": 2`)
		}, "this run: conformance[simulated, paths 1,1,1].edges_all is 5005, and the classes have 5004"},
		"a path that was not taken to its end": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("docker", paths.KeptName)), `"executed": 7`, `"executed": 6`)
		}, "this run: conformance[docker, paths kept].executed is 6"},
		"paths that differ": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("docker", paths.KeptName)), `"pass"`, `"fail"`)
		}, `this run: conformance[docker, paths kept].verdict is "fail"`},
		"paths of another configuration": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("simulated", "1,1,1")), `"config": "1,1,1"`, `"config": "1,1,0"`)
		}, "paths-simulated-1,1,1.json: it is of simulated, 1,1,0"},
		"an action that no path takes": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("docker", paths.KeptName)), `"RecoverReady": 1`, `"RecoverReady": 0`)
		}, "this run: paths[docker].actions.RecoverReady is 0"},
		"an outcome that no path shows": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("docker", paths.KeptName)), "\"AttachReady.sameInc\": {\n   \"true\": 1,\n   \"false\": 1", "\"AttachReady.sameInc\": {\n   \"true\": 1,\n   \"false\": 0")
		}, "this run: guards[AttachReady.sameInc].docker.false is 0"},
		"nobody asked for what is forbidden": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, paths.ResultsFile("simulated", "2,1,1")), `"disabled_tried": 24000`, `"disabled_tried": 23999`)
		}, "this run: conformance[simulated, paths 2,1,1].disabled_tried is 23999"},
		"no mutants judged": {func(t *testing.T, _, results string) { drop(t, results, mutants.ResultsFile) }, "mutants.json: not_run"},
		"results of another engine": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), `"docker"`, `"simulated"`)
		}, `conformance-docker.json: engine is "simulated", want "docker"`},
		"fewer edges": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), `"edges_covered": 30`, `"edges_covered": 29`)
		}, "this run: conformance[docker].edges_covered is 29"},
		"fewer operations": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, linearResults), `"operations": 25000`, `"operations": 24999`)
		}, "this run: linearizability.operations is 24999"},
		"no histories": {func(t *testing.T, _, results string) { drop(t, results, linearResults) }, "linearizability.json: not_run"},
		"empty results": {func(t *testing.T, _, results string) {
			put(t, filepath.Join(results, "conformance-simulated.json"), nil)
		}, "conformance-simulated.json: unexpected end"},
		"unknown verdict": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, linearResults), `"pass"`, `"unknown"`)
		}, `this run: linearizability.verdict is "unknown"`},
		"no verdict": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), `"verdict": "pass"`, `"verdict": ""`)
		}, "this run: conformance[docker].verdict: there is none"},
		"unknown histories": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, linearResults), `"unknown": 0`, `"unknown": 1`)
		}, "this run: linearizability.unknown is 1"},
		"fewer traces than asked for": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-simulated.json"), `"requested": 2000`, `"requested": 2001`)
		}, "this run: conformance[simulated].executed is 2000, below its minimum of 2001"},
		"fewer steps": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), `"steps": 900`, `"steps": 899`)
		}, "this run: conformance[docker].steps is 899"},
		"an action that did not fire often": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), `"Reconnect": 5`, `"Reconnect": 4`)
		}, "this run: conformance[docker].actions.Reconnect is 4"},
		"an action that the shipped design lacks": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), `"Reconnect": 5`, `"Reconnect": 5, "AttachWakesFresh": 1`)
		}, "this run: conformance[docker].actions.AttachWakesFresh is 1"},
		"a guard that was never true": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, "conformance-docker.json"), "\"AttachReady.ready\": {\n   \"true\": 1", "\"AttachReady.ready\": {\n   \"true\": 0")
		}, "this run: guards[AttachReady.ready].docker.true is 0"},
		"a mutant that survived": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mutants.ResultsFile), `"killed_expected"`, `"survived"`)
		}, `this run: mutants[mutant-a].class is "survived"`},
		"a mutant killed by another invariant": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mutants.ResultsFile), `"broke": [
   "NoAttachWithoutShellSetup"`, `"broke": [
   "TypeOK"`)
		}, "this run: mutants[mutant-a].broke is [TypeOK]"},
		"a mutant that did not run": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mutants.ResultsFile), `"mutant-c"`, `"mutant-x"`)
		}, "this run: mutants[mutant-c]: not_run"},
		"a scenario that what ships does not pass": {func(t *testing.T, _, results string) {
			change(t, filepath.Join(results, mutants.ResultsFile), `"shipped": "pass"`, `"shipped": "timeout"`)
		}, `this run: mutants[mutant-a].shipped is "timeout"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, results := copied(t, file)
			c.breaks(t, root, results)
			code, said := command(t, "verify", "--root", root, "--results", results)
			if code != 1 || !strings.Contains(said, c.names) || !strings.HasSuffix(said, fix+"\n") {
				t.Errorf("exit code %d, want 1; does not name %q, or how to fix it:\n%s", code, c.names, said)
			}
		})
	}
}

func drop(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestBadRunIsNotWritten(t *testing.T) {
	root, results := written(t)
	before, err := os.ReadFile(filepath.Join(root, FileName))
	if err != nil {
		t.Fatal(err)
	}
	change(t, filepath.Join(results, "conformance-docker.json"), `"verdict": "pass"`, `"verdict": "fail"`)
	code, said := command(t, "write", "--root", root, "--results", results)
	if code != 1 || !strings.Contains(said, `conformance[docker].verdict is "fail"`) || !strings.Contains(said, "was not written") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if after, err := os.ReadFile(filepath.Join(root, FileName)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed, error %v", err)
	}
}

func TestWithoutResultsNothingIsGreen(t *testing.T) {
	root, _ := written(t)
	code, said := command(t, "verify", "--root", root, "--results", "")
	if code != 1 || !strings.Contains(said, "not_run: no folder of results") {
		t.Errorf("exit code %d\n%s", code, said)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"check"}, {"verify", "more"}, {"verify", "--no-such-flag"}} {
		if code, said := command(t, args...); code != 2 || !strings.Contains(said, "usage: coverage") {
			t.Errorf("%q: exit code %d\n%s", args, code, said)
		}
	}
}

func TestConfigurationsAreReadStrictly(t *testing.T) {
	const good = "SPECIFICATION Spec\nCONSTANTS\n  Clients = {c1, c2} \\* two\n  c1 = c1\n  MaxInc = 3\n  GuardedAttach = TRUE\nINVARIANTS\n  TypeOK\nCHECK_DEADLOCK FALSE\n"
	c, err := parseConfig(good)
	if err != nil || c.clients != 2 || c.constants != (podlifecycle.Constants{MaxInc: 3, GuardedAttach: true}) || len(c.invariants) != 1 {
		t.Fatalf("read %+v, error %v", c, err)
	}
	for name, replaced := range map[string][2]string{
		"something unknown":      {"CHECK_DEADLOCK FALSE", "CHECK_DEADLOCK FALSE\nCONSTRAINT Small"},
		"another specification":  {"SPECIFICATION Spec", "SPECIFICATION Fair"},
		"deadlock is checked":    {"CHECK_DEADLOCK FALSE\n", ""},
		"a constant is missing":  {"  MaxInc = 3\n", ""},
		"a constant comes twice": {"  MaxInc = 3\n", "  MaxInc = 3\n  MaxInc = 4\n"},
		"an unknown constant":    {"c1 = c1", "c1 = c2"},
		"a number that is none":  {"MaxInc = 3", "MaxInc = three"},
		"a truth that is none":   {"= TRUE", "= true"},
		"a set that is none":     {"{c1, c2}", "2"},
		"no invariant":           {"  TypeOK\n", ""},
	} {
		if _, err := parseConfig(strings.Replace(good, replaced[0], replaced[1], 1)); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}
