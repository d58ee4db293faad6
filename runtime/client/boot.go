package client

// This file is POST /api/boot with its progress: it asks for the answer as server-sent events and hands them over, up to the last one, which is the result or the problem.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// maxEventLine bounds one line of an event stream: 8 KiB of log, each byte escaped as six, and room to spare.
const maxEventLine = 256 << 10

// Event is one thing a boot has to say: that a step began or ended, or a piece of its output. Exactly one of Step and Log is set.
type Event struct {
	Step   string // the step's name
	Status string // started, done, skipped, failed
	Detail string // one line for people, may be empty
	Log    string // output of the script: hostile text, never to be interpreted
}

// Boot boots the caller's pod and returns once it is ready. clientID names the caller as a tab would be named ([A-Za-z0-9_-]{1,64}; empty lets the server choose). onEvent, if not nil, gets the
// progress in order, on this goroutine. Errors: *Problem (boot_failed with step, exit code and log tail; boot_lost; too_many_boots; ...), *Unreachable, *Interrupted, *ProtocolError.
func (c *Client) Boot(ctx context.Context, clientID string, onEvent func(Event)) (Result, error) {
	const op = "boot"
	body := map[string]string{}
	if clientID != "" {
		body["client"] = clientID
	}
	var conn connected
	req, err := c.request(conn.watch(ctx), op, http.MethodPost, c.at("/api/boot"), body)
	if err != nil {
		return Result{}, err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.http.Do(req)
	if err != nil {
		return Result{}, conn.failed(op, c.BaseURL(), err)
	}
	defer resp.Body.Close()
	mt, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode/100 == 2 && mt == "text/event-stream" {
		return readBoot(resp.Body, resp.StatusCode, onEvent)
	}
	b, err := readBody(op, resp)
	if err != nil {
		return Result{}, err
	}
	if resp.StatusCode/100 != 2 {
		return Result{}, problemFrom(op, resp.StatusCode, resp.Header.Get("Content-Type"), b)
	}
	return Result{}, &ProtocolError{Op: op, Detail: fmt.Sprintf("content type %q instead of text/event-stream", mt)}
}

// readBoot reads the stream of one boot up to its result or error.
func readBoot(body io.Reader, status int, onEvent func(Event)) (Result, error) {
	const op = "boot"
	if onEvent == nil {
		onEvent = func(Event) {}
	}
	s := newEventStream(body)
	for {
		name, data, err := s.next()
		if errors.Is(err, bufio.ErrTooLong) {
			return Result{}, &ProtocolError{Op: op, Detail: fmt.Sprintf("an event above %d bytes", maxEventLine)}
		}
		if err != nil {
			return Result{}, &Interrupted{Op: op, Err: err}
		}
		var bad error
		switch name {
		case "step":
			var m struct{ Step, Status, Detail string }
			if bad = json.Unmarshal(data, &m); bad == nil {
				onEvent(Event{Step: m.Step, Status: m.Status, Detail: m.Detail})
			}
		case "log":
			var m struct{ Data string }
			if bad = json.Unmarshal(data, &m); bad == nil {
				onEvent(Event{Log: m.Data})
			}
		case "result":
			var r Result
			if bad = json.Unmarshal(data, &r); bad == nil {
				return r, nil
			}
		case "error":
			p := &Problem{Status: status}
			if bad = json.Unmarshal(data, p); bad == nil {
				p.Op = op
				return Result{}, p
			}
		}
		if bad != nil {
			return Result{}, &ProtocolError{Op: op, Detail: fmt.Sprintf("event %q: %v", name, bad)}
		}
	}
}

// eventStream reads server-sent events: the fields `event` and `data`, joined over lines, ended by an empty line. Comments and other fields are skipped.
type eventStream struct{ sc *bufio.Scanner }

func newEventStream(r io.Reader) *eventStream {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 16<<10), maxEventLine)
	return &eventStream{sc: sc}
}

// next gives the next event that has data. io.ErrUnexpectedEOF when the stream ended, bufio.ErrTooLong for a line or an event above the bound.
func (s *eventStream) next() (name string, data []byte, err error) {
	for s.sc.Scan() {
		line := bytes.TrimSuffix(s.sc.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if data != nil {
				return name, data, nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
			if data == nil {
				data = []byte{}
			}
			if len(data) > maxEventLine {
				return "", nil, bufio.ErrTooLong
			}
		}
	}
	if err := s.sc.Err(); err != nil {
		return "", nil, err
	}
	return "", nil, io.ErrUnexpectedEOF
}
