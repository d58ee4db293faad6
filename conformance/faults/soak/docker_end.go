package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"podlife/conformance/faults"
	"podlife/conformance/tracecheck"
	"podlife/model/explain"
	"podlife/runtime/engine"
)

// pause freezes the container of a pod that is ready and has nothing to do, looks at what a terminal is told, and lets it go on. A container that is paused while the engine starts a process in it
// can be wedged by the engine itself, so nobody may be at it.
func (u *dockerUser) pause(ctx context.Context) {
	u.leave()
	if err := u.quiet(ctx); err != nil {
		return // somebody has taken the container away, or the storm is over
	}
	list, err := u.o.world.Containers(ctx, u.Name)
	if err != nil || len(list) != 1 || list[0].State != engine.Running || u.o.world.Pause(ctx, list[0].ID) != nil {
		return
	}
	u.o.tally.fault("pause")
	paused, done := context.WithTimeout(ctx, 3*time.Second)
	u.terminal(paused, "c1")
	done()
	// Also when the storm is over, and whether or not it is still there.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), dockerCall)
	defer cancel()
	_ = u.o.world.Unpause(ending, list[0].ID)
}

// quiet waits until a pod is ready and has nothing to do.
func (u *dockerUser) quiet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for calm := 0; calm < 3; {
		st, err := u.Client.Status(ctx)
		if err != nil {
			return err
		}
		if calm++; st.State != "ready" || len(st.KeptAwakeBy) > 0 {
			calm = 0
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// has is what the server's process has.
type has struct{ goroutines, descriptors, processes int }

// slack is by how much a server may have more than right after its start: connections that it keeps for the next call, and their two goroutines each.
const slack = 24

// serverHas counts, while nobody is connected.
func (s *onDocker) serverHas(ctx context.Context) (h has, err error) {
	for _, u := range s.users {
		u.Client.CloseIdleConnections()
	}
	if h.descriptors, err = faults.Descriptors(s.world.PID()); err != nil {
		return h, err
	}
	if h.processes, err = faults.Children(s.world.PID()); err != nil {
		return h, err
	}
	h.goroutines, err = s.metric(ctx, "go_goroutines")
	return h, err
}

// metric asks the server for one of its numbers.
func (s *onDocker) metric(ctx context.Context, name string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.world.URL()+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.users[0].Token)
	t := &http.Transport{DisableKeepAlives: true}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			f, err := strconv.ParseFloat(value, 64)
			return int(f), err
		}
	}
	return 0, errors.Join(lines.Err(), fmt.Errorf("%s does not tell %s: %s", req.URL, name, resp.Status))
}

// last destroys every pod, and counts what is left then, in the engine and in the server's process.
func (s *onDocker) last(fresh has) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	containers := 0
	for _, u := range s.users {
		u.leave()
		if _, err := u.Client.Destroy(ctx); err != nil {
			s.tally.fail("pod %s: the last destroy: %v", u.Name, err)
		}
		list, err := s.world.Containers(ctx, u.Name)
		if err != nil {
			return err
		}
		containers += len(list)
	}
	s.tally.left(leftContainers, 0, containers)
	var now has
	var err error
	for deadline := time.Now().Add(90 * time.Second); ; { // that long it waits for those who have vanished
		if now, err = s.serverHas(ctx); err != nil {
			return err
		}
		if now.goroutines <= fresh.goroutines+slack && now.descriptors <= fresh.descriptors+slack || time.Now().After(deadline) {
			break
		}
		time.Sleep(time.Second) // what the server does is polled for
	}
	s.tally.left("the server's goroutines, with slack", fresh.goroutines+slack, now.goroutines)
	s.tally.left("the server's descriptors, with slack", fresh.descriptors+slack, now.descriptors)
	s.tally.left("the server's processes", fresh.processes, now.processes)
	return nil
}

// explained holds the steps of each pod, over all servers, against the specification.
func (s *onDocker) explained() error {
	if s.points == "" {
		return nil
	}
	all, err := s.points.Steps()
	if err != nil {
		return err
	}
	of, actions := map[string][]tracecheck.Record{}, map[string]int{}
	for _, r := range all {
		of[r.Pod] = append(of[r.Pod], r)
		actions[r.Action]++
	}
	s.tally.actions(actions)
	for _, u := range s.users {
		answer, err := tracecheck.Check(context.Background(), explain.Options{}, of[u.Name])
		if err != nil {
			return err
		}
		if answer.Verdict != explain.Explained || answer.Violated() {
			s.tally.fail("pod %s: the committed steps are no behaviour of PodRuntime: %s", u.Name, answer)
		}
		s.tally.checkedTimes("committed step explained", answer.Explained)
	}
	return nil
}
