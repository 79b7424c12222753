package join

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Filter passes on what HQ draws a screen with, and nothing else that a terminal acts on: text, colors, the cursor,
// erasing, scrolling, and the modes that HQ sets and resets. Titles, the clipboard, questions that the terminal would
// answer as if you typed, other character sets and everything that it does not know are left out.
//
// Make it with [NewFilter]. Sequences and characters may be divided among writes.
type Filter struct {
	to    io.Writer
	out   []byte // of the write under way
	state filterState
	part  []byte // of a sequence or a character that is not whole yet, at most maxSequence bytes
}

// NewFilter returns a filter that writes to a terminal.
func NewFilter(to io.Writer) *Filter { return &Filter{to: to} }

// filterState is where in a sequence the filter is.
type filterState uint8

const (
	inText    filterState = iota
	inEscape              // after ESC
	inControl             // after ESC [
	inString              // after the beginning of a string, which is left out
	inStringE             // after an ESC in one
)

// maxSequence bounds a sequence that is passed on, in bytes.
const maxSequence = 128

// Write passes on what may pass. It takes everything.
func (f *Filter) Write(p []byte) (int, error) {
	f.out = f.out[:0]
	for _, b := range p {
		f.readByte(b)
	}
	if _, err := f.to.Write(f.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *Filter) readByte(b byte) {
	switch f.state {
	case inText:
		f.readText(b)
	case inEscape:
		f.escape(b)
	case inControl:
		f.control(b)
	case inString:
		switch b {
		case 0x1b:
			f.state = inStringE
		case '\a', 0x18, 0x1a:
			f.state = inText
		}
	case inStringE:
		f.state = inText
		if b != '\\' {
			f.escape(b) // the string was cut off by another sequence
		}
	}
}

// readText takes a byte of text. Only whole characters pass: half of one may be what some terminals take for the
// beginning of a sequence.
func (f *Filter) readText(b byte) {
	switch {
	case b >= 0x80 || len(f.part) > 0:
		f.character(b)
	case b == 0x1b:
		f.state = inEscape
	case b >= ' ' && b != 0x7f, b == '\n', b == '\r', b == '\t', b == '\b', b == '\a':
		f.out = append(f.out, b)
	}
}

func (f *Filter) character(b byte) {
	if b < 0x80 { // the previous one is not whole
		f.part = f.part[:0]
		f.readText(b)
		return
	}
	f.part = append(f.part, b)
	if !utf8.FullRune(f.part) {
		return
	}
	r, n := utf8.DecodeRune(f.part)
	rest := slices.Clone(f.part[n:])
	if r != utf8.RuneError && r >= 0xa0 { // below are the controls of eight bits
		f.out = append(f.out, f.part[:n]...)
	}
	f.part = f.part[:0]
	for _, b := range rest {
		f.character(b)
	}
}

// escape takes the byte after an ESC.
func (f *Filter) escape(b byte) {
	f.state = inText
	switch {
	case b == '[':
		f.state, f.part = inControl, f.part[:0]
	case b == 0x1b:
		f.state = inEscape
	case strings.IndexByte("]PX^_k", b) >= 0: // OSC, DCS, SOS, PM, APC, and the title of screen
		f.state = inString
	case strings.IndexByte("78M=>", b) >= 0: // the cursor is saved and restored; a line up; the keypad
		f.out = append(f.out, 0x1b, b)
	case b >= ' ' && b < '0':
		f.state, f.part = inControl, append(f.part[:0], 0) // a character set and the like: its end is left out, too
	}
}

// control takes a byte of a control sequence, and passes on the whole of it.
func (f *Filter) control(b byte) {
	switch {
	case b == 0x1b:
		f.state = inEscape
	case b == 0x18 || b == 0x1a:
		f.state = inText
	case b < ' ' || b >= 0x7f: // a terminal acts on it in between; HQ sends none, so all of it is left out
		if len(f.part) <= maxSequence {
			f.part = append(f.part, 1)
		}
		return
	case b < '@' && (len(f.part) == 0 || f.part[0] != 0 || b < '0'):
		if len(f.part) <= maxSequence {
			f.part = append(f.part, b)
		}
		return
	default:
		if len(f.part) <= maxSequence && drawn(f.part, b) {
			f.out = append(append(append(f.out, 0x1b, '['), f.part...), b)
		}
		f.state = inText
	}
	f.part = f.part[:0]
}

// modes are what HQ switches on and off: DECCKM, wrapping, the cursor, the mouse, focus, the other screen, pasting,
// frames that appear at once, characters by their width, and the colors' change. All are reset when you leave.
var modes = []string{"1", "7", "25", "1000", "1002", "1003", "1004", "1006", "1049", "2004", "2026", "2027", "2031"}

// drawn reports whether HQ draws with a control sequence.
func drawn(parameters []byte, final byte) bool {
	p := string(parameters)
	switch {
	case p == "" || strings.Trim(p, "0123456789;:") == "":
		return strings.IndexByte("ABCDEFGHIJKLMPSTXZ`abdefmr@", final) >= 0
	case final == 'q' && strings.Trim(strings.TrimSuffix(p, " "), "0123456789") == "" && strings.HasSuffix(p, " "):
		return true // the shape of the cursor
	case p[0] == '?' && (final == 'h' || final == 'l'):
		return !bytes.ContainsFunc(parameters[1:], func(r rune) bool { return (r < '0' || r > '9') && r != ';' }) &&
			!slices.ContainsFunc(strings.Split(p[1:], ";"), func(m string) bool { return !slices.Contains(modes, m) })
	case p == "?5" && final == 'W': // the stops of tabs
		return true
	case final == 'u': // the keyboard of kitty: what it sends is pushed, popped and set, and not asked for
		return strings.IndexByte("<>=", p[0]) >= 0 && strings.Trim(p[1:], "0123456789;") == ""
	case p[0] == '>' && final == 'm': // xterm's way to send modified keys
		return strings.Trim(p[1:], "0123456789;") == ""
	}
	return false
}
