package vt

// maxParams bounds the parameters of one sequence, and apart from them its sub-parameters; what is beyond is dropped.
const maxParams = 32

// maxValue is the largest value of a parameter; larger ones become it.
const maxValue = 1<<31 - 1

// Params are the parameters of a sequence. One that is left out is 0, a sub-parameter that is left out is -1.
type Params struct {
	value            [maxParams]int32
	subFrom, subTo   [maxParams]uint8
	sub              [maxParams]int32
	n, subs          int
	inSub            bool
	reject, rejectIn bool
}

// Len is how many there are; a sequence without any has one, 0.
func (p *Params) Len() int { return p.n }

// At gives the value of parameter i, or 0 where there is none.
func (p *Params) At(i int) int {
	if i < 0 || i >= p.n {
		return 0
	}
	return int(p.value[i])
}

// Sub gives the sub-parameters of parameter i: what follows it behind colons.
func (p *Params) Sub(i int) []int32 {
	if i < 0 || i >= p.n {
		return nil
	}
	return p.sub[p.subFrom[i]:p.subTo[i]]
}

func (p *Params) reset() {
	p.n, p.subs, p.inSub, p.reject, p.rejectIn = 0, 0, false, false, false
	p.next()
}

func (p *Params) next() {
	p.inSub = false
	if p.n >= maxParams {
		p.reject = true
		return
	}
	p.value[p.n], p.subFrom[p.n], p.subTo[p.n] = 0, uint8(p.subs), uint8(p.subs)
	p.n++
}

func (p *Params) nextSub() {
	p.inSub = true
	if p.reject || p.subs >= maxParams {
		p.rejectIn = true
		return
	}
	p.sub[p.subs] = -1
	p.subs++
	p.subTo[p.n-1] = uint8(p.subs)
}

func (p *Params) digit(d int32) {
	if p.reject || p.inSub && p.rejectIn {
		return
	}
	at := &p.value[p.n-1]
	if p.inSub {
		at = &p.sub[p.subs-1]
		if *at < 0 {
			*at = d
			return
		}
	}
	*at = int32(min(int64(*at)*10+int64(d), maxValue))
}

func (p *Params) take(c byte) {
	switch c {
	case ';':
		p.next()
	case ':':
		p.nextSub()
	default:
		p.digit(int32(c - '0'))
	}
}
