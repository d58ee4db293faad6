package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"podlife/conformance/faults/failpoint"
	"podlife/conformance/harness"
	"podlife/model"
	"podlife/model/podruntime"
)

// Every point of the server's has a killing, and each just one.
func TestEveryFailpointHasItsKilling(t *testing.T) {
	var have []failpoint.Point
	for _, k := range Killings() {
		for _, p := range k.Points {
			if slices.Contains(have, p) {
				t.Errorf("two killings have the point %q", p)
			}
			have = append(have, p)
		}
	}
	for _, p := range failpoint.Points() {
		if !slices.Contains(have, p) {
			t.Errorf("no killing has the server die at %q", p)
		}
	}
	if len(have) != len(failpoint.Points()) {
		t.Errorf("the killings have %d points, and the server %d", len(have), len(failpoint.Points()))
	}
}

// chains are how many servers of each setting die at the same time.
func chains() map[Setting]int { return map[Setting]int{Plain: 2, Gated: 1, Sleepy: 1} }

// deaths is what the chains have to do, and what they have done.
type deaths struct {
	all  bool   // every passing, and a second death at every passing of a recovery
	only string // a part of a killing's name, or of a point's

	mu      sync.Mutex // guards the following
	first   map[failpoint.Point]int
	second  map[failpoint.Point]int
	unmet   int // passings of a rehearsal that were not met again
	explain int // committed steps
	slowest time.Duration
}

func newDeaths() *deaths {
	return &deaths{
		all: os.Getenv("PODLIFE_FAILPOINTS") == "all", only: os.Getenv("PODLIFE_FAILPOINT"), first: map[failpoint.Point]int{}, second: map[failpoint.Point]int{},
	}
}

// job is one killing at one of its points, or with none, at everything that is passed besides them.
type job struct {
	Killing
	at Passing
}

func (d *deaths) jobs(s Setting) <-chan job {
	var jobs []job
	for _, k := range Killings() {
		if k.Setting != s {
			continue
		}
		for _, p := range k.Points {
			if strings.Contains(k.Name+", "+string(p), d.only) {
				jobs = append(jobs, job{k, Passing{p, 1}})
			}
		}
		if d.all && s != Sleepy && strings.Contains(k.Name, d.only) { // who rehearses a sleep has to wait for it, and passes nothing more
			jobs = append(jobs, job{Killing: k})
		}
	}
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	return queue
}

// The real server on the real engine, ended by SIGKILL at every point at which an action is stored or committed, and before and after each kind of call of the engine.
func TestAServerOnDockerThatDiesAtAnyPointIsSurvived(t *testing.T) {
	harness.NeedDocker(t)
	t.Parallel()
	program := program.Path(t)
	began, d := time.Now(), newDeaths()
	var busy sync.WaitGroup
	for setting, n := range chains() {
		queue := d.jobs(setting)
		for range n {
			dir := t.TempDir()
			busy.Go(func() {
				if err := d.chain(t.Context(), dir, program, setting, queue); err != nil {
					t.Errorf("%s: %v", setting, err)
				}
			})
		}
	}
	busy.Wait()
	for _, p := range failpoint.Points() {
		if d.first[p] == 0 && d.only == "" {
			t.Errorf("no server has died at %q", p)
		}
	}
	if d.all && d.only == "" && len(d.second) < len(failpoint.Points())/10 {
		t.Errorf("second deaths at %d points only", len(d.second))
	}
	defer func() {
		leave(t, "docker", "deaths", began, sum(d.first)+sum(d.second), map[string]int{"the server dies": sum(d.first), "it dies again while it recovers": sum(d.second)})
	}()
	t.Logf("%d of %d points, %d deaths, %d second ones at %d points (%d passings were not met again), %d committed steps explained, in order within %s of each start, %s in all",
		len(d.first), len(failpoint.Points()), sum(d.first), sum(d.second), len(d.second), d.unmet, d.explain, d.slowest.Round(time.Millisecond), time.Since(began).Round(time.Second))
}

func sum(n map[failpoint.Point]int) (all int) {
	for _, m := range n {
		all += m
	}
	return all
}

// chain is one pod, and its servers. An error ends it.
func (d *deaths) chain(ctx context.Context, dir, program string, s Setting, queue <-chan job) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := NewChain(ctx, dir, program, s, nil)
	if err != nil {
		return err
	}
	defer func() {
		if list, lerr := c.World.Containers(context.Background(), c.User.Name); err == nil && (lerr != nil || len(list) > 0) {
			err = fmt.Errorf("%d containers are left: %w", len(list), lerr)
		}
		err = errors.Join(err, c.World.Close())
	}()
	for j := range queue {
		if err := d.do(ctx, c, j); err != nil {
			return fmt.Errorf("%s: %w\n%s", j.Name, err, c.World.Log()[max(0, len(c.World.Log())-3000):])
		}
	}
	steps, err := c.Explained()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.explain += steps
	d.slowest = max(d.slowest, c.Slowest)
	if err == nil && steps == 0 && c.Deaths > 0 {
		err = errors.New("no step was committed")
	}
	return err
}

func (d *deaths) do(ctx context.Context, c *Chain, j job) error {
	if j.at.Nth > 0 {
		return d.die(ctx, c, j, j.at)
	}
	rehearsing, done := context.WithTimeout(ctx, time.Minute)
	defer done()
	all, err := j.Rehearse(rehearsing, c)
	if err != nil {
		return fmt.Errorf("rehearsed: %w", err)
	}
	for _, p := range all {
		if p.Nth == 1 && slices.Contains(j.Points, p.Point) {
			continue
		}
		err := d.once(ctx, c, j, p, Passing{}, nil)
		if errors.Is(err, ErrNotReached) { // the order in which the engine tells of what happens is its own
			d.mu.Lock()
			d.unmet++
			d.mu.Unlock()
			err = c.abandon(ctx)
		}
		if err != nil {
			return fmt.Errorf("at %s: %w", p, err)
		}
	}
	return nil
}

// die is a death, and where all are asked for, the same once more with a second one at each passing of the recovery.
func (d *deaths) die(ctx context.Context, c *Chain, j job, at Passing) error {
	var recovery []Passing
	if err := d.once(ctx, c, j, at, Passing{}, &recovery); err != nil {
		return fmt.Errorf("at %s: %w", at, err)
	}
	if !d.all {
		return nil
	}
	for _, again := range recovery {
		err := d.once(ctx, c, j, at, again, nil)
		if errors.Is(err, ErrNotReached) {
			d.mu.Lock()
			d.unmet++
			d.mu.Unlock()
			err = c.abandon(ctx)
		}
		if err != nil {
			return fmt.Errorf("at %s, and again at %s: %w", at, again, err)
		}
	}
	return nil
}

func (d *deaths) once(ctx context.Context, c *Chain, j job, at, again Passing, recovery *[]Passing) error {
	ctx, done := context.WithTimeout(ctx, time.Minute)
	defer done()
	passed, err := j.Die(ctx, c, at, again)
	if err != nil {
		return err
	}
	if recovery != nil {
		*recovery = passed
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first[at.Point]++
	if again.Nth > 0 {
		d.second[again.Point]++
	}
	return nil
}

// TestWhatIsStoredHasAPointBefore holds Saves against the table: what changes the record of a pod is stored before it is committed.
func TestWhatIsStoredHasAPointBefore(t *testing.T) {
	sys, err := podruntime.System(podruntime.Constants{MaxInc: 2, MaxCrashes: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	stores := map[string]bool{}
	_, err = model.Explore(t.Context(), sys, model.Options[podruntime.State]{Took: nil, Found: func(_ int, s podruntime.State, _ int) {
		for _, step := range sys.Steps {
			if step.Enabled(s) && step.Effect(s).Pod().Store != s.Pod().Store {
				stores[step.Name] = true
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, want := slices.Sorted(maps.Keys(stores)), slices.Sorted(slices.Values(failpoint.Saves()))
	if !slices.Equal(got, want) {
		t.Errorf("the table stores in %q, points before a save are of %q", got, want)
	}
}
