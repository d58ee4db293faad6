package auto

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"podlife/conformance/specs"
	"podlife/model/podruntime"
	"podlife/mutants"
	"podlife/tla/diag"
)

// atOnce is how many mutants are built or run at the same time.
const atOnce = 2

// Needed is how many mutants the invariant must be able to notice that the project exists for.
const Needed = 5

// Matrix is what a run found.
type Matrix struct {
	Results []Result
	Shipped map[string]string // by scenario: mutants.ShippedPass, or what is wrong with the build that ships
}

// expectations reads from the registry of the specifications below root what the loss of each switch breaks there.
func expectations(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, "tla", "configs", "registry.txt"))
	if err != nil {
		return nil, err
	}
	entries, err := specs.Parse(diag.NewSource("registry.txt", text))
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.File, "configs/PodRuntime/off/"); ok {
			all[strings.TrimSuffix(name, ".cfg")] = e.Expect.Name
		}
	}
	return all, nil
}

// Run builds and judges the mutants, on the source below root. Its error says that nothing could be judged.
func Run(ctx context.Context, root string, all []Mutant) (Matrix, error) {
	expected, err := expectations(root)
	if err != nil {
		return Matrix{}, err
	}
	dir, err := os.MkdirTemp("", "podlife-mutants-")
	if err != nil {
		return Matrix{}, err
	}
	defer os.RemoveAll(dir)
	ships, err := Compile(ctx, mutants.NewSource(root), dir, Shipped)
	if err != nil {
		return Matrix{}, err
	}
	x := Matrix{Results: make([]Result, len(all))}
	if x.Shipped, err = JudgeShipped(ctx, ships); err != nil {
		return Matrix{}, err
	}
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, m := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			x.Results[i] = inFolder(ctx, root, dir, m, expected[m.Switch], x.Shipped)
		})
	}
	wg.Wait()
	return x, ctx.Err()
}

// inFolder judges a mutant in a folder of its own, which does not stay: a program has tens of megabytes.
func inFolder(ctx context.Context, root, dir string, m Mutant, expected string, shipped map[string]string) Result {
	own, err := os.MkdirTemp(dir, "")
	if err != nil {
		return Result{ID: m.ID, Switch: m.Switch, About: m.About, Expected: []string{expected}, Broke: []string{}, Class: mutants.Failed, Detail: err.Error()}
	}
	defer os.RemoveAll(own)
	return Judge(ctx, root, own, m, expected, shipped)
}

// Bare is how many mutants are killed as expected and break NoAttachWithoutShellSetup.
func (x Matrix) Bare() int {
	n := 0
	for _, r := range x.Results {
		if r.Class == mutants.KilledExpected && slices.Contains(r.Broke, podruntime.NoAttachWithoutShellSetup) {
			n++
		}
	}
	return n
}

// Red says what is not as it must be, a line each.
func (x Matrix) Red() []string {
	var red []string
	for name, what := range x.Shipped {
		if what != mutants.ShippedPass {
			red = append(red, fmt.Sprintf("the build that ships, in %q: %s", name, what))
		}
	}
	slices.Sort(red)
	for _, r := range x.Results {
		if !r.Class.Green() {
			red = append(red, fmt.Sprintf("%s (%s) is %s: %s", r.ID, r.About, r.Class, r.Detail))
		}
	}
	return red
}
