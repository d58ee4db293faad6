// Package frame is the protocol between a server and the session host inside a container: typed messages in frames with their length in front, many terminals over one connection.
//
// It imports nothing of the project. Read frame.go for the framing, then messages.go for what is said; code.go writes and reads the fields, reader.go bounds what is read.
//
// A frame is the length of what follows (4 bytes, big endian), the type (1 byte) and the message. Each side says hello first. A type that is not known is skipped by its length, so that a side may say
// more than the other understands; what changes the meaning of a message that exists is another version, which is refused.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Version is the version of the protocol that this package speaks.
const Version = 1

const (
	// MaxFrame is the longest frame of a host, in bytes: what a reader of it will ever skip. Each type that is known has a bound of its own, far below.
	MaxFrame = 4 << 20
	// MaxServerFrame is the longest frame of a server.
	MaxServerFrame = 128 << 10
	// MaxData is how many bytes of a terminal one message carries, in either direction.
	MaxData = 64 << 10
)

// Type says what a frame is.
type Type uint8

// The types that a server sends.
const (
	TypeHello Type = iota + 1
	TypeOpen
	TypeInput
	TypeResize
	TypeAck
	TypeClose
	TypeEnd
	TypeList
	TypeRun
	TypeEOF
	TypeSignal
	TypeRename
	TypeFollow
)

// The types that a host sends.
const (
	TypeWelcome Type = iota + 64
	TypeOpened
	TypeRefused
	TypeOutput
	TypeReset
	TypeSize
	TypeExit
	TypeListed
	TypeEnded
	TypeRan
	TypeErrors
	TypeTaken
)

// ErrMalformed says that a frame is not what its type says. The connection that it came over cannot be used any more.
var ErrMalformed = errors.New("malformed frame")

// TooLongError says that a frame is longer than its type may be. Nothing of it was read.
type TooLongError struct {
	Type   Type
	Length uint32
}

// Error gives type and length.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a frame of type %d and %d bytes is too long", e.Type, e.Length)
}

// VersionError says that the other side speaks another version of the protocol.
type VersionError struct{ Theirs uint16 }

// Error gives both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the other side speaks version %d of the session host's protocol, this one version %d", e.Theirs, Version)
}

// Message is one of the types in messages.go.
type Message interface {
	kind() Type
	write(*encoder)
	read(*decoder)
}

// Append adds the frame of a message to b. A field that is longer than a frame takes is a mistake of the caller's, found by Check.
func Append(b []byte, m Message) []byte {
	start := len(b)
	e := encoder{append(b, 0, 0, 0, 0, byte(m.kind()))}
	m.write(&e)
	binary.BigEndian.PutUint32(e.b[start:], uint32(len(e.b)-start-4))
	return e.b
}

// Check says whether the other side would take the message: every field within its bound. ErrMalformed if not.
func Check(m Message) error {
	b := Append(nil, m)
	_, err := Decode(m.kind(), b[5:])
	return err
}

// Decode reads the message of a frame. Data in it is part of b. An unknown type gives nil and no error. ErrMalformed for everything that Append would not have written.
func Decode(t Type, b []byte) (Message, error) {
	m := blank(t)
	if m == nil {
		return nil, nil
	}
	if len(b) > limit(t) {
		return nil, &TooLongError{t, uint32(len(b)) + 1}
	}
	d := decoder{b: b}
	m.read(&d)
	if d.bad || len(d.b) > 0 {
		return nil, fmt.Errorf("%w of type %d", ErrMalformed, t)
	}
	return m, nil
}

// blank gives an empty message of a type, nil for one that is not known.
func blank(t Type) Message {
	switch t {
	case TypeHello:
		return &Hello{}
	case TypeOpen:
		return &Open{}
	case TypeInput:
		return &Input{}
	case TypeResize:
		return &Resize{}
	case TypeAck:
		return &Ack{}
	case TypeClose:
		return &Close{}
	case TypeEnd:
		return &End{}
	case TypeList:
		return &List{}
	case TypeRun:
		return &Run{}
	case TypeEOF:
		return &EOF{}
	case TypeSignal:
		return &Signal{}
	case TypeRename:
		return &Rename{}
	case TypeFollow:
		return &Follow{}
	case TypeRan:
		return &Ran{}
	case TypeErrors:
		return &Errors{}
	case TypeTaken:
		return &Taken{}
	case TypeWelcome:
		return &Welcome{}
	case TypeOpened:
		return &Opened{}
	case TypeRefused:
		return &Refused{}
	case TypeOutput:
		return &Output{}
	case TypeReset:
		return &Reset{}
	case TypeSize:
		return &Size{}
	case TypeExit:
		return &Exit{}
	case TypeListed:
		return &Listed{}
	case TypeEnded:
		return &Ended{}
	}
	return nil
}

// limit is how long a message of a known type may be, in bytes.
func limit(t Type) int {
	switch t {
	case TypeOpen, TypeRun:
		return 96 << 10
	case TypeInput, TypeOutput, TypeErrors, TypeReset:
		return MaxData + 64
	case TypeListed:
		return maxTabs * 256
	case TypeHello, TypeWelcome, TypeRefused, TypeFollow:
		return 4 << 10
	default:
		return 256
	}
}
