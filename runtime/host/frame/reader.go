package frame

import (
	"encoding/binary"
	"io"
)

// Reader reads frames. It takes no more memory than the longest message that it was given needs, and no length that the other side claims is believed beyond its bound.
type Reader struct {
	r   io.Reader
	max uint32
	buf []byte
}

// NewReader gives a reader of the frames of a side whose longest frame is max bytes: MaxFrame or MaxServerFrame.
func NewReader(r io.Reader, max int) *Reader { return &Reader{r: r, max: uint32(max)} }

// Next gives the next message of a type that is known; others are skipped. Data in it is valid until the next call.
// io.EOF when the stream ended between two frames, io.ErrUnexpectedEOF within one; *TooLongError and ErrMalformed: the stream is of no use any more.
func (r *Reader) Next() (Message, error) {
	for {
		var head [5]byte
		if _, err := io.ReadFull(r.r, head[:4]); err != nil {
			return nil, err
		}
		length := binary.BigEndian.Uint32(head[:4])
		if length == 0 {
			return nil, ErrMalformed
		}
		if _, err := io.ReadFull(r.r, head[4:]); err != nil {
			return nil, inside(err)
		}
		t := Type(head[4])
		if length > r.max {
			return nil, &TooLongError{t, length}
		}
		if blank(t) == nil {
			if _, err := io.CopyN(io.Discard, r.r, int64(length)-1); err != nil {
				return nil, inside(err)
			}
			continue
		}
		n := int(length) - 1
		if n > limit(t) {
			return nil, &TooLongError{t, length}
		}
		if cap(r.buf) < n {
			r.buf = make([]byte, n)
		}
		b := r.buf[:n]
		if _, err := io.ReadFull(r.r, b); err != nil {
			return nil, inside(err)
		}
		return Decode(t, b)
	}
}

func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
