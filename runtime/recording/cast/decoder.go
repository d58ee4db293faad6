package cast

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// MaxLine bounds a line of a file, in bytes.
const MaxLine = 4 << 20

// maxTime bounds the time of an event.
const maxTime = 10 * 365 * 24 * time.Hour

// Error says what is wrong with a file, and in which line. It wraps io.ErrUnexpectedEOF where the file ends in the middle of a line, as that of a server does that was killed, and the reader's error where there was one.
type Error struct {
	Line    int // 1 is the header
	Problem string
	Err     error
}

// Error gives line and problem.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Unwrap gives the cause, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// header3 is the first line of a file of version 3.
type header3 struct {
	Version   int      `json:"version"`
	Term      *term3   `json:"term"`
	Timestamp *float64 `json:"timestamp,omitempty"`
	Title     string   `json:"title,omitempty"`
}

type term3 struct {
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	Type string `json:"type,omitempty"`
}

// header2 is what a file of version 2 has besides.
type header2 struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	Env    struct {
		Term string `json:"TERM"`
	} `json:"env"`
}

// Decoder reads a recording. It is not safe for use by several goroutines at once.
type Decoder struct {
	r      *bufio.Reader
	header Header
	line   int
	at     time.Duration
	err    error
}

// NewDecoder reads the header. *Error.
func NewDecoder(r io.Reader) (*Decoder, error) {
	d := &Decoder{r: bufio.NewReaderSize(r, 64<<10)}
	b, whole, err := d.read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, d.fail("the file is empty", err)
	case err != nil:
		return nil, err
	}
	if d.header, err = readHeader(b); err != nil {
		if !whole && !json.Valid(b) {
			return nil, d.cut()
		}
		return nil, d.fail("no header of an asciicast file: "+err.Error(), nil)
	}
	return d, nil
}

// Header says what the recording is.
func (d *Decoder) Header() Header { return d.header }

// Next gives the next event; io.EOF after the last, or *Error. After an error it gives the same again.
func (d *Decoder) Next() (Event, error) {
	for d.err == nil {
		b, whole, err := d.read()
		if err != nil {
			d.err = err
			break
		}
		if b = bytes.TrimSpace(b); len(b) == 0 || b[0] == '#' {
			continue
		}
		e, err := d.event(b)
		switch {
		case err == nil:
			return e, nil
		case !whole && !json.Valid(b):
			d.err = d.cut()
		default:
			d.err = d.fail(err.Error(), nil)
		}
	}
	return Event{}, d.err
}

func (d *Decoder) fail(problem string, err error) error { return &Error{d.line, problem, err} }

func (d *Decoder) cut() error {
	return d.fail("the file ends in the middle of this line: it was cut off", io.ErrUnexpectedEOF)
}

// read gives the next line, without its end; whole says that it has one.
func (d *Decoder) read() (line []byte, whole bool, err error) {
	d.line++
	for {
		part, err := d.r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, false, d.fail(fmt.Sprintf("longer than %d bytes", MaxLine), nil)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], true, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, false, nil
		case errors.Is(err, io.EOF):
			return nil, false, io.EOF
		default:
			return nil, false, d.fail(err.Error(), err)
		}
	}
}

func readHeader(b []byte) (Header, error) {
	var three header3
	if err := json.Unmarshal(b, &three); err != nil {
		return Header{}, errors.New(problem(err))
	}
	h := Header{Version: three.Version, Title: three.Title}
	if t := three.Timestamp; t != nil && *t > 0 && *t < 1e11 {
		h.Time = time.Unix(int64(*t), 0)
	}
	switch three.Version {
	case 3:
		if three.Term == nil {
			return h, errors.New("there is no term")
		}
		h.Cols, h.Rows, h.Term = three.Term.Cols, three.Term.Rows, three.Term.Type
	case 2:
		var two header2
		if err := json.Unmarshal(b, &two); err != nil {
			return h, errors.New(problem(err))
		}
		h.Cols, h.Rows, h.Term = two.Width, two.Height, two.Env.Term
	case 0:
		return h, errors.New("it says no version")
	default:
		return h, fmt.Errorf("version %d is not known, only 2 and 3", three.Version)
	}
	if h.Cols < 1 || h.Cols > maxSide || h.Rows < 1 || h.Rows > maxSide {
		return h, fmt.Errorf("a terminal of %d columns and %d rows", h.Cols, h.Rows)
	}
	return h, nil
}

// event reads an event's line.
func (d *Decoder) event(b []byte) (Event, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return Event{}, errors.New("no event: " + problem(err))
	}
	if len(parts) != 3 {
		return Event{}, fmt.Errorf("no event, which is [time, code, data]: it has %d parts", len(parts))
	}
	var seconds float64
	var e Event
	for i, into := range []any{&seconds, &e.Code, &e.Data} {
		if err := json.Unmarshal(parts[i], into); err != nil || string(parts[i]) == "null" {
			return Event{}, fmt.Errorf("no event: its %s cannot be read", [...]string{"time", "code", "data"}[i])
		}
	}
	if seconds < 0 || seconds > maxTime.Seconds() {
		return Event{}, fmt.Errorf("the time %v is out of bounds", seconds)
	}
	at := time.Duration(math.Round(seconds*1e6)) * time.Microsecond
	if d.header.Version == 3 {
		at += d.at
	}
	if at > maxTime {
		return Event{}, errors.New("the recording is longer than ten years")
	}
	if e.Code == Resize {
		if _, _, err := ParseSize(e.Data); err != nil {
			return Event{}, err
		}
	}
	d.at = max(d.at, at)
	e.At = d.at
	return e, nil
}

// problem is what a person reads of an error of package json.
func problem(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not JSON (at byte %d)", syntax.Offset)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("its %s is a %s", kind.Field, kind.Value)
	}
	return "it is JSON of another kind"
}
