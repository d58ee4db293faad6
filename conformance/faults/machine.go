package faults

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"podlife/runtime/boot"
	"podlife/runtime/container"
	"podlife/runtime/container/simprograms"
	"podlife/runtime/engine/simulated"
	"podlife/runtime/pod"
)

// IdleTimeout is that of every server here.
const IdleTimeout = 30 * time.Minute

// BootTimeout is the time limit of one boot.
const BootTimeout = 2 * time.Minute

const (
	instance = "faults"
	image    = "image"
)

// Machine is what a crash of the server leaves: the engine with its containers, and the store. Servers live on it one after the other.
type Machine struct {
	Engine   *simulated.Engine
	Programs *simprograms.Programs
	Store    pod.Store
	Clock    pod.Clock
	Idle     time.Duration // after which a pod that nobody uses sleeps
	Limit    time.Duration // of one boot
	Truth    *Truth

	talk  atomic.Pointer[talk] // what every boot says before it begins
	log   *errorLog
	lives int
}

// NewMachine gives one. store nil is one in memory, which keeps the real one's promises; clock nil is the system's. Close must be called when no server lives on it any more.
func NewMachine(store pod.Store, clock pod.Clock) *Machine {
	if store == nil {
		store = &MemoryStore{records: map[pod.ID]pod.Record{}}
	}
	if clock == nil {
		clock = pod.SystemClock{}
	}
	m := &Machine{Programs: simprograms.New(), Store: store, Clock: clock, Idle: IdleTimeout, Limit: BootTimeout, log: &errorLog{}}
	m.Engine = simulated.New(simulated.Options{Lookup: m.lookup, Images: []string{image}})
	m.Truth = newTruth(m)
	return m
}

// talk is output of a boot: so often the same bytes.
type talk struct {
	bytes []byte
	times int
}

// Talk makes every later boot print something before it begins, as a script does that is chatty, or an image that is hostile.
func (m *Machine) Talk(bytes []byte, times int) { m.talk.Store(&talk{bytes, times}) }

func (m *Machine) lookup(argv []string) simulated.Program {
	program := m.Programs.Lookup(argv)
	said := m.talk.Load()
	if said == nil || program == nil || len(argv) < 3 || argv[2] != "boot" {
		return program
	}
	return func(ctx context.Context, p *simulated.Proc) int {
		for range said.times {
			if _, err := p.Stdout.Write(said.bytes); err != nil {
				return 1
			}
		}
		return program(ctx, p)
	}
}

// Close ends the engine.
func (m *Machine) Close() { m.Engine.Close() }

// Problems is everything that was found wrong so far.
func (m *Machine) Problems() []string { return append(m.Truth.Problems(), m.log.never()...) }

// TakeProblems gives what was found wrong since it was called last.
func (m *Machine) TakeProblems() []string { return append(m.Truth.TakeProblems(), m.log.take()...) }

// recipeOf gives one of two recipes. They differ in what can be seen in a container: the repository's folder.
func recipeOf(other bool) boot.Recipe {
	dir := "/root/first"
	if other {
		dir = "/root/other"
	}
	return boot.Recipe{Packages: []string{"tmux", "git"}, Repo: boot.Repo{URL: "file:///srv" + dir + ".git", Dir: dir}, UserScript: "true"}.WithDefaults()
}

// Life is one server on a machine, from its start to its death.
type Life struct {
	*pod.Manager
	Wire *Wire

	m        *Machine
	watching sync.WaitGroup
	stop     context.CancelFunc
	ended    sync.Once
}

// Start starts a server, with one of two recipes. The error is that of its recovery; End must be called in any case.
func (m *Machine) Start(tape *Tape, otherRecipe bool) (*Life, error) {
	m.lives++
	l := &Life{Wire: newWire(m, tape, m.lives), m: m}
	log := slog.New(slog.NewTextHandler(m.log, &slog.HandlerOptions{Level: slog.LevelError}))
	recipe := recipeOf(otherRecipe)
	containers, err := container.New(container.Options{
		Engine: l.Wire, Instance: instance, NamePrefix: "faults", Image: image, AgentPath: "/agent", Recipe: recipe, BootTimeout: m.Limit, Logger: log,
	})
	if err != nil {
		panic(err) // constants
	}
	m.Truth.starts(recipe)
	l.Manager = pod.NewManager(pod.Options{
		Containers: containers, Store: storeWire{l.Wire, m.Store}, Clock: m.Clock, Logger: log, IdleTimeout: m.Idle, OnStep: l.onStep,
	})
	living, stop := context.WithCancel(context.Background())
	l.stop = stop
	if err := l.Recover(living); err != nil {
		return l, err
	}
	l.watching.Go(func() { l.Run(living) })
	return l, nil
}

// onStep is called under the pod's lock.
func (l *Life) onStep(s pod.Step) {
	if l.Wire.dead.Load() {
		return // of a server that is dead and does not know it
	}
	l.m.Truth.step(s)
	l.Wire.moment("step " + s.Action)
}

// End is the server's death, if it is not dead yet, and waits until nothing of it runs.
func (l *Life) End() {
	l.ended.Do(func() {
		l.Wire.Cut()
		l.stop()
		l.watching.Wait()
		l.Close()
	})
}

// MemoryStore keeps records in memory, and refuses what the real store refuses.
type MemoryStore struct {
	mu      sync.Mutex // guards the following
	records map[pod.ID]pod.Record
}

// Load gives all records.
func (s *MemoryStore) Load(context.Context) ([]pod.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []pod.Record
	for _, r := range s.records {
		all = append(all, r)
	}
	return all, nil
}

// Save keeps one.
func (s *MemoryStore) Save(ctx context.Context, r pod.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[r.Pod].Inc > r.Inc {
		return pod.ErrOlderRecord
	}
	s.records[r.Pod] = r
	return nil
}

// errorLog keeps what the server must never say.
type errorLog struct {
	mu   sync.Mutex // guards the following
	said []string
}

var _ io.Writer = (*errorLog)(nil)

// Write takes one record.
func (l *errorLog) Write(record []byte) (int, error) {
	for _, never := range []string{"the table refused an action", "has no explanation", "cannot take it"} {
		if strings.Contains(string(record), never) {
			l.mu.Lock()
			if len(l.said) < maxProblems {
				l.said = append(l.said, "the log says: "+strings.TrimSpace(string(record)))
			}
			l.mu.Unlock()
		}
	}
	return len(record), nil
}

func (l *errorLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.said
	l.said = nil
	return taken
}

func (l *errorLog) never() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.said...)
}
