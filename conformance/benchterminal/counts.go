package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"podlife/runtime/engine"
)

// memory is what a process has in memory, in MB.
func memory(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	return resident(string(b))
}

// resident reads VmRSS out of /proc/PID/status.
func resident(status string) (float64, error) {
	for line := range strings.Lines(status) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" && f[2] == "kB" {
			kb, err := strconv.ParseFloat(f[1], 64)
			return kb * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("no VmRSS in %d bytes of status", len(status))
}

// goroutines asks the server how many it has.
func goroutines(ctx context.Context, url, token string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	// A connection that is kept would be one more of the server's descriptors.
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("metrics: %s", resp.Status)
	}
	return metric(io.LimitReader(resp.Body, 4<<20), "go_goroutines")
}

// metric finds a number by its name in the text of Prometheus.
func metric(r io.Reader, name string) (int, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			n, err := strconv.ParseFloat(value, 64)
			return int(n), err
		}
	}
	return 0, fmt.Errorf("no %s in the metrics: %w", name, lines.Err())
}

// programs lists the names of what runs in a container, the process that looks left out.
func programs(ctx context.Context, e engine.Engine, id engine.ID) ([]string, error) {
	const look = `for p in /proc/[0-9]*; do [ "$p" = "/proc/$$" ] || { read -r name <"$p/comm"; echo "$name"; }; done 2>/dev/null; :`
	p, err := e.Exec(ctx, id, engine.ExecSpec{Command: []string{"/bin/sh", "-c", look}})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	b, err := io.ReadAll(io.LimitReader(p, 1<<20))
	if err != nil {
		return nil, err
	}
	if code, err := p.Wait(ctx); err != nil || code != 0 {
		return nil, fmt.Errorf("looking at the processes: exit code %d, %w", code, err)
	}
	all := strings.Fields(string(b))
	slices.Sort(all)
	return all, nil
}
