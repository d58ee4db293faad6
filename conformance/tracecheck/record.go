// Package tracecheck reads and writes the steps that a server took, and has model/explain judge them.
//
// A trace is a file of JSON lines, a step on each, as GET /api/steps has them; or the same with all states of the specification, in the
// Informal Trace Format, which other tools read.
//
// It imports model/explain and model/podruntime, and of tla the packages itf and value. Read record.go first, then check.go.
package tracecheck

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"podlife/model/explain"
)

// Bounds of what is read.
const (
	MaxLine    = 16 << 10 // bytes of a line
	MaxRecords = 1_000_000
)

// Record is one committed step of one pod, in the order in which steps took effect. All but Action may be left out in a file.
type Record struct {
	Seq         int64     `json:"seq,omitempty"` // from 1 on since the server started, without gaps; 0 is not told
	Time        time.Time `json:"time,omitzero"`
	Pod         string    `json:"pod,omitempty"`
	Action      string    `json:"action"`            // the specification's name
	Client      string    `json:"client,omitempty"`  // its parameter c
	Inc         int       `json:"n,omitempty"`       // its parameter n
	Outside     string    `json:"outside,omitempty"` // the action of PodLifecycle that the outside sees; empty when it sees nothing
	Incarnation int       `json:"incarnation"`       // the pod's, after the step; 0 before it was ever woken, or not told
	Cause       string    `json:"cause,omitempty"`   // why the server took it
}

// Step is what is checked of a record.
func (r Record) Step() explain.Step {
	return explain.Step{Action: r.Action, Client: r.Client, N: r.Inc, Incarnation: r.Incarnation}
}

// A LineError says what is wrong with a file of steps, and where.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Write writes a line for each record.
func Write(w io.Writer, records []Record) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Read reads a trace of one pod, in either form. What is wrong with a file is a [*LineError], or where it is no file of lines, of package itf.
func Read(r io.Reader) ([]Record, error) {
	in := bufio.NewReaderSize(r, MaxLine)
	if start, _ := in.Peek(MaxLine); isITF(start) {
		return readITF(in)
	}
	var records []Record
	valid := explain.New(explain.Options{})
	for line := 1; ; line++ {
		text, err := in.ReadSlice('\n')
		last := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, &LineError{line, fmt.Errorf("it has more than %d bytes", MaxLine)}
		case err != nil && !last:
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			record, err := parse(text, records, valid)
			if err != nil {
				return nil, &LineError{line, err}
			}
			records = append(records, record)
		}
		if last {
			return records, nil
		}
	}
}

// parse reads one line, which comes after others.
func parse(text []byte, before []Record, valid *explain.Checker) (Record, error) {
	var r Record
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("it is not the JSON object of a step: %w", err)
	}
	if d.InputOffset() < int64(len(text)) {
		return r, errors.New("there is something behind the JSON object")
	}
	if err := valid.Valid(r.Step()); err != nil {
		return r, err
	}
	switch {
	case len(before) >= MaxRecords:
		return r, fmt.Errorf("it has more than %d steps", MaxRecords)
	case r.Seq < 0:
		return r, errors.New("seq is a number from 1 on")
	case len(before) > 0 && before[0].Pod != r.Pod:
		return r, fmt.Errorf("a trace is of one pod: it begins with %.40q, and this is %.40q", before[0].Pod, r.Pod)
	}
	return r, nil
}
