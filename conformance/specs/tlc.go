package specs

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"podlife/tla/tlc"
)

// CheckTLC runs TLC, the shell command, on a configuration, for at most a time. What the embedded checker has not looked at must hold in TLC.
// Where something is violated only the verdict is compared: TLC stops at the same state, but need not have counted the same ones by then.
func (e Entry) CheckTLC(ctx context.Context, command, dir string, bound time.Duration) (Result, error) {
	folder, file := filepath.Split(filepath.FromSlash(e.File))
	req := tlc.Request{Command: command, Dir: dir, Module: e.Module, Config: file, Timeout: bound}
	if folder != "" {
		req.Path = []string{filepath.Join(dir, folder)}
	}
	r, err := tlc.Check(ctx, req)
	if err != nil {
		return Result{}, err
	}
	result := Result{
		Module: e.Module, Config: e.File, Expect: e.Expect.String(), Verdict: e.tlcWords(r),
		Distinct: r.Distinct, Generated: r.Generated, Depth: r.Depth, Length: len(r.Trace), Duration: r.Duration,
	}
	compared := result
	if e.Expect.Violated() != "" {
		compared.Generated, compared.Distinct, compared.Depth, compared.Length = e.Numbers.States, e.Numbers.Distinct, e.Numbers.Depth, e.Numbers.Length
	}
	result.Problems = e.Differences(compared)
	return result, nil
}

func (e Entry) tlcWords(r *tlc.Result) string {
	switch r.Verdict {
	case tlc.VerdictOK:
		if e.Expect.Verb == Unsupported {
			return string(Unsupported)
		}
		return string(Holds)
	case tlc.VerdictProperty, tlc.VerdictTemporal:
		if r.Name == "" && e.Expect.Violated() != "" {
			// TLC calls some properties by their place. There is one, or Read would have refused the configuration.
			return e.Expect.String()
		}
		return e.violated(r.Name)
	case tlc.VerdictInvariant:
		return e.violated(r.Name)
	}
	return fmt.Sprintf("%s: %s", r.Verdict, r.Text)
}
