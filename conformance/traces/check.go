package traces

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podlife/conformance/tab"
	"podlife/model/podlifecycle"
	"podlife/runtime/client"
	"podlife/runtime/container"
	"podlife/runtime/engine"
)

// awaitEvents waits for the actions that have to be committed, and takes every one that was committed through the table, in the order of the log.
func (d *drive) awaitEvents(ctx context.Context, st Step, rec *Record) error {
	want := st.Commits()
	var events []client.ActionEvent
	err := d.poll(ctx, func() error {
		page, err := d.user.Client.Events(ctx, d.seq)
		if err != nil {
			return err
		}
		events = page.Events
		if len(events) < want {
			return fmt.Errorf("committed %s, want %s", eventsString(events), groupsString(st.Groups))
		}
		return nil
	})
	if err != nil {
		return err
	}
	rec.Events = events
	now := d.model.clone()
	for _, e := range events {
		if e.Seq != d.seq+1 {
			return fmt.Errorf("event %d follows event %d", e.Seq, d.seq)
		}
		c, err := commitOf(e, len(now.Tabs))
		if err != nil {
			return err
		}
		if err := now.take(d.Table, c); err != nil {
			return fmt.Errorf("the server committed what the table does not allow, %s in %s: %w", c, now, err)
		}
		if e.Incarnation != now.Pod.Inc {
			return fmt.Errorf("the server committed %s in incarnation %d, in the table it is %d", c, e.Incarnation, now.Pod.Inc)
		}
		if broken := now.broken(d.Table); len(broken) > 0 {
			return fmt.Errorf("%s broke %s", c, strings.Join(broken, ", "))
		}
		d.seq = e.Seq
		rec.States = append(rec.States, now.View())
	}
	return matchGroups(st.Groups, events, len(now.Tabs))
}

// commitOf reads an event as an action of the table.
func commitOf(e client.ActionEvent, tabs int) (Commit, error) {
	c := Commit{Action: e.Action, Tab: NoTab, Cause: e.Cause}
	switch len(e.Args) {
	case 0:
		return c, nil
	case 1:
		for i := range tabs {
			if TabName(i) == e.Args[0] {
				c.Tab = i
				return c, nil
			}
		}
	}
	return c, fmt.Errorf("event %d is %s%v, which is of no tab here", e.Seq, e.Action, e.Args)
}

// matchGroups holds the events against the groups: those of one group in any order, the groups one after the other, and none besides.
func matchGroups(groups [][]Commit, events []client.ActionEvent, tabs int) error {
	rest := events
	for _, g := range groups {
		left := slices.Clone(g)
		for range g {
			if len(rest) == 0 {
				return fmt.Errorf("committed %s, want %s", eventsString(events), groupsString(groups))
			}
			c, err := commitOf(rest[0], tabs)
			if err != nil {
				return err
			}
			at := slices.Index(left, c)
			if at < 0 {
				return fmt.Errorf("committed %s, want %s", eventsString(events), groupsString(groups))
			}
			left, rest = slices.Delete(left, at, at+1), rest[1:]
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("committed %s, want %s", eventsString(events), groupsString(groups))
	}
	return nil
}

// settle waits for what tabs have to be told: boots are answered, terminals get their shell or lose it.
func (d *drive) settle(ctx context.Context, st Step) error {
	for i, t := range d.tabs {
		before, after := d.model.Tabs[i], st.After.Tabs[i]
		if before.Phase == podlifecycle.Booting && after.Phase != podlifecycle.Booting {
			if err := d.answered(ctx, t, after.Phase != podlifecycle.Idle, st.After.Pod.Inc); err != nil {
				return err
			}
		}
		if t.sock == nil || before.Socket == after.Socket {
			continue
		}
		if err := d.told(ctx, t, after.Socket, st); err != nil {
			return err
		}
	}
	return nil
}

// answered waits for the answers of the tab's boots.
func (d *drive) answered(ctx context.Context, t *driven, ready bool, inc int) error {
	ctx, cancel := d.patience(ctx)
	defer cancel()
	for _, b := range t.boots {
		select {
		case <-b.done:
		case <-ctx.Done():
			return fmt.Errorf("the boot of %s is not answered: %w", t.name, ctx.Err())
		}
		if ready {
			if err := b.succeeded(t.name, inc); err != nil {
				return err
			}
		} else if client.CodeOf(b.err) != client.CodeBootLost {
			return fmt.Errorf("the boot of %s was answered (%+v, %v), want %s", t.name, b.result, b.err, client.CodeBootLost)
		}
	}
	t.boots = nil
	return nil
}

// told waits until the tab's terminal is where it has to be.
func (d *drive) told(ctx context.Context, t *driven, want SocketState, st Step) error {
	ctx, cancel := d.patience(ctx)
	defer cancel()
	switch want {
	case OnShell:
		seen, err := t.sock.AwaitAttached(ctx)
		if err == nil && seen.Attached != st.After.Pod.Inc {
			err = fmt.Errorf("the terminal of %s is %s, want a shell of incarnation %d", t.name, seen, st.After.Pod.Inc)
		}
		return err
	case OnWord:
		words := []string{"asleep"}
		if st.Op.Kind == Destroy {
			words = append(words, "destroyed")
		}
		_, err := t.sock.Await(ctx, "to be told "+strings.Join(words, " or "), func(n tab.Seen) bool { return slices.Contains(words, n.Last().State) })
		return err
	}
	return nil
}

// compare holds the model against everything that can be looked at.
func (d *drive) compare(ctx context.Context, st Step) error {
	if err := d.compareAPI(ctx); err != nil {
		return err
	}
	list, err := d.compareEngine(ctx, st)
	if err != nil {
		return err
	}
	touched := st.Commits() > 0 || st.Op.Kind == Wipe || st.Answer == Shell
	if d.EveryLook || touched {
		if err := d.compareInside(ctx, list); err != nil {
			return err
		}
	}
	for i, t := range d.tabs {
		if d.model.Tabs[i].Socket != OnShell {
			continue
		}
		if err := d.probe(ctx, i, t.sock); err != nil {
			return err
		}
	}
	return nil
}

// compareAPI asks the server where the pod is. Only the number of terminals may lag behind: a socket that was just closed is noticed a little later.
func (d *drive) compareAPI(ctx context.Context) error {
	var fatal error
	err := d.poll(ctx, func() error {
		got, err := d.user.Client.Status(ctx)
		if err != nil {
			return err
		}
		if got.State != d.model.Pod.Ctr.String() || got.Incarnation != d.model.Pod.Inc {
			fatal = fmt.Errorf("the API says %s, incarnation %d; the model is %s", got.State, got.Incarnation, d.model)
			return nil
		}
		if want := d.model.terminals(); got.Terminals != want {
			return fmt.Errorf("the API says %d terminals, want %d", got.Terminals, want)
		}
		return nil
	})
	return errors.Join(fatal, err)
}

// compareEngine asks the engine. A container that is being made, or taken away after it died, may take its time; after a destroy and for a ready pod there is no excuse.
func (d *drive) compareEngine(ctx context.Context, st Step) (list []engine.Container, err error) {
	look := func() (err error) {
		if list, err = d.World.Containers(ctx, d.user.Name); err != nil {
			return err
		}
		return d.rightContainers(list)
	}
	if st.Op.Kind == Destroy || d.model.Pod.Ctr == podlifecycle.Ready {
		err = look()
	} else {
		err = d.poll(ctx, look)
	}
	return list, err
}

func (d *drive) rightContainers(list []engine.Container) error {
	switch {
	case d.model.Pod.Ctr == podlifecycle.Asleep && len(list) > 0:
		return fmt.Errorf("the pod sleeps, and the engine has %s", containers(list))
	case d.model.Pod.Ctr == podlifecycle.Asleep, d.model.Pod.Ctr == podlifecycle.Provisioning && len(list) == 0:
		return nil // not made yet
	case len(list) != 1 || incarnationOf(list[0]) != d.model.Pod.Inc:
		return fmt.Errorf("the pod is %s, and the engine has %s", d.model, containers(list))
	case d.model.Pod.Ctr == podlifecycle.Ready && list[0].State != engine.Running:
		return fmt.Errorf("the pod is %s, and its container is %s", d.model, list[0].State)
	}
	return nil
}

func incarnationOf(c engine.Container) int {
	n, err := strconv.Atoi(c.Labels[container.LabelIncarnation])
	if err != nil {
		return -1
	}
	return n
}

func containers(list []engine.Container) string {
	if len(list) == 0 {
		return "no container"
	}
	var words []string
	for _, c := range list {
		words = append(words, fmt.Sprintf("%s (incarnation %d, %s)", c.Name, incarnationOf(c), c.State))
	}
	return strings.Join(words, ", ")
}

// compareInside looks into the container: ready means provisioned, and anything else that it is not.
func (d *drive) compareInside(ctx context.Context, list []engine.Container) error {
	if len(list) == 0 || list[0].State != engine.Running {
		return nil
	}
	in, err := d.World.Inside(ctx, list[0].ID)
	if err != nil {
		return err
	}
	d.Counts.looked()
	switch {
	case d.model.Pod.Ctr == podlifecycle.Ready && !d.model.Wiped:
		if !in.Provisioned() {
			return fmt.Errorf("the pod is %s, but inside the container: %s", d.model, in)
		}
		if in.Marker.Pod != d.user.Name || in.Marker.Incarnation != d.model.Pod.Inc {
			return fmt.Errorf("the pod is %s of %s, but inside the container: %s", d.model, d.user.Name, in)
		}
		d.head = in.Head
	case in.Provisioned():
		return fmt.Errorf("the pod is %s, but inside the container everything is there: %s", d.model, in)
	case in.Marker.Whole:
		return fmt.Errorf("the pod is %s, but inside the container is a whole marker: %s", d.model, in)
	}
	return nil
}

// probe types into a terminal. With a deleted setup the shell that was there before goes on, with the multiplexer, and more cannot be asked of it.
func (d *drive) probe(ctx context.Context, i int, s *tab.Socket) error {
	ctx, cancel := d.patience(ctx)
	defer cancel()
	sh, err := d.prober.Probe(ctx, s)
	if err != nil {
		return fmt.Errorf("the terminal of %s: %w", TabName(i), err)
	}
	d.Counts.typed(sh.Tries)
	if !sh.Provisioned(d.head) && (!d.model.Wiped || sh.Multiplexer == "") {
		return fmt.Errorf("%s is attached to a shell that is not provisioned: %s (the model is %s)", TabName(i), sh, d.model)
	}
	return nil
}

func groupsString(groups [][]Commit) string {
	var words []string
	for _, g := range groups {
		var inner []string
		for _, c := range g {
			inner = append(inner, fmt.Sprintf("%s[%s]", c, c.Cause))
		}
		w := strings.Join(inner, " and ")
		if len(inner) > 1 {
			w = "{" + w + "}"
		}
		words = append(words, w)
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

func eventsString(events []client.ActionEvent) string {
	var words []string
	for _, e := range events {
		args := ""
		if len(e.Args) > 0 {
			args = "(" + strings.Join(e.Args, ", ") + ")"
		}
		words = append(words, fmt.Sprintf("%s%s[%s]", e.Action, args, e.Cause))
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}
