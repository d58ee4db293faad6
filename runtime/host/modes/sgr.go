package modes

import (
	"strconv"

	"podlife/runtime/host/vt"
)

// attrs are flags of the current rendition.
type attrs uint16

const (
	bold attrs = 1 << iota
	dim
	italic
	underline
	blink
	inverse
	hidden
	strike
	overline
)

// setBy has the flags that an SGR parameter sets, clearedBy those that one clears.
var (
	setBy     = [...]attrs{1: bold, 2: dim, 3: italic, 4: underline, 5: blink, 7: inverse, 8: hidden, 9: strike}
	clearedBy = [...]attrs{22: bold | dim, 23: italic, 24: underline, 25: blink, 27: inverse, 28: hidden, 29: strike}
)

// color is the default, one of a palette, or a mixture.
type color struct {
	mode  colorMode
	value uint32 // index, or 0xrrggbb
}

type colorMode uint8

const (
	colorDefault colorMode = iota
	color16
	color256
	colorRGB
)

// rendition is what SGR sets: how text that is printed now looks.
type rendition struct {
	flags  attrs
	style  uint8 // of the underline, 1 to 5 (single, double, curly, dotted, dashed); 0 where none was chosen
	fg, bg color
	line   color // of the underline
}

// apply does what the parameters of one SGR do.
func (r *rendition) apply(p *vt.Params) {
	for i := 0; i < p.Len(); i++ {
		n := p.At(i)
		switch {
		case n == 0:
			*r = rendition{}
		case n == 4:
			style := 1
			if sub := p.Sub(i); len(sub) > 0 {
				style = int(sub[0])
			}
			r.underlined(style)
		case n == 21:
			r.underlined(2)
		case n == 24:
			r.underlined(0)
		case n < len(setBy) && setBy[n] != 0:
			r.flags |= setBy[n]
		case n < len(clearedBy) && clearedBy[n] != 0:
			r.flags &^= clearedBy[n]
		case n >= 30 && n <= 37:
			r.fg = color{color16, uint32(n - 30)}
		case n >= 40 && n <= 47:
			r.bg = color{color16, uint32(n - 40)}
		case n >= 90 && n <= 97:
			r.fg = color{color16, uint32(n - 90 + 8)}
		case n >= 100 && n <= 107:
			r.bg = color{color16, uint32(n - 100 + 8)}
		case n == 39:
			r.fg = color{}
		case n == 49:
			r.bg = color{}
		case n == 59:
			r.line = color{}
		case n == 53:
			r.flags |= overline
		case n == 55:
			r.flags &^= overline
		case n == 38 || n == 48 || n == 58:
			i += r.color(p, i)
		}
	}
}

func (r *rendition) underlined(style int) {
	if style < 0 || style > 5 {
		style = 1
	}
	r.style = uint8(style)
	r.flags |= underline
	if style == 0 {
		r.flags &^= underline
	}
}

// color applies parameter 38, 48 or 58 at i and gives how many of the parameters behind it belong to it. The forms are 38;5;n and 38;2;r;g;b, with colons in the place of all or the last of the
// semicolons, and 38:2:space:r:g:b.
func (r *rendition) color(p *vt.Params, i int) (taken int) {
	form := [6]int{2: -1} // target, mode, color space, three values
	space := 0
	for {
		form[taken+space] = p.At(i + taken)
		if sub := p.Sub(i + taken); len(sub) > 0 {
			for k, v := range sub {
				if form[1] == 5 {
					space = 1
				}
				if at := taken + k + 1 + space; at < len(form) {
					form[at] = int(v)
				}
				if k+1+taken+1+space >= len(form) {
					break
				}
			}
			break
		}
		if form[1] == 5 && taken+space >= 2 || form[1] == 2 && taken+space >= 5 {
			break
		}
		if form[1] != 0 {
			space = 1
		}
		taken++
		if taken+i >= p.Len() || taken+space >= len(form) {
			break
		}
	}
	for k := 2; k < len(form); k++ {
		form[k] = max(form[k], 0)
	}
	var c color
	switch form[1] {
	case 5:
		c = color{color256, uint32(form[3]) & 0xff}
	case 2:
		c = color{colorRGB, uint32(form[3]&0xff)<<16 | uint32(form[4]&0xff)<<8 | uint32(form[5]&0xff)}
	default:
		return taken
	}
	switch form[0] {
	case 38:
		r.fg = c
	case 48:
		r.bg = c
	default:
		r.line = c
	}
	return taken
}

// write appends the one SGR that makes this rendition, whatever was before.
func (r rendition) write(b []byte) []byte {
	b = append(b, "\x1b[0"...)
	for n, flag := range setBy {
		if n == 4 && r.flags&flag != 0 {
			b = append(b, ";4"...)
			if r.style > 1 {
				b = append(b, ':', '0'+r.style)
			}
		} else if r.flags&flag != 0 {
			b = strconv.AppendInt(append(b, ';'), int64(n), 10)
		}
	}
	if r.flags&overline != 0 {
		b = append(b, ";53"...)
	}
	b = r.fg.write(b, 30)
	b = r.bg.write(b, 40)
	b = r.line.write(b, 50)
	return append(b, 'm')
}

// write appends the parameters for a color whose first 16 begin at base: 30 for the text, 40 for what is behind it; 50 for the underline, which has only the forms with colons.
func (c color) write(b []byte, base int) []byte {
	sep := byte(';')
	if base == 50 {
		sep = ':'
	}
	number := func(n uint32) { b = strconv.AppendUint(b, uint64(n), 10) }
	switch c.mode {
	case color16:
		n := base + int(c.value)
		if c.value >= 8 {
			n = base + 60 + int(c.value) - 8
		}
		b = append(b, ';')
		number(uint32(n))
	case color256:
		b = append(b, ';')
		number(uint32(base + 8))
		b = append(b, sep, '5', sep)
		number(c.value)
	case colorRGB:
		b = append(b, ';')
		number(uint32(base + 8))
		b = append(b, sep, '2', sep)
		if sep == ':' {
			b = append(b, ':')
		}
		number(c.value >> 16)
		b = append(b, sep)
		number(c.value >> 8 & 0xff)
		b = append(b, sep)
		number(c.value & 0xff)
	}
	return b
}
