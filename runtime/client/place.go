package client

// ackEvery is how much output a terminal deals with before it says so, in bytes. The server sends no more than 512 KiB beyond what it was told.
const ackEvery = 64 << 10

// Place is where in which session's output somebody is who follows a terminal's messages. The zero value is nowhere.
type Place struct {
	epoch   string
	have    uint64 // everything before this offset was seen
	drawing bool   // a picture is coming
}

// Follow takes the next message of a terminal.
func (p *Place) Follow(m Message) {
	switch m := m.(type) {
	case Attached:
		if m.Epoch != p.epoch { // of the other session nothing is known before Resumed or Live
			p.epoch, p.have, p.drawing = m.Epoch, 0, true
		}
	case Resumed:
		p.have, p.drawing = m.From, false
	case Reset:
		p.drawing = true
	case Live:
		p.have, p.drawing = m.From, false
	case Output:
		if !p.drawing {
			p.have += uint64(len(m))
		}
	}
}

// Resume gives what another terminal's Hello needs to go on from here; nothing where there is half a picture only.
func (p *Place) Resume() (epoch string, have uint64) {
	if p.drawing {
		return "", 0
	}
	return p.epoch, p.have
}
