package svg

import (
	"encoding/xml"
	"fmt"
	"strings"

	"ferrus/ui/vt"
)

// cellStyle is a style with its colours resolved.
type cellStyle struct {
	fg, bg, line rgb // line: of an underline
	style        vt.Style
}

// run is text that is drawn as one element.
type run struct {
	at    cell
	text  string
	width int // in cells
	look  cellStyle
	alone bool // a character that the viewer's font may have in another width
}

// takes reports whether the next cell continues the run: plain ASCII of the same
// look, and no gap of blanks, unless a line goes through it.
func (r *run) takes(x int, text string, l cellStyle) bool {
	gap := text == " " && strings.HasSuffix(r.text, " ")
	return r.text != "" && !r.alone && ascii(text) && r.look == l && r.at.x+r.width == x && (l.lined() || !gap)
}

// lined reports whether a line goes along the text, and so along its blanks too.
func (l cellStyle) lined() bool {
	return l.style.Underline != 0 || l.style.Attr&(vt.Strike|vt.Overline) != 0
}

// add appends a cell; blanks begin no run, unless a line goes along them.
func (r *run) add(at cell, text string, l cellStyle) {
	if r.text == "" {
		if text == " " && !l.lined() {
			return
		}
		*r = run{at: at, look: l, alone: !ascii(text)}
	}
	r.text += text
	r.width++
}

func ascii(text string) bool { return len(text) == 1 && text[0] < 0x7f }

// flush draws a run and empties it.
func (p *picture) flush(r *run) {
	defer func() { *r = run{} }()
	if !r.look.lined() && !r.alone {
		r.text = strings.TrimRight(r.text, " ")
		r.width = min(r.width, len(r.text))
	}
	if r.text == "" {
		return
	}
	if next, _ := p.screen.Cell(r.at.x+1, r.at.y); r.alone && next == "" {
		r.width = 2
	}
	x, y := r.at.corner()
	fmt.Fprintf(&p.text, `<text x="%d" y="%d" textLength="%d"`, x, y+baseline, r.width*cellWidth)
	if r.alone {
		p.text.WriteString(` lengthAdjust="spacingAndGlyphs"`)
	}
	fmt.Fprintf(&p.text, ` fill="%s"%s>`, r.look.fg, r.look.attributes())
	_ = xml.EscapeText(&p.text, []byte(r.text)) // a Builder takes everything
	p.text.WriteString("</text>\n")
}

// attributes returns what makes text bold, italic or lined.
func (l cellStyle) attributes() string {
	var b strings.Builder
	if l.style.Attr&vt.Bold != 0 {
		b.WriteString(` font-weight="bold"`)
	}
	if l.style.Attr&vt.Italic != 0 {
		b.WriteString(` font-style="italic"`)
	}
	var lines []string
	if kind := underlines[l.style.Underline]; kind != "" {
		lines = append(lines, "underline "+kind+" "+l.line.String())
	}
	if l.style.Attr&vt.Strike != 0 {
		lines = append(lines, "line-through")
	}
	if l.style.Attr&vt.Overline != 0 {
		lines = append(lines, "overline")
	}
	if len(lines) > 0 {
		fmt.Fprintf(&b, ` style="text-decoration:%s"`, strings.Join(lines, " "))
	}
	return b.String()
}

// underlines are CSS's words for the kinds of underline.
var underlines = map[vt.Underline]string{
	vt.SingleUnderline: "solid", vt.DoubleUnderline: "double", vt.CurlyUnderline: "wavy",
	vt.DottedUnderline: "dotted", vt.DashedUnderline: "dashed",
}
