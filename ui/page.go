package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// page is text to read, scroll and search.
type page struct {
	kind  Dialog
	title string
	text  func(*Model) string        // as it is
	sheet func(*Model) string        // Markdown, instead of text
	lines func(*Model, int) []string // drawn lines, instead of both
	edges func(*Model) [2]style.Edge // what its upper and lower border say besides; nil: nothing
	full  bool                       // it takes all the room
	back  dialog                     // what Esc goes back to; nil: nothing
	drawn cached
	pager
}

// cached is what a text was drawn to last.
type cached struct {
	text  string
	w     int
	theme *style.Theme
	rows  []string
}

func (p *page) content(m *Model, w int) []string {
	if p.lines != nil {
		return p.lines(m, w)
	}
	source := p.text
	if p.sheet != nil {
		source = p.sheet
	}
	key := cached{text: source(m), w: w, theme: m.theme}
	if d := p.drawn; d.text == key.text && d.w == w && d.theme == m.theme && d.rows != nil {
		return d.rows
	}
	if p.sheet != nil {
		key.rows = markdown(m.theme, key.text, w)
	} else {
		for _, line := range text.Hang(key.text, w-2) {
			key.rows = append(key.rows, style.Row(w, style.Spans{{" " + line, ""}}, nil))
		}
	}
	p.drawn = key
	return key.rows
}

func (p *page) draw(m *Model, room style.Rect) (style.Rect, []string) {
	r := room
	if !p.full {
		r = style.Column(room)
	}
	lines := p.content(m, r.W-2)
	if !p.full {
		r = style.Centered(room, r.W, len(lines)+2)
	}
	body := p.window(m.theme, lines, r.H-2)
	end := "y copies  Esc closes"
	switch {
	case p.back != nil:
		end = "y copies  Esc goes back"
	case p.kind == DialogLand:
		end = "Esc closes"
	}
	top, bottom := style.Edge{Left: style.Spans{{" " + p.title, m.theme.Strong}}}, style.Edge{}
	if p.edges != nil {
		edges := p.edges(m)
		top, bottom = edges[0], edges[1]
	}
	bottom.Left = style.Spans{{p.foot(r.W-bottom.Right.Width()-style.EdgePadding*bit(len(bottom.Right) > 0), end), m.theme.Faint}}
	return r, m.theme.Box(r, m.theme.Focused, top, bottom, body)
}

func (p *page) press(m *Model, name string) (dialog, Intent) {
	switch {
	case p.pager.press(name):
		return p, nil
	case name == "esc" || name == "q" || name == "enter" || m.does(name, "leave"):
		return p.back, nil
	case m.opens(name):
		return nil, nil
	case name == "y":
		return p, p.copied(m)
	}
	return p, nil
}

// copied is all of the page for the clipboard, as its writer left it; Ctrl+Y at the
// prompt brings it, too.
func (p *page) copied(m *Model) Intent {
	var s string
	switch {
	case p.lines != nil:
		var rows []string
		for _, row := range p.lines(m, m.size.w-2) {
			rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
		}
		s = strings.Join(rows, "\n")
	case p.sheet != nil:
		s = p.sheet(m)
	default:
		s = p.text(m)
	}
	s = text.SanitizeLines(s)
	m.prompt.killed = s
	return Copy{s}
}

// opens reports whether a key has an action that opens a dialog: over one, it
// closes it.
func (m *Model) opens(name string) bool {
	return slices.Contains([]string{"help", "log", "diff"}, m.nameOf(name))
}

// nameOf is the action that a key has at the prompt.
func (m *Model) nameOf(name string) string {
	k, _ := m.struck(AtPrompt, name)
	return k.Name
}
