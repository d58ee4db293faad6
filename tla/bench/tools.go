package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"podlife/tla/tlc"
)

// measured is what one run gave.
type measured struct {
	generated int64 // -1: the tool does not tell
	distinct  int64
	seconds   float64 // of the process, from its start to its end
	peak      int64   // bytes that were resident at most
	failed    string  // why there is nothing else
}

// problem says how a run is not as podlife's, or as is known of the model; "" is as it should be.
func (got measured) problem(ours measured, m benchModel, t tool) string {
	switch {
	case got.failed != "" && t.counts:
		return got.failed
	case got.failed != "" || ours.failed != "":
		return ""
	case m.known >= 0 && (got.distinct != m.known || got.generated >= 0 && got.generated != m.generated):
		return fmt.Sprintf("known are %d generated, %d distinct", m.generated, m.known)
	case got.distinct != ours.distinct || got.generated >= 0 && got.generated != ours.generated:
		return "other counts than podlife"
	}
	return ""
}

// A tool runs models.
type tool struct {
	name   string
	counts bool // another count than podlife's, or a failure, fails the benchmark
	skips  func(benchModel) bool
	run    func(context.Context, benchModel) measured
}

// tools are those that are there, podlife first.
func (b bench) tools(ctx context.Context, work string) ([]tool, error) {
	program, err := filepath.Abs(b.podlife)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("%w (make build makes it)", err)
	}
	tools := []tool{{name: "podlife", counts: true, run: func(ctx context.Context, m benchModel) measured { return b.runPodlife(ctx, program, work, m) }}}
	if b.tlc != "" {
		tools = append(tools, tool{name: "TLC", counts: true, run: b.runTLC})
	} else {
		fmt.Fprintln(b.out, "not_run: TLC (the variable TLC is not set)")
	}
	if b.node == "" {
		return tools, nil
	}
	driver, err := installNode(ctx, b.node)
	if err != nil {
		fmt.Fprintf(b.out, "not_run: tla-checker (%v)\n", err)
		return tools, nil
	}
	return append(tools, tool{name: "tla-checker", skips: func(m benchModel) bool { return !m.alone },
		run: func(ctx context.Context, m benchModel) measured { return b.runNode(ctx, driver, m) }}), nil
}

// process runs a command in a folder and measures it. Exit codes in may are no failure.
func (b bench) process(ctx context.Context, dir string, may []int, name string, args ...string) (out []byte, got measured) {
	ctx, cancel := context.WithTimeout(ctx, b.bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	got.seconds = time.Since(start).Seconds()
	if cmd.ProcessState != nil {
		got.peak = tlc.PeakMemory(cmd.ProcessState)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		got.failed = fmt.Sprintf("stopped after %.0f s", got.seconds)
	case errors.As(err, &exit) && slices.Contains(may, exit.ExitCode()):
	case err != nil:
		got.failed = fmt.Sprintf("%v: %s", err, lastLine(stderr.String()))
	}
	return stdout.Bytes(), got
}

// lastLine is the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// The exit codes of podlife tla check with which everything was explored: it holds, a liveness property was not checked, something is vacuous.
var explored = []int{0, 20, 21}

func (b bench) runPodlife(ctx context.Context, program, work string, m benchModel) measured {
	out, got := b.process(ctx, work, explored, program, "tla", "check", "--json", "--vacuity", b.vacuity, "--workers", strconv.Itoa(b.workers),
		"--allow-write", work, "--config", filepath.Join(m.dir, m.config), filepath.Join(m.dir, m.module+".tla"))
	if got.failed != "" {
		return got
	}
	var r struct{ Generated, Distinct int64 }
	if err := json.Unmarshal(out, &r); err != nil {
		got.failed = "its output is not JSON: " + err.Error()
	}
	got.generated, got.distinct = r.Generated, r.Distinct
	return got
}

func (b bench) runTLC(ctx context.Context, m benchModel) measured {
	r, err := tlc.Check(ctx, tlc.Request{Command: b.tlc, Dir: m.dir, Module: m.module, Config: m.config, Workers: b.workers, Timeout: b.bound})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return measured{failed: "stopped after " + b.bound.String()}
	case err != nil:
		return measured{failed: lastLine(err.Error())}
	case r.Verdict != tlc.VerdictOK:
		return measured{failed: fmt.Sprintf("verdict %s: %s", r.Verdict, lastLine(r.Text))}
	}
	return measured{generated: int64(r.Generated), distinct: int64(r.Distinct), seconds: r.Duration.Seconds(), peak: r.PeakMemory}
}

// The npm package, and the program that calls it: specification and configuration in, its JSON out.
const (
	nodePackage = "tla-checker@0.9.0"
	nodeDriver  = `import { readFileSync } from "node:fs";
import { initSync, check_spec_with_cfg } from "tla-checker";
const wasm = new URL("./node_modules/tla-checker/tla_checker_bg.wasm", import.meta.url);
initSync({ module: readFileSync(wasm) });
const [spec, config] = process.argv.slice(2).map((name) => readFileSync(name, "utf8"));
console.log(check_spec_with_cfg(spec, config, "{}", 4294967295, 1000000, true, false));
`
)

// installNode puts the package into a folder, unless it is there, and gives the program that calls it. No script of the package is run.
func installNode(ctx context.Context, folder string) (driver string, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	driver = filepath.Join(folder, "driver.mjs")
	if err := os.WriteFile(driver, []byte(nodeDriver), 0o600); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", nodePackage)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w: %s", nodePackage, err, lastLine(string(out)))
	}
	return driver, nil
}

func (b bench) runNode(ctx context.Context, driver string, m benchModel) measured {
	out, got := b.process(ctx, filepath.Dir(driver), nil, "node", driver, filepath.Join(m.dir, m.module+".tla"), filepath.Join(m.dir, m.config))
	if got.failed != "" {
		return got
	}
	var r struct {
		Success bool   `json:"success"`
		Error   string `json:"error_message"`
		States  int64  `json:"states_explored"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		got.failed = "its output is not JSON: " + err.Error()
	} else if !r.Success {
		got.failed = "it fails: " + r.Error
	}
	got.generated, got.distinct = -1, r.States
	return got
}
