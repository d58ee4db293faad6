package host

import (
	"time"

	"podlife/runtime/host/frame"
)

const (
	// streamRate is how fast somebody's output may come, in bytes a second, before it is told in larger pieces than it comes in.
	streamRate = 4 << 20
	// streamBurst is how much may come at once, in bytes, before that: what a person reads line by line is told at once, and a screenful too.
	streamBurst = 32 << 10
	// streamRest is how long output that streams is then gathered. At 30 MB/s it makes one piece of 30 KiB out of eight of a terminal's 4 KiB, each of which would pass through five processes.
	streamRest = time.Millisecond
)

// pace measures how fast somebody's output comes: a bucket that what is told fills, and that runs empty at streamRate. The zero value is empty.
type pace struct {
	level int // bytes, never more than 2 * streamBurst, so that it is forgotten within some 20 ms
	at    time.Time
}

// streams counts n bytes that are told now, and reports whether so much has been that the next are to be gathered.
func (p *pace) streams(n int, now time.Time) bool {
	ran := max(0, now.Sub(p.at))
	p.at = now
	if ran >= time.Second { // also of the zero value: it is empty, and the product below would not fit
		p.level = 0
	}
	p.level = max(0, p.level-int(ran.Seconds()*streamRate))
	p.level = min(p.level+n, 2*streamBurst)
	return p.level >= streamBurst
}

// carried is how much output a message has, in bytes.
func carried(m frame.Message) int {
	switch m := m.(type) {
	case *frame.Output:
		return len(m.Data)
	case *frame.Errors:
		return len(m.Data)
	}
	return 0
}

// told marks who has just been told something again, behind all others. Output that streams, and of which that was all there was, is left alone for streamRest: whatever comes meanwhile is told together.
func (c *conn) told(l *looker, m frame.Message) {
	n := carried(m)
	c.mu.Lock()
	if n > 0 && l.pace.streams(n, time.Now()) && n < frame.MaxData {
		l.resting = true
		time.AfterFunc(streamRest, func() { c.rested(l) })
	}
	c.mu.Unlock()
	c.mark(l)
}

// rested ends a rest.
func (c *conn) rested(l *looker) {
	c.mu.Lock()
	l.resting = false
	due := l.due
	l.due = false
	c.mu.Unlock()
	if due {
		c.mark(l)
	}
}
