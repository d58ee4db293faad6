package agent

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"podlife/runtime/boot"
)

// events writes a boot's events as lines; several goroutines may. After the first write that failed it writes nothing more, since nobody reads.
type events struct {
	mu sync.Mutex // guards the following
	w  *bufio.Writer
	ok bool
}

func newEvents(w io.Writer) *events { return &events{w: bufio.NewWriter(w), ok: true} }

func (e *events) send(list ...boot.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ok || len(list) == 0 {
		return
	}
	enc := json.NewEncoder(e.w)
	enc.SetEscapeHTML(false)
	for _, event := range list {
		if enc.Encode(event) != nil {
			e.ok = false
			return
		}
	}
	e.ok = e.w.Flush() == nil
}

// steps follows what the script says on its third descriptor.
type steps struct {
	running string // the step that began last
	failed  string // the step that failed
	already bool
}

// line takes one line of the script's and gives the event to tell, if it is one of a step that exists.
func (s *steps) line(text string) (boot.Event, bool) {
	f := strings.SplitN(strings.TrimSpace(text), " ", 4)
	if f[0] == "already" {
		s.already = true
		return boot.Event{}, false
	}
	if len(f) < 3 || f[0] != "step" || !slices.Contains(boot.Steps(), f[1]) {
		return boot.Event{}, false
	}
	event := boot.Event{Step: f[1], Status: f[2]}
	if len(f) == 4 {
		event.Detail = strings.ToValidUTF8(f[3], "?")
	}
	switch f[2] {
	case "started":
		s.running = f[1]
	case "failed":
		s.failed = f[1]
		if _, err := strconv.Atoi(event.Detail); err == nil {
			event.Detail = "exit code " + event.Detail
		}
	case "done", "skipped":
		s.running = ""
	default:
		return boot.Event{}, false
	}
	return event, true
}

// read tells the steps until the script's descriptor closes.
func (s *steps) read(r io.Reader, tell func(...boot.Event)) {
	br := bufio.NewReaderSize(r, 4<<10)
	for {
		text, err := br.ReadSlice('\n')
		if event, ok := s.line(string(text)); ok && err == nil {
			tell(event)
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

// readLog tells what the script and its programs print, scrubbed, until they all are done or r is given up.
func readLog(r io.Reader, scrub *boot.Scrubber, tell func(...boot.Event)) {
	var texts boot.Texts
	logs := func(pieces []string) {
		var list []boot.Event
		for _, p := range pieces {
			list = append(list, boot.Event{Log: p})
		}
		tell(list...)
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		logs(texts.Next(scrub.Next(buf[:n])))
		if err != nil {
			logs(texts.Next(scrub.End()))
			logs(texts.End())
			return
		}
	}
}
