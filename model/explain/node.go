package explain

import (
	"encoding/binary"
	"slices"
	"strings"

	"podlife/model/podruntime"
)

// node is one state in which the pod can be. A node that was made does not change: what it has is shared with those that come after it.
type node struct {
	pod  podruntime.Pod
	tabs []tab // by name
	// loose says that the trace began with a recovery, and the engine may have had containers of the pod that no step has named yet.
	loose bool
	path  *path // with Options.Path
}

// tab is a client that is not as every client is at first.
type tab struct {
	name  string
	state podruntime.Client
	last  int // when it acted, in recorded steps; not part of the state
}

// path is how a state was reached, newest first.
type path struct {
	before   *path
	step     Step
	hidden   bool
	recorded int
	pod      podruntime.Pod
	tabs     []tab
}

// find gives the index of a client, or -1.
func (n *node) find(client string) int {
	i, found := slices.BinarySearchFunc(n.tabs, client, func(t tab, name string) int { return strings.Compare(t.name, name) })
	if !found {
		return -1
	}
	return i
}

func (n *node) client(name string) podruntime.Client {
	if i := n.find(name); i >= 0 {
		return n.tabs[i].state
	}
	return podruntime.Client{}
}

// set gives the clients with another state of one.
func (n *node) set(name string, state podruntime.Client, at int, keep bool) []tab {
	i, found := slices.BinarySearchFunc(n.tabs, name, func(t tab, name string) int { return strings.Compare(t.name, name) })
	gone := !keep && asAtFirst(state)
	switch {
	case !found && gone:
		return n.tabs
	case found && gone:
		return append(slices.Clone(n.tabs[:i]), n.tabs[i+1:]...)
	case found:
		tabs := slices.Clone(n.tabs)
		tabs[i] = tab{name, state, at}
		return tabs
	}
	tabs := make([]tab, 0, len(n.tabs)+1)
	tabs = append(append(tabs, n.tabs[:i]...), tab{name, state, at})
	return append(tabs, n.tabs[i:]...)
}

// asAtFirst holds of an idle client without a terminal: which incarnations it was in once decides nothing.
func asAtFirst(c podruntime.Client) bool {
	return c.Phase == (podruntime.Client{}).Phase && c.Term == (podruntime.Term{})
}

func (n *node) local(a *action, client string, inc int) podruntime.Local {
	l := podruntime.Local{Pod: n.pod, N: inc}
	if a.client {
		l.Client = n.client(client)
	}
	if a.tabs {
		l.Tabs = make([]podruntime.Client, len(n.tabs))
		for i := range n.tabs {
			l.Tabs[i] = n.tabs[i].state
		}
	}
	return l
}

// take takes an action in a state; false where the table refuses it.
func (c *Checker) take(n *node, a *action, client string, inc int, hidden bool) (node, bool) {
	l := n.local(a, client, inc)
	if !a.Enabled(l) {
		return node{}, false
	}
	after := a.Effect(l)
	next := node{pod: after.Pod, tabs: n.tabs, loose: n.loose}
	switch {
	case a.client && (after.Client != l.Client || c.o.Path):
		next.tabs = n.set(client, after.Client, c.count, c.o.Path)
	case a.forgets && c.o.Path:
		next.tabs = slices.Clone(n.tabs)
		for i := range next.tabs {
			next.tabs[i].state = podruntime.Client{}
		}
	case a.forgets:
		next.tabs = nil
	}
	if a.forgets || a.Name == podruntime.CreateContainer || a.Name == podruntime.DestroyAnswered {
		next.loose = false
	}
	c.follow(&next, n, Step{Action: a.Name, Client: client, N: inc}, hidden)
	return next, true
}

// follow keeps how a state was reached, where that is asked for.
func (c *Checker) follow(next, before *node, s Step, hidden bool) {
	if !c.o.Path {
		return
	}
	next.path = &path{before.path, s, hidden, c.count, next.pod, next.tabs}
	if before.path == nil {
		next.path.before = &path{recorded: -1, pod: before.pod, tabs: before.tabs}
	}
}

func (n *node) clients() map[string]podruntime.Client {
	clients := make(map[string]podruntime.Client, len(n.tabs))
	for _, t := range n.tabs {
		clients[t.name] = t.state
	}
	return clients
}

func (n *node) view() podruntime.View { return podruntime.ViewOf(n.pod, n.clients()) }

// key is the state as bytes: equal exactly for equal states.
func (n *node) key(to []byte) []byte {
	to = podKey(n.pod, to)
	for _, t := range n.tabs {
		s := t.state
		to = append(binary.AppendUvarint(to, uint64(len(t.name))), t.name...)
		to = append(to, byte(s.Phase), byte(s.Term.At))
		to = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(to, int64(s.BootInc)), int64(s.AttInc)), int64(s.Term.Inc))
	}
	return append(to, bit(n.loose))
}

func podKey(p podruntime.Pod, to []byte) []byte {
	to = append(to, byte(p.Ctr), byte(p.Why), bit(p.Store.Awake))
	for _, v := range [...]int{p.Inc, p.Store.Inc, p.Settled, p.Crashes, len(p.Incs)} {
		to = binary.AppendVarint(to, int64(v))
	}
	for _, i := range p.Incs {
		to = binary.AppendVarint(to, int64(i.N))
		to = append(to, byte(i.Run), byte(i.Tear), byte(i.Box.Box), byte(i.Box.Setup), byte(i.Box.Marker), byte(i.Box.Script), bit(i.Done), i.Woken)
	}
	return to
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// set collects states, each once.
type set struct {
	nodes []node
	seen  map[string]bool // made with the second state
	key   []byte
	// alike says that the clients of all these states are the same, or will not be asked for, so that the pod tells them apart.
	alike bool
}

func (s *set) add(n node) {
	if len(s.nodes) == 0 {
		s.nodes = append(s.nodes, n)
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{string(s.keyOf(&s.nodes[0])): true}
	}
	s.key = s.keyOf(&n)
	if !s.seen[string(s.key)] {
		s.seen[string(s.key)] = true
		s.nodes = append(s.nodes, n)
	}
}

func (s *set) keyOf(n *node) []byte {
	if s.alike {
		return podKey(n.pod, s.key[:0])
	}
	return n.key(s.key[:0])
}
