package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// page is text to read.
type page struct {
	kind  Kind
	title string
	// The text, in one of three ways; it is asked for whenever the page is drawn.
	plain    func(Context) string
	markdown func(Context) string
	rows     func(c Context, w int) []string
	edges    func(Context) (top, bottom style.Edge) // instead of the title; nil: it is
	labels   int                                    // columns of plain that name what follows
	full     bool                                   // it takes all the room
	back     Dialog                                 // what closing goes back to; nil: nothing
	pager    pager.Page
	w        int // columns of the text, as drawn last
}

func (p *page) Kind() Kind { return p.kind }

func (p *page) Place() keys.Context { return keys.OnPage }

func (p *page) Scroll(_ Context, lines int) { p.pager.Scroll(lines) }

func (p *page) content(c Context, w int) []string {
	switch {
	case p.rows != nil:
		return p.rows(c, w)
	case p.markdown != nil:
		return p.pager.Markdown(c.Theme, p.markdown(c), w)
	}
	return p.pager.Plain(c.Theme, p.plain(c), p.labels, w)
}

func (p *page) Draw(c Context, room style.Rect) (style.Rect, []string) {
	return p.draw(c, room, p.Place(), keys.JoinHints(p.hints(c)))
}

// draw draws the page with the hints of what it is part of.
func (p *page) draw(c Context, room style.Rect, in keys.Context, hints string) (style.Rect, []string) {
	t, r := c.Theme, room
	if !p.full {
		r = style.Column(room)
	}
	p.w = r.W - 2
	rows := p.content(c, p.w)
	if !p.full {
		r = style.Centered(room, r.W, len(rows)+2)
	}
	body := p.pager.Window(t, rows, r.H-2)
	top, bottom := heading(t, p.title), style.Edge{}
	if p.edges != nil {
		top, bottom = p.edges(c)
	}
	w := r.W - bottom.Right.Width()
	if len(bottom.Right) > 0 {
		w -= style.EdgePadding
	}
	if foot := p.pager.Foot(c.Keys, in, hints, w); strings.TrimSpace(foot) != "" {
		bottom.Left = style.Spans{{foot, t.Faint}}
	}
	return r, t.Box(r, t.Focused, top, bottom, body)
}

// hints returns the keys of the page, besides its pager's keys.
func (p *page) hints(c Context) []keys.Hint {
	hints := c.Keys.Hints(p.Place(), func(a keys.Action) bool { return a != CopyPage && a != Close })
	if p.back != nil && len(hints) > 0 {
		hints[len(hints)-1].Words = "back"
	}
	return hints
}

func (p *page) Press(c Context, key string) (Dialog, intent.Intent) {
	switch {
	case p.pager.Press(c.Keys, p.Place(), key):
		return p, nil
	case c.Keys.Action(p.Place(), key) == CopyPage:
		return p, intent.Copy{Text: p.source(c)}
	case closes(c, p.Place(), key):
		return p.closed(c, key), nil
	}
	return p, nil
}

// closed returns the dialog that is open once the page is closed: a key that would
// open another page closes all.
func (p *page) closed(c Context, key string) Dialog {
	switch c.Keys.Action(p.Place(), key) {
	case keys.Help, keys.Log, keys.Diff:
		return nil
	}
	return p.back
}

// source returns all of the page, as its author left it.
func (p *page) source(c Context) string {
	switch {
	case p.markdown != nil:
		return text.SanitizeLines(p.markdown(c))
	case p.plain != nil:
		return text.SanitizeLines(p.plain(c))
	}
	var rows []string
	for _, row := range p.rows(c, p.w) {
		rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
	}
	return strings.Join(rows, "\n")
}
