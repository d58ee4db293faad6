package linear

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// API is what a tab does, as far as a history sees it. A test may put something wrong in between. Tabs are numbered from 0.
type API interface {
	Boot(ctx context.Context, tab int) Output
	Attach(ctx context.Context, tab int) (Terminal, Output) // nil where there is no shell
	Destroy(ctx context.Context) Output
	Look(ctx context.Context) Output
}

// Terminal is an open one. Close is Unknown where the server finds out at some time: such a history must not let the idle timeout pass, which is all that an open terminal decides.
type Terminal interface{ Close() Output }

// Target is a pod, and what can be done to its container without the server. The functions may be nil.
type Target struct {
	Pod    string
	API    API
	Kill   func(context.Context) Output
	Unmark func(context.Context) Output
}

// Server can be killed and started again; the containers go on.
type Server struct {
	Kill  func() error
	Start func(otherRecipe bool) error
	Other bool // some starts are with another recipe
}

// Drive makes a history: tabs that boot, attach, leave and destroy at once, while containers die, time passes and the server is killed. It judges nothing.
type Drive struct {
	Targets    []Target
	Tabs       int           // of each pod, at most MaxTabs
	Operations int           // of each tab
	Patience   time.Duration // for one operation; one that takes longer is an error, since the server should have answered it
	Leaves     int           // so many of 100 calls are left by their caller before the answer
	Stay       time.Duration // at most, before such a caller leaves
	Pause      time.Duration // at most, between two operations; 0 is none
	Disturb    int           // so often, at most, something happens to a container, the clock or the server
	Between    time.Duration // at most, between two of those; 0 where Each says when
	Each       int           // one of those after so many operations of all tabs, however fast they are
	Idle       func()        // lets the idle timeout pass for all pods; may be nil
	Server     *Server       // nil is never killed
	// Failures, if not nil, is given what is to be called when a script fails in an incarnation of a pod.
	Failures func(report func(pod string, inc int))
	// Stuck, if not nil, is called once, when an operation has run out of patience: to find out what the server is doing.
	Stuck func()
	Seed  uint64
}

// StuckError says that an operation had no answer though it was given all the time that there is.
type StuckError struct {
	Tab      string // of which pod and which tab
	Patience time.Duration
}

// Error names the tab.
func (e *StuckError) Error() string {
	return fmt.Sprintf("an operation of %s has no answer after %s", e.Tab, e.Patience)
}

// driven is a Drive under way.
type driven struct {
	Drive
	recorder
	lives
	stuck atomic.Pointer[StuckError]
	give  context.CancelFunc // gives the drive up
	over  chan struct{}      // closed when no tab has anything to do any more
	done  atomic.Int64       // operations
	due   chan struct{}      // has one for each disturbance that is due by Each
}

// Run lets the tabs of all pods do their operations at once, and gives the history. The error is of the test's own means (the server could not be killed or started), or a *StuckError: an operation was never answered, and the drive was given up.
func (d Drive) Run(ctx context.Context) ([]porcupine.Operation, error) {
	ctx, give := context.WithCancel(ctx)
	defer give()
	r := &driven{Drive: d, give: give, over: make(chan struct{}), due: make(chan struct{}, d.Disturb)}
	if d.Failures != nil {
		d.Failures(func(pod string, inc int) {
			r.add(worldThread, Input{Pod: pod, Kind: ScriptFails, Life: AnyLife}, Output{Word: Done, Inc: inc}, r.now())
		})
	}
	var err error
	var tabs, disturber sync.WaitGroup
	disturber.Go(func() { err = r.disturb(ctx) })
	for p, target := range d.Targets {
		for c := range d.Tabs {
			tabs.Go(func() {
				t := &tabbed{driven: r, target: target, c: c, dice: newDice(d.Seed, uint64(p*MaxTabs+c))}
				t.live(ctx)
			})
		}
	}
	tabs.Wait()
	close(r.over)
	disturber.Wait()
	clip(r.ops)
	if stuck := r.stuck.Load(); stuck != nil {
		err = errors.Join(stuck, err)
	}
	return r.ops, err
}

// tabbed is one tab's life.
type tabbed struct {
	*driven
	target Target
	c      int
	dice   *dice
	booted bool // its last boot or terminal was not in vain
	open   Terminal
	opened int // the server's life in which it was
}

// thread is the tab's row in a picture, and the one after it: the halves of a boot stand side by side.
func (t *tabbed) thread() int { return 2 * t.c }

// worldThread is the row of what no tab does.
const worldThread = 2 * MaxTabs

func (t *tabbed) input(kind Kind, life int) Input {
	return Input{Pod: t.target.Pod, Client: t.c, Kind: kind, Life: life}
}

// live does the tab's operations. Two tabs of a pod may destroy.
func (t *tabbed) live(ctx context.Context) {
	defer t.leaveTerminal()
	for range t.Operations {
		if ctx.Err() != nil {
			return
		}
		if t.Pause > 0 {
			time.Sleep(time.Duration(t.dice.below(int(t.Pause))))
		}
		patience := t.patience()
		bounded, cancel := context.WithTimeout(ctx, patience)
		switch n := t.dice.below(100); {
		case t.c < 2 && n < 20:
			t.destroy(bounded)
		case n < 30, n < 75 && !t.booted:
			t.boot(bounded)
		case n < 90:
			t.leaveTerminal()
			t.attach(bounded)
		default:
			t.look(bounded)
		}
		if patience == t.Patience && errors.Is(bounded.Err(), context.DeadlineExceeded) {
			t.giveUp()
		}
		cancel()
		t.did()
	}
}

// giveUp ends the drive: an operation of this tab is stuck.
func (t *tabbed) giveUp() {
	if !t.stuck.CompareAndSwap(nil, &StuckError{Tab: name(t.c) + " of " + t.target.Pod, Patience: t.Patience}) {
		return
	}
	if t.Stuck != nil {
		t.Stuck()
	}
	t.give()
}

// did counts an operation.
func (d *driven) did() {
	if n := d.done.Add(1); d.Each > 0 && n%int64(d.Each) == 0 {
		select {
		case d.due <- struct{}{}:
		default: // there are enough
		}
	}
}

func (t *tabbed) patience() time.Duration {
	if t.dice.below(100) < t.Leaves {
		return time.Duration(1 + t.dice.below(int(t.Stay)))
	}
	return t.Patience
}

// ask does one call to a living server. What it is told while that dies counts for nothing: nobody can have been told.
func (t *tabbed) ask(do func() Output) (out Output, life int, call, ret int64) {
	life = t.enter()
	call = t.now()
	out = do()
	ret = t.now()
	if t.leave() && out.Word != Unreachable {
		out = Output{Word: Unknown, Detail: "the server died"}
	}
	return out, life, call, ret
}

// told notes what was told of the pod beside an answer.
func (t *tabbed) told(out Output, life int, call, ret int64) {
	if out.Told != nil {
		t.at(t.thread()+1, t.input(Look, life), *out.Told, call, ret)
	}
}

func (t *tabbed) boot(ctx context.Context) {
	out, life, call, ret := t.ask(func() Output { return t.target.API.Boot(ctx, t.c) })
	t.booted = out.Word == Ready
	t.at(t.thread(), t.input(StartBoot, life), out, call, ret)
	switch out.Word {
	case Ready, Lost, BootFailed, Failed:
		t.at(t.thread()+1, t.input(EndBoot, life), out, call, ret)
	}
}

func (t *tabbed) destroy(ctx context.Context) {
	out, life, call, ret := t.ask(func() Output { return t.target.API.Destroy(ctx) })
	t.at(t.thread(), t.input(StartDestroy, life), out, call, ret)
	if out.Word == Done {
		t.at(t.thread()+1, t.input(EndDestroy, life), out, call, ret)
	}
	t.told(out, life, call, ret)
}

func (t *tabbed) attach(ctx context.Context) {
	var open Terminal
	out, life, call, ret := t.ask(func() (out Output) {
		open, out = t.target.API.Attach(ctx, t.c)
		return out
	})
	t.at(t.thread(), t.input(Attach, life), out, call, ret)
	t.told(out, life, call, ret)
	t.open, t.opened, t.booted = open, life, out.Word == Attached
}

func (t *tabbed) look(ctx context.Context) {
	out, life, call, ret := t.ask(func() Output { return t.target.API.Look(ctx) })
	if out.Word != Unknown { // a look that saw nothing says nothing
		t.at(t.thread(), t.input(Look, life), out, call, ret)
	}
}

// leaveTerminal closes the tab's terminal, if it has one. That nobody knows when the server finds out is not noted.
func (t *tabbed) leaveTerminal() {
	if t.open == nil {
		return
	}
	out, life, call, ret := t.ask(t.open.Close)
	t.open = nil
	if life == t.opened && out.Word != Unknown {
		t.at(t.thread(), t.input(Close, life), out, call, ret)
	}
}

// disturb does to the world what happens to it, until the tabs are done.
func (d *driven) disturb(ctx context.Context) error {
	dice := newDice(d.Seed, 1<<20)
	for range d.Disturb {
		if !d.awaitNext(dice) {
			return nil
		}
		target := d.Targets[dice.below(len(d.Targets))]
		switch n := dice.below(100); {
		case n < 40:
			d.toContainer(ctx, Kill, target, target.Kill)
		case n < 60:
			d.toContainer(ctx, Unmark, target, target.Unmark)
		case n < 80 && d.Idle != nil:
			d.idle()
		case n >= 80 && d.Server != nil:
			if err := d.crash(d.Server.Other && dice.below(2) == 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitNext waits until the next disturbance is due; false when the tabs are done before.
func (d *driven) awaitNext(dice *dice) bool {
	var after <-chan time.Time
	if d.Each == 0 {
		timer := time.NewTimer(time.Duration(1 + dice.below(int(d.Between))))
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-after:
		return true
	case <-d.due:
		return true
	case <-d.over:
		return false
	}
}

// toContainer is done in whatever life of the server there is: it has no part in it.
func (d *driven) toContainer(ctx context.Context, kind Kind, target Target, do func(context.Context) Output) {
	if do == nil {
		return
	}
	call := d.now()
	out := do(ctx)
	for try := 0; d.Each > 0 && out.Word == Nothing && try < waitTries; try++ {
		select {
		case <-time.After(waitPause):
		case <-d.over:
			return
		}
		call = d.now()
		out = do(ctx)
	}
	d.add(worldThread, Input{Pod: target.Pod, Kind: kind, Life: AnyLife}, out, call)
}

// So often, and with such pauses, is looked for a container to which something can be done, where operations say when that is due.
const (
	waitTries = 50
	waitPause = 40 * time.Millisecond
)

func (d *driven) idle() {
	life := d.enter()
	call := d.now()
	d.Idle()
	ret := d.now()
	d.leave()
	for _, t := range d.Targets {
		d.at(worldThread, Input{Pod: t.Pod, Kind: Idle, Life: life}, Output{Word: Done}, call, ret)
	}
}

func (d *driven) crash(other bool) error {
	call := d.now()
	life, err := d.die(d.Server.Kill)
	ret := d.now()
	for _, t := range d.Targets {
		d.at(worldThread, Input{Pod: t.Pod, Kind: Crash, Life: life, Other: other}, Output{Word: Done}, call, ret)
	}
	if err == nil {
		err = d.Server.Start(other)
	}
	d.revive()
	if err != nil {
		return fmt.Errorf("kill the server and start it again: %w", err)
	}
	return nil
}

// name is what a tab is called to the server.
func name(c int) string { return fmt.Sprintf("c%d", c+1) }

// left says whether a call ended because its caller left, or ran out of patience.
func left(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// sessions numbers terminals.
type sessions struct{ n atomic.Int64 }

func (s *sessions) next() string { return fmt.Sprintf("l%d", s.n.Add(1)) }
