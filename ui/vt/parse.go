package vt

import "unicode/utf8"

// The states of the parser.
const (
	ground       = iota
	escape       // after ESC
	escapeExtra  // after ESC and an intermediate byte
	control      // in a control sequence
	stringText   // in an operating system command or its like
	stringEscape // after ESC in one
)

const (
	maxParams  = 32
	maxParam   = 99999
	maxString  = 1 << 17
	maxPartial = maxString + 64
)

// parser is what is known of a sequence that is not yet complete.
type parser struct {
	state   uint8
	params  params
	extra   byte   // the intermediate byte of an escape
	kind    byte   // of the string
	text    []byte // of the string
	cut     bool   // the string was too long: it is ignored
	held    [4]byte
	holding int    // bytes in held: a character that is not yet complete
	written []byte // by this Write
	begun   int    // how many of these bytes were left where what is not yet in partial began
	partial []byte // the sequence, without controls in it, which were executed
}

// params are the parameters of a control sequence.
type params struct {
	values [maxParams]int
	count  int
	colon  uint32 // bit i: values[i] was set off by a colon
	prefix byte   // one of < = > ?
	extra  byte   // the intermediate byte
	broken bool   // more of one of them than has a meaning
}

// param is parameter i, or otherwise when it is left out or 0.
func (p *params) param(i, otherwise int) int {
	if i < p.count && p.values[i] > 0 {
		return p.values[i]
	}
	return otherwise
}

// sub reports whether value i belongs to the previous one.
func (p *params) sub(i int) bool { return i < p.count && p.colon&(1<<i) != 0 }

// Write takes what the program printed. It never fails.
func (t *Terminal) Write(p []byte) (int, error) {
	all, k := len(p), &t.parse
	t.sync.bytes += all
	k.written, k.begun = p, all
	for len(p) > 0 {
		switch k.state {
		case ground:
			p = t.printable(p)
		case control:
			p = t.controlBytes(p)
		case stringText:
			p = t.stringBytes(p)
		default:
			c := p[0]
			if k.state == stringEscape && c != '\\' { // the string is over, and its last ESC begins another sequence
				k.partial, k.begun = append(k.partial[:0], 0x1b), len(p)
			}
			t.escapeByte(c)
			switch {
			case c == 0x1b:
				k.restart(len(p))
			case c < 0x20:
				k.skip(len(p))
			}
			p = p[1:]
		}
	}
	if k.save(0); k.state == ground {
		k.partial = k.partial[:0]
	}
	k.written = nil
	return all, nil
}

// restart says that a sequence starts where so many bytes of this Write are left.
func (k *parser) restart(left int) { k.partial, k.begun = k.partial[:0], left }

// save remembers the bytes of an unfinished sequence for Snapshot, up to where so many are left.
func (k *parser) save(left int) {
	more := k.written[len(k.written)-k.begun : len(k.written)-left]
	if k.state != ground && len(k.partial)+len(more) <= maxPartial {
		k.partial = append(k.partial, more...)
	}
	k.begun = left
}

// skip leaves out the control where so many bytes are left: it was executed.
func (k *parser) skip(left int) {
	k.save(left)
	k.begun--
}

// printable takes characters and single controls from p.
func (t *Terminal) printable(p []byte) []byte {
	if t.parse.holding > 0 {
		return t.finishRune(p)
	}
	if n := asciiLength(p); n > 0 {
		t.printASCII(p[:n])
		return p[n:]
	}
	switch c := p[0]; {
	case c == 0x1b:
		t.beginEscape(len(p))
	case c < 0x20 || c == 0x7f:
		t.single(c)
	default:
		return t.printRunes(p)
	}
	return p[1:]
}

func (t *Terminal) beginEscape(left int) {
	t.pen.joinable = false
	t.parse.state = escape
	t.parse.restart(left)
}

// asciiLength returns the number of printable ASCII characters p begins with.
func asciiLength(p []byte) int {
	for i, c := range p {
		if c-0x20 > 0x5e {
			return i
		}
	}
	return len(p)
}

// printRunes prints characters beyond ASCII.
func (t *Terminal) printRunes(p []byte) []byte {
	for len(p) > 0 && p[0] >= 0x80 {
		r, size := decode(p)
		if size == 0 {
			t.parse.holding = copy(t.parse.held[:], p)
			return nil
		}
		t.printRune(r)
		p = p[size:]
	}
	return p
}

// finishRune completes the character that an earlier Write began.
func (t *Terminal) finishRune(p []byte) []byte {
	had := t.parse.holding
	n := had + copy(t.parse.held[had:], p)
	r, size := decode(t.parse.held[:n])
	if size == 0 {
		t.parse.holding = n
		return nil
	}
	t.parse.holding = 0
	t.printRune(r)
	return p[size-had:]
}

// decode takes one character from p; size is 0 when p ends inside it. Broken
// bytes are one replacement character for each beginning of a character, so
// that it does not matter how the bytes were split over writes.
func decode(p []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(p)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	if !utf8.FullRune(p) {
		return r, 0
	}
	for size < len(p) && !utf8.FullRune(p[:size+1]) {
		size++
	}
	return r, size
}

// controlBytes takes the bytes of a control sequence.
func (t *Terminal) controlBytes(p []byte) []byte {
	for i, c := range p {
		switch k := &t.parse.params; {
		case c >= '0' && c <= ';':
			k.digit(c)
		case c >= '<' && c <= '?':
			k.broken = k.broken || k.count > 0 || k.prefix != 0
			k.prefix = c
		case c >= 0x40 && c <= 0x7e:
			t.parse.state = ground
			t.controlSequence(c)
			return p[i+1:]
		case c >= 0x20 && c <= 0x2f:
			k.broken = k.broken || k.extra != 0
			k.extra = c
		case c == 0x1b:
			t.beginEscape(len(p) - i)
			return p[i+1:]
		case c == 0x18 || c == 0x1a:
			t.parse.state = ground
			return p[i+1:]
		case c < 0x20:
			t.single(c)
			t.parse.skip(len(p) - i)
		}
	}
	return nil
}

// reset forgets the parameters. The values need no clearing: digit does it.
func (p *params) reset() {
	p.count, p.colon, p.prefix, p.extra, p.broken = 0, 0, 0, 0, false
}

// digit takes a digit, a semicolon or a colon.
func (p *params) digit(c byte) {
	if p.count == 0 {
		p.count = 1
		p.values[0] = 0
	}
	if c <= '9' {
		v := &p.values[p.count-1]
		*v = min(*v*10+int(c-'0'), maxParam)
		return
	}
	if p.count == maxParams {
		p.broken = true // the rest would be taken for parts of the last
		return
	}
	if c == ':' {
		p.colon |= 1 << p.count
	}
	p.values[p.count] = 0
	p.count++
}

// stringBytes takes the bytes of a string, up to its end.
func (t *Terminal) stringBytes(p []byte) []byte {
	k := &t.parse
	n := 0
	for n < len(p) && p[n] != 0x1b && p[n] != 7 && p[n] != 0x18 && p[n] != 0x1a {
		n++
	}
	if len(k.text)+n > maxString {
		k.cut = true
	} else {
		k.text = append(k.text, p[:n]...)
	}
	if n == len(p) {
		return nil
	}
	switch p[n] {
	case 0x1b:
		k.state = stringEscape
	case 7:
		k.state = ground
		t.endString("\a")
	default:
		k.state = ground
	}
	return p[n+1:]
}
