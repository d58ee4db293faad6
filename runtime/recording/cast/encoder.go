package cast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// ErrFull says that a recording has reached its bound: the marker that says so is written, and nothing after it.
var ErrFull = errors.New("the recording has reached its bound")

// fullLabel is that marker's.
const fullLabel = "the recording ends here: it has reached its bound"

// reserve is room for that marker, in bytes.
const reserve = 128

// Encoder writes a recording, each event with one Write. It is not safe for use by several goroutines at once. After an error it is of no use.
//
// Times are since the beginning of the recording. They are written as intervals in whole milliseconds, whose sum is never off by more than one.
type Encoder struct {
	w     io.Writer
	limit int64 // bytes; 0 is none
	size  int64
	last  int64 // when the last event was, in milliseconds
	text  text
	line  bytes.Buffer
	json  *json.Encoder
	err   error
}

// NewEncoder writes the header and gives the encoder for what follows. A limit bounds what is written, in bytes; 0 is none.
func NewEncoder(w io.Writer, h Header, limit int64) (*Encoder, error) {
	e := &Encoder{w: w, limit: limit}
	e.json = json.NewEncoder(&e.line)
	e.json.SetEscapeHTML(false)
	head := header3{Version: Version, Term: &term3{Cols: h.Cols, Rows: h.Rows, Type: h.Term}, Title: h.Title}
	if !h.Time.IsZero() {
		seconds := float64(h.Time.Unix())
		head.Timestamp = &seconds
	}
	return e, e.write(head)
}

// Output writes output. The beginning of a rune at its end is held back for the rest of it.
func (e *Encoder) Output(at time.Duration, b []byte) error {
	return e.output(at, e.text.add(b))
}

// Cut says that what comes next is not the continuation of what was: what is held back is written as it is.
func (e *Encoder) Cut(at time.Duration) error { return e.output(at, e.text.end()) }

// Resize writes that the terminal has another size.
func (e *Encoder) Resize(at time.Duration, cols, rows int) error {
	return e.event(at, Resize, fmt.Sprintf("%dx%d", cols, rows))
}

// Marker writes a label.
func (e *Encoder) Marker(at time.Duration, label string) error { return e.event(at, Marker, label) }

// Exit writes how the terminal's program ended, and before it what is held back.
func (e *Encoder) Exit(at time.Duration, status int) error {
	if err := e.Cut(at); err != nil {
		return err
	}
	return e.event(at, Exit, strconv.Itoa(status))
}

func (e *Encoder) output(at time.Duration, s string) error {
	if s == "" {
		return e.err
	}
	return e.event(at, Output, s)
}

func (e *Encoder) event(at time.Duration, code, data string) error {
	now := max(e.last, at.Milliseconds())
	interval := now - e.last
	e.last = now
	return e.write([3]any{json.RawMessage(fmt.Sprintf("%d.%03d", interval/1000, interval%1000)), code, data})
}

// write writes a line, or where it would be too much the marker that says so.
func (e *Encoder) write(line any) error {
	if e.err != nil {
		return e.err
	}
	full := false
	e.line.Reset()
	if e.err = e.json.Encode(line); e.err == nil && e.limit > 0 && e.size+int64(e.line.Len()) > e.limit-reserve {
		full = true
		e.line.Reset()
		e.err = e.json.Encode([3]any{0, Marker, fullLabel})
	}
	if e.err == nil {
		var n int
		n, e.err = e.w.Write(e.line.Bytes())
		e.size += int64(n)
	}
	if e.err == nil && full {
		e.err = ErrFull
	}
	return e.err
}
