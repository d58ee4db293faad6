package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"podlife/runtime/engine"
)

// namePrefix begins the names of every harness's containers. Behind it come the test process's number and start time, so that those of a process that is gone can be told from those of one
// that runs beside this one, and a number for each server of the process.
const namePrefix = "plconf"

// runs numbers the servers of this process. It only grows, and nothing depends on which number a server gets.
var runs atomic.Int64

func newRun() (string, error) {
	start, err := startTime(os.Getpid())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s-%d-%s-%d", namePrefix, os.Getpid(), start, runs.Add(1)), nil
}

// startTime is field 22 of /proc/PID/stat: a number can be given to another process, with its start time it cannot.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", fmt.Errorf("/proc/%d/stat has another form", pid)
	}
	return fields[19], nil
}

// removeAbandoned removes the containers and volumes of test processes that are gone.
func removeAbandoned(ctx context.Context, e engine.Engine) error {
	return removeNamed(ctx, e, func(name string) bool {
		f := strings.Split(name, "-")
		if len(f) < 5 || f[0] != namePrefix {
			return false
		}
		pid, err := strconv.Atoi(f[1])
		if err != nil {
			return false
		}
		start, err := startTime(pid)
		if err != nil {
			return errors.Is(err, os.ErrNotExist)
		}
		return start != f[2]
	})
}

// removeRun removes the containers and volumes of one run.
func removeRun(ctx context.Context, e engine.Engine, run string) error {
	return removeNamed(ctx, e, func(name string) bool { return strings.HasPrefix(name, run+"-") })
}

// removeNamed removes containers by their names, and then volumes, which may be homes of theirs.
func removeNamed(ctx context.Context, e engine.Engine, is func(name string) bool) error {
	list, err := e.List(ctx, nil)
	if err != nil {
		return err
	}
	var failed error
	for _, c := range list {
		if is(strings.TrimPrefix(c.Name, "/")) {
			failed = errors.Join(failed, e.Remove(ctx, c.ID))
		}
	}
	volumes, err := e.Volumes(ctx, nil)
	failed = errors.Join(failed, err)
	for _, v := range volumes {
		if is(v.Name) {
			failed = errors.Join(failed, e.RemoveVolume(ctx, v.Name))
		}
	}
	return failed
}
