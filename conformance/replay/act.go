package replay

// This file plays single steps: what each action of the specification means for a tab or for the world (act), what the server's state is then (look), and which invariants do not hold of what is
// really there (broken). An action that is added to the specification gets its case in act.
//
// It touches the server by its public API alone, in the pod of one user: boots, terminals under names of its own, and a destroy for Sleep. Everything else that a test may reach, the gate of the
// boot script and a look into the container, comes in by Options and is nil for `podlife replay`.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"podlife/conformance/tab"
	"podlife/model"
	"podlife/model/podlifecycle"
	"podlife/model/trace"
	"podlife/runtime/client"
)

type stepOfTrace = trace.Step[podlifecycle.View]

// player is a trace being played.
type player struct {
	o      Options
	base   int    // the incarnation before the first step, by which the server's numbers are ahead of the trace's
	run    string // makes the tabs' names new to the server
	tabs   map[string]*player1
	report Report
	lost   bool // a step of the design with the bug was played: from there on the server goes another way, and is right to
}

// player1 is one tab.
type player1 struct {
	name string
	boot *boot
	sock *tab.Socket
	// What the tab knows: the phase of the specification, as it looks from here.
	phase   podlifecycle.Phase
	bootInc int // of the trace's counting
	attInc  int
}

// boot is one POST /api/boot under way.
type boot struct {
	cancel   context.CancelFunc
	progress chan struct{} // closed at the first progress
	done     chan struct{} // closed after the following are written
	result   client.Result
	err      error
}

// step plays one step and reports it.
func (p *player) step(ctx context.Context, i int) error {
	s := p.o.Trace.Steps[i]
	r := Step{Number: i, Action: actionString(s), Expected: viewString(s.State), Broke: []string{}}
	if i > 0 {
		if unguardedOnly(s.Action) {
			p.lost = true
		}
		if err := p.act(ctx, s); err != nil {
			return err
		}
	}
	state, err := p.look(ctx)
	if err != nil {
		return err
	}
	r.Seen = viewString(state)
	r.Differs = r.Seen != r.Expected && !p.ahead(state, s.State)
	if p.lost && !p.report.Guarded {
		r.Differs = false // that is the point of it
	}
	broke, words, err := p.broken(ctx, state)
	if err != nil {
		return err
	}
	r.Broke = append(r.Broke, broke...)
	if words != "" {
		r.Seen += "; " + words
	}
	p.report.Steps = append(p.report.Steps, r)
	if p.o.Each != nil {
		p.o.Each(r)
	}
	return nil
}

// ahead says that the only difference is a boot that is done already, though its tab has not been told: the trace has FinishBoot later.
func (p *player) ahead(seen, expected podlifecycle.View) bool {
	if seen.Ctr != podlifecycle.Ready || expected.Ctr != podlifecycle.Provisioning {
		return false
	}
	for _, t := range p.tabs {
		if t.phase == podlifecycle.Booting && t.bootInc == seen.Inc {
			seen.Ctr = expected.Ctr
			return viewString(seen) == viewString(expected)
		}
	}
	return false
}

// act does what the action means for a tab, or for the world.
func (p *player) act(ctx context.Context, s stepOfTrace) error {
	if s.Action == podlifecycle.Sleep {
		_, err := p.o.Client.Destroy(ctx)
		return err
	}
	t := p.tabs[s.Args[0]]
	switch s.Action {
	case podlifecycle.StartBoot:
		return p.startBoot(ctx, t)
	case podlifecycle.FinishBoot:
		return p.finishBoot(ctx, t, true)
	case podlifecycle.BootLost:
		return p.finishBoot(ctx, t, false)
	case podlifecycle.AttachReady, podlifecycle.AttachGuarded:
		return p.connect(ctx, t, true)
	case podlifecycle.AttachWakesFresh, podlifecycle.AttachAwakeNotReady:
		// What a tab does that believes: it connects its terminal, and takes what comes.
		return p.connect(ctx, t, false)
	case podlifecycle.Reconnect:
		return p.reconnect(ctx, t)
	}
	return fmt.Errorf("no way to play %s", s.Action)
}

func (p *player) name(t *player1) string { return "replay-" + p.run + "-" + t.name }

// startBoot posts a boot and waits until the server knows of it.
func (p *player) startBoot(ctx context.Context, t *player1) error {
	booting, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.o.BootPatience)
	b := &boot{cancel: cancel, progress: make(chan struct{}), done: make(chan struct{})}
	t.boot = b
	go func() { // ends with the call; leave waits for it
		defer close(b.done)
		first := true
		b.result, b.err = p.o.Client.Boot(booting, p.name(t), func(client.Event) {
			if first {
				close(b.progress)
				first = false
			}
		})
	}()
	ctx, stop := context.WithTimeout(ctx, p.o.Patience)
	defer stop()
	t.phase = podlifecycle.Booting
	select {
	case <-b.progress:
	case <-b.done:
		// Where nothing is to be done the answer comes at once; the trace's next step takes it.
		if !answer(b.err) {
			return b.err
		}
	case <-ctx.Done():
		return fmt.Errorf("the boot of %s: no answer and no progress: %w", t.name, ctx.Err())
	}
	status, err := p.o.Client.Status(ctx)
	t.bootInc = status.Incarnation - p.base
	return err
}

// answer says whether the server has answered, yes or no.
func answer(err error) bool {
	var problem *client.Problem
	return err == nil || errors.As(err, &problem) && problem.Code != "" && problem.Status != 401
}

// finishBoot waits for the boot's answer. One that is to be lost is not helped to its end.
func (p *player) finishBoot(ctx context.Context, t *player1, open bool) error {
	if t.boot == nil {
		return nil // it differs already
	}
	if open && p.o.Gate != nil {
		if err := p.o.Gate(ctx); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(ctx, p.o.BootPatience)
	defer stop()
	select {
	case <-t.boot.done:
	case <-ctx.Done():
		return fmt.Errorf("the boot of %s is not answered: %w", t.name, ctx.Err())
	}
	b := t.boot
	t.boot = nil
	b.cancel()
	switch {
	case b.err == nil:
		t.phase, t.bootInc = podlifecycle.Believes, b.result.Incarnation-p.base
	case answer(b.err):
		t.phase = podlifecycle.Idle
	default:
		return b.err
	}
	return nil
}

// connect opens the tab's terminal. Strictly, it is refused where it has to be; else it goes back through boot, and this waits until it shows a shell.
func (p *player) connect(ctx context.Context, t *player1, strictly bool) error {
	if t.sock != nil {
		t.sock.Close()
	}
	s, err := tab.Open(ctx, p.o.Client, client.Hello{Client: p.name(t), Tab: t.name, Cols: 200, Rows: 50, NoBoot: strictly})
	if err != nil {
		t.sock = nil
		return err
	}
	t.sock = s
	ctx, stop := context.WithTimeout(ctx, p.o.BootPatience)
	defer stop()
	seen, err := s.Await(ctx, "the terminal to be decided", func(n tab.Seen) bool {
		return n.Attached > 0 || n.Closed != nil || n.Last().State == "failed" || n.Last().State == "booting" && p.o.Gate != nil
	})
	if err == nil && seen.Last().State == "booting" && seen.Attached == 0 {
		if err = p.o.Gate(ctx); err == nil {
			seen, err = s.AwaitAttached(ctx)
		}
	}
	if err != nil {
		return err
	}
	t.heard(seen, p.base)
	return nil
}

// heard notes what the terminal was told.
func (t *player1) heard(seen tab.Seen, base int) {
	for _, s := range seen.States {
		if s.State == "ready" {
			t.bootInc = s.Incarnation - base
		}
	}
	switch {
	case seen.Attached > 0:
		t.phase, t.attInc = podlifecycle.Attached, seen.Attached-base
	case seen.Closed != nil && seen.Closed.Code == client.CloseNotReady:
		t.phase = podlifecycle.Idle
	case t.phase == podlifecycle.Attached:
		t.phase = podlifecycle.Believes
	}
}

// reconnect waits until the tab has noticed that its terminal is dead.
func (p *player) reconnect(ctx context.Context, t *player1) error {
	if t.sock == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, p.o.Patience)
	defer stop()
	_, err := t.sock.Await(ctx, "to lose the shell", func(n tab.Seen) bool { return n.Attached == 0 || n.Closed != nil })
	var late *tab.TimeoutError
	if errors.As(err, &late) {
		return nil // it goes on showing a shell: the next look reports what that is
	}
	t.heard(t.sock.Seen(), p.base)
	return err
}

// look gives the state of the specification as it looks from outside.
func (p *player) look(ctx context.Context) (podlifecycle.View, error) {
	status, err := p.o.Client.Status(ctx)
	if err != nil {
		return podlifecycle.View{}, err
	}
	v := podlifecycle.View{Inc: status.Incarnation - p.base, Client: map[string]podlifecycle.Client{}}
	if err := v.Ctr.UnmarshalText([]byte(status.State)); err != nil {
		return v, err
	}
	for name, t := range p.tabs {
		v.Client[name] = podlifecycle.Client{Phase: t.phase, BootInc: t.bootInc, AttInc: t.attInc}
	}
	return v, nil
}

// broken says which invariants do not hold of what is seen, with "ready" replaced by what is really there: behind an attached terminal by typing, inside the container by looking.
func (p *player) broken(ctx context.Context, v podlifecycle.View) (broke []string, words string, err error) {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(p.tabs)) {
		t := p.tabs[name]
		if t.phase != podlifecycle.Attached || t.sock == nil || v.Ctr == podlifecycle.Asleep || t.attInc != v.Inc {
			continue
		}
		shell, err := p.probe(ctx, t)
		if err != nil {
			return nil, "", err
		}
		p.report.Shells[name] = Shell{Incarnation: t.attInc, Provisioned: shell.Provisioned(""), Words: shell.String()}
		said = append(said, name+"'s shell: "+shell.String())
		if !shell.Provisioned("") {
			broke = append(broke, podlifecycle.NoAttachWithoutShellSetup)
		}
	}
	if v.Ctr == podlifecycle.Asleep || p.o.Inside == nil {
		return slices.Compact(broke), strings.Join(said, "; "), nil
	}
	believing := podlifecycle.Local{Pod: podlifecycle.Pod{Ctr: v.Ctr, Inc: v.Inc}}
	for _, t := range p.tabs {
		believing.Client = podlifecycle.Client{Phase: t.phase, BootInc: t.bootInc, AttInc: t.attInc}
		if !antecedent(podlifecycle.BootIdempotent, believing) {
			continue
		}
		truth, err := p.o.Inside(ctx)
		if err != nil {
			return nil, "", err
		}
		said = append(said, "inside the container: "+truth.Words)
		if !truth.Provisioned {
			broke = append(broke, podlifecycle.BootIdempotent)
		}
		break
	}
	slices.Sort(broke)
	return slices.Compact(broke), strings.Join(said, "; "), nil
}

func (p *player) probe(ctx context.Context, t *player1) (tab.Shell, error) {
	ctx, stop := context.WithTimeout(ctx, p.o.Patience)
	defer stop()
	return p.o.Prober.Probe(ctx, t.sock)
}

// antecedent says whether an invariant has anything to say of a state.
func antecedent(invariant string, l podlifecycle.Local) bool {
	for _, inv := range podlifecycle.Table(podlifecycle.Constants{GuardedAttach: true}).Invariants {
		if inv.Name == invariant {
			return inv.Antecedent(l)
		}
	}
	return false
}

// end sums the steps up.
func (p *player) end(table model.Table[podlifecycle.Local]) {
	for _, inv := range table.Invariants {
		if slices.ContainsFunc(p.report.Steps, func(s Step) bool { return slices.Contains(s.Broke, inv.Name) }) {
			p.report.Broke = append(p.report.Broke, inv.Name)
		}
	}
	p.report.EndsProvisioned = true
	for name, t := range p.tabs {
		if t.phase != podlifecycle.Attached || p.report.Shells[name].Incarnation != t.attInc {
			delete(p.report.Shells, name) // of a shell that is gone by now
			continue
		}
		p.report.EndsProvisioned = p.report.EndsProvisioned && p.report.Shells[name].Provisioned
	}
}

func actionString(s stepOfTrace) string {
	switch {
	case s.Action == "":
		return "(start)"
	case len(s.Args) == 0:
		return s.Action
	}
	return s.Action + "(" + strings.Join(s.Args, ", ") + ")"
}

// viewString is a state in one line: the container and its incarnation, then each tab that does anything.
func viewString(v podlifecycle.View) string {
	words := []string{fmt.Sprintf("%s %d", v.Ctr, v.Inc)}
	for _, name := range slices.Sorted(maps.Keys(v.Client)) {
		c := v.Client[name]
		w := name + " " + c.Phase.String()
		switch c.Phase {
		case podlifecycle.Booting, podlifecycle.Believes:
			w += fmt.Sprintf(" (boot %d)", c.BootInc)
		case podlifecycle.Attached:
			w += fmt.Sprintf(" to %d", c.AttInc)
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}
