package specs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ResultsFile is what a run leaves for coverage.json.
const ResultsFile = "specs.json"

// A Run is configurations that are checked one after the other.
type Run struct {
	Dir     string // of the specifications
	Entries []Entry
	TLC     string        // shell command that runs TLC; "" is the embedded checker
	Bound   time.Duration // of one configuration in TLC; 0 is none
	Out     io.Writer     // a line for each, what is wrong with it below
}

// All checks every configuration, also after one was wrong. wrong is how many were; they are among the results only if they have one.
func (r Run) All(ctx context.Context) (results []Result, wrong int) {
	for i, e := range r.Entries {
		result, err := r.one(ctx, e)
		if ctx.Err() != nil {
			fmt.Fprintf(r.Out, "interrupted: %d of %d configurations were looked at, the others were not run\n", i, len(r.Entries))
			return results, wrong
		}
		if err != nil {
			result.Problems = []string{err.Error()}
		} else {
			results = append(results, result)
		}
		if len(result.Problems) > 0 {
			wrong++
			fmt.Fprintf(r.Out, "WRONG %s\n      %s\n", e.File, strings.ReplaceAll(strings.Join(result.Problems, "\n"), "\n", "\n      "))
			continue
		}
		fmt.Fprintf(r.Out, "ok    %s: %s, %s (%.1f s)\n", e.File, result.Verdict, result.Numbers(), result.Duration.Seconds())
	}
	return results, wrong
}

func (r Run) one(ctx context.Context, e Entry) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if r.TLC != "" {
		return e.CheckTLC(ctx, r.TLC, r.Dir, r.Bound)
	}
	return e.Check(ctx, r.Dir)
}

// Summary counts what came out as the registry says.
func Summary(results []Result) string {
	n := map[Verb]int{}
	for _, r := range results {
		if len(r.Problems) == 0 {
			verb, _, _ := strings.Cut(r.Verdict, " ")
			n[Verb(verb)]++
		}
	}
	return fmt.Sprintf("%d hold, %d violate as named, %d are reached, %d unsupported", n[Holds], n[Violates], n[Reaches], n[Unsupported])
}

// Leave writes the results into a folder, for coverage.json. One with problems is left out: nothing stands for it then.
func Leave(dir string, results []Result) error {
	good := []Result{}
	for _, r := range results {
		if len(r.Problems) == 0 {
			good = append(good, r)
		}
	}
	data, err := json.MarshalIndent(good, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ResultsFile), append(data, '\n'), 0o644)
}
