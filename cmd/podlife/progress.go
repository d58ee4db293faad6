package main

import (
	"fmt"
	"io"
	"time"

	"podlife/runtime/client"
)

// progress tells a boot's steps, a line for each beginning and end.
type progress struct {
	w       io.Writer
	verbose bool // the script's output too
	now     func() time.Time

	step    string
	started time.Time
	partial bool // the output's last line is still open
}

// event tells one thing. It is for one goroutine.
func (p *progress) event(e client.Event) {
	if e.Step == "" {
		p.log(e.Log)
		return
	}
	p.closeLine()
	detail := ""
	if e.Detail != "" {
		detail = ": " + printable(e.Detail)
	}
	if e.Status == "started" {
		p.step, p.started = e.Step, p.now()
		p.say("%s ...%s", e.Step, detail)
		return
	}
	took := ""
	if p.step == e.Step && e.Status != "skipped" {
		took = fmt.Sprintf(" after %.1f s", p.now().Sub(p.started).Seconds())
	}
	p.say("%s %s%s%s", e.Step, e.Status, took, detail)
}

func (p *progress) say(format string, args ...any) {
	fmt.Fprintln(p.w, "  "+printable(fmt.Sprintf(format, args...)))
}

func (p *progress) log(s string) {
	if !p.verbose || s == "" {
		return
	}
	fmt.Fprint(p.w, printable(s))
	p.partial = s[len(s)-1] != '\n'
}

func (p *progress) closeLine() {
	if p.partial {
		fmt.Fprintln(p.w)
		p.partial = false
	}
}
