package host

import (
	"errors"
	"strings"

	"podlife/runtime/host/frame"
	"podlife/runtime/host/session"
)

// open answers an Open: a viewer, whose first message is Opened, or why not.
func (c *conn) open(o *frame.Open, l *looker) {
	c.lets(o.Request, l, func() (*session.Viewer, error) { return c.look(o, l) })
}

// follow answers a Follow.
func (c *conn) follow(f *frame.Follow, l *looker) {
	c.lets(f.Request, l, func() (*session.Viewer, error) {
		if reason := c.host.config.Check(f.Want); reason != "" {
			return nil, &refusal{reason: reason}
		}
		s := c.host.tabs.of(f.Epoch)
		if s == nil {
			return nil, &refusal{reason: frame.NoTab, detail: "no such session runs, or is kept"}
		}
		return s.Open(session.Opening{Request: f.Request, Viewer: f.Viewer, Group: c, Epoch: f.Epoch, Have: f.Have, Follows: true, Wake: func() { c.mark(l) }}), nil
	})
}

// lets lets a viewer that was admitted into a session, or says why not.
func (c *conn) lets(request uint32, l *looker, in func() (*session.Viewer, error)) {
	v, err := in()
	if err != nil {
		c.drop(l)
		c.refuse(request, l.id, err)
		return
	}
	c.enter(l, v)
}

// enter lets one who was admitted talk.
func (c *conn) enter(l *looker, v talker) {
	c.mu.Lock()
	l.viewer = v
	left := l.left
	c.mu.Unlock()
	if left { // it was closed while it was opened
		v.Close()
		l.done()
		return
	}
	c.mark(l)
}

// admit gives a viewer its number and its place.
func (c *conn) admit(l *looker) error {
	done, ok := c.host.takeViewer()
	if !ok {
		return &refusal{reason: frame.TooManyViewers}
	}
	l.done = done
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lookers[l.id] != nil || c.ending {
		done()
		return &refusal{reason: frame.BadRequest, detail: "the viewer's number is in use"}
	}
	c.lookers[l.id] = l
	return nil
}

// look checks the request, and the marker, and lets the viewer into its session.
func (c *conn) look(o *frame.Open, l *looker) (*session.Viewer, error) {
	if err := validate(o); err != nil {
		return nil, err
	}
	if reason := c.host.config.Check(o.Want); reason != "" {
		return nil, &refusal{reason: reason}
	}
	s, started, err := c.host.tabs.find(c.ctx, o)
	if err != nil {
		return nil, err
	}
	return s.Open(session.Opening{
		Request: o.Request, Viewer: o.Viewer, Group: c, Cols: o.Cols, Rows: o.Rows, Epoch: o.Epoch, Have: o.Have, ReadOnly: o.ReadOnly, Started: started,
		Wake: func() { c.mark(l) },
	}), nil
}

func validate(o *frame.Open) error {
	switch {
	case !tabPattern.MatchString(o.Tab):
		return &refusal{reason: frame.BadRequest, detail: "not a tab's name"}
	case strings.ContainsRune(o.Dir, 0):
		return &refusal{reason: frame.BadRequest, detail: "not a folder's name"}
	}
	if len(o.Argv) > 0 {
		if err := validArgv(o.Argv); err != nil {
			return err
		}
	}
	return validEnv(o.Env)
}

func validEnv(env []string) error {
	for _, v := range env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.ContainsRune(v, 0) {
			return &refusal{reason: frame.BadRequest, detail: "not a variable"}
		}
	}
	return nil
}

// refuse says why not.
func (c *conn) refuse(request, viewer uint32, err error) {
	r := &refusal{reason: frame.Failed, detail: err.Error()}
	_ = errors.As(err, &r)
	c.say(&frame.Refused{Request: request, Viewer: viewer, Reason: r.reason, Code: uint16(r.code), Detail: strings.ToValidUTF8(r.detail[:min(len(r.detail), frame.MaxDetail)], "")})
}

// drop forgets a viewer that was not let in.
func (c *conn) drop(l *looker) {
	c.mu.Lock()
	if !l.left {
		l.left = true
		delete(c.lookers, l.id)
	}
	c.mu.Unlock()
	l.done()
}

// leave lets a viewer go. One that is being opened goes when that is done.
func (c *conn) leave(l *looker) {
	c.mu.Lock()
	gone := l.left
	l.left = true
	if !gone {
		delete(c.lookers, l.id)
	}
	v := l.viewer
	c.mu.Unlock()
	if !gone && v != nil {
		v.Close()
		l.done()
	}
}

// rename gives a tab's session another name.
func (c *conn) rename(m *frame.Rename) {
	err := error(&refusal{reason: frame.BadRequest, detail: "not a tab's name"})
	if tabPattern.MatchString(m.To) {
		err = c.host.tabs.rename(c.ctx, m.Tab, m.To)
	}
	if err != nil {
		c.refuse(m.Request, 0, err)
		return
	}
	c.say(&frame.Ended{Request: m.Request})
}

// end ends a tab's session and answers when its name is free again.
func (c *conn) end(m *frame.End) {
	if err := c.host.tabs.end(c.ctx, m.Tab); err != nil {
		c.say(&frame.Refused{Request: m.Request, Reason: frame.Failed, Detail: err.Error()})
		return
	}
	c.say(&frame.Ended{Request: m.Request})
}
