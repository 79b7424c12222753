package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/pane"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// frame returns exactly as many rows as the terminal has, each exactly as wide.
func (m *Model) frame() ([]string, *tea.Cursor) {
	f := frame{m, m.theme, m.screen.w}
	if m.screen.shape == tiny {
		return f.tiny(), nil
	}
	rows := make([]string, 0, m.screen.h)
	rows = append(rows, statusBar(f.t, &m.view, f.w))
	rows = append(rows, f.middle()...)
	rows = append(rows, text.Blanks(f.w), text.Blanks(f.w), f.keyLine())
	cursor := f.foot(rows)
	if m.layer.Open() != nil {
		m.layer.Draw(m.context(), m.screen.main, rows, f.w)
		f.noticeOver(rows)
		return rows, nil
	}
	return rows, cursor
}

// tiny says that the terminal is too small, in any size.
func (f frame) tiny() []string {
	w, h := f.screen.w, max(f.screen.h, 0)
	words := []string{"ferrus needs 60x20", fmt.Sprintf("this is %dx%d", f.screen.w, f.screen.h),
		"make the terminal larger"}
	rows, top := make([]string, h), max((h-len(words))/2, 0)
	for y := range rows {
		line := ""
		if i := y - top; i >= 0 && i < len(words) {
			line = words[i]
		}
		left := max((w-text.Width(line))/2, 0)
		rows[y] = text.Fit(text.Blanks(left)+line, w)
	}
	return rows
}

// middle draws everything between the status bar and the line.
func (f frame) middle() (rows []string) {
	parts := f.screen.parts()
	if f.screen.tabLine.H > 0 && !f.screen.zoomed {
		rows = append(rows, f.tabLine(parts[0].number))
	}
	w := f.screen.main.W
	for i := 0; i < len(parts); i++ {
		if parts[i].number == numberActivity && f.screen.strip.H > 0 {
			rows = append(rows, f.strip())
		}
		box := f.part(parts[i])
		if parts[i].rect.W < w {
			i++
			box = style.JoinColumns(box, f.part(parts[i]))
		}
		rows = append(rows, box...)
	}
	if f.screen.hasList() {
		rows = style.JoinColumns(f.taskBox(f.screen.list), rows)
	}
	return rows
}

// strip returns the row below the panes: what is merged into which branch, in the order in which it
// lands.
func (f frame) strip() string {
	var line style.Spans
	for _, m := range f.view.Merges {
		line = append(line, style.Span{" " + m.Branch + " ", f.t.Strong})
		for _, c := range m.Cars {
			line = append(line, style.Span{" < ", f.t.Faint}, style.Span{c.Text, f.t.Tones[c.Tone]},
				style.Span{" ", ""})
		}
	}
	return style.Row(f.screen.strip.W, line, nil)
}

func (f frame) part(p part) []string {
	switch p.number {
	case numberActivity:
		return f.activityBox(p.rect)
	case numberCheck:
		return f.checkBox(p.rect)
	case numberSide:
		return f.sideBox(p.rect)
	}
	if p.pane == nil {
		return f.emptyPane(p.rect)
	}
	return f.paneBox(p.rect, p.pane)
}

// tabLine returns the row over the only pane, or over panes that stand beside each
// other: there it names the folded panes.
func (f frame) tabLine(showing int) string {
	line := style.Spans{}
	for _, t := range f.screen.tabs() {
		look := f.t.Tones[t.tone]
		switch {
		case t.number == showing:
			look = f.t.Strong
		case t.tone == style.Good:
			look = f.t.Faint // it has ended, and nothing is wrong
		}
		line = append(line, style.Span{" ", ""}, style.Span{t.text, look}, style.Span{" ", ""})
	}
	if len(line) == 0 {
		line = style.Spans{{" no session yet", f.t.Faint}}
	}
	opens := style.Spans{{f.keys.First(leader) + " and a number opens a pane ", f.t.Faint}}
	w := f.screen.tabLine.W
	if f.screen.shape != wide || line.Width()+opens.Width() > w {
		opens = nil
	}
	return style.Row(w, line, opens)
}

// foot draws what stands at the bottom: the line, the prompt, and over the panes what
// does not fit into the two rows that they own, so that no pane changes its size.
func (f frame) foot(rows []string) *tea.Cursor {
	s, before := &f.screen, slices.Clone(rows)
	typed := f.promptRows()
	promptTop := s.prompt - len(typed) + 1
	copy(rows[promptTop:], typed)
	asked := f.lineRows(s.maxPrompt)
	top := promptTop - len(asked)
	copy(rows[top:], asked)
	notice, open := f.noticeRows(), f.layer.Open() != nil
	if len(notice) > 1 && !open {
		top -= len(notice)
		for i, line := range notice {
			rows[top+i] = style.Row(f.w, style.Spans{{"   " + line.Text, line.Paint}}, nil)
		}
	}
	elsewhere := s.focus != 0 || open
	if popup := f.prompt.Popup(f.t, &f.view, f.w, min(s.maxPrompt+2, top-2), elsewhere); len(popup) > 0 {
		top -= len(popup)
		copy(rows[top:], popup)
	}
	f.closeBoxes(rows, before, top)
	if len(notice) == 1 && !open {
		f.putNotice(rows, top-1, notice[0])
	}
	return f.cursor(promptTop, top)
}

// closeBoxes gives the boxes whose lower border is covered from a row on another one, above
// that row. Before are the rows without what covers them. The activity and the check show
// their newest rows at the end, so what is left of them is drawn again.
func (f frame) closeBoxes(rows, before []string, covered int) {
	for _, p := range f.screen.parts() {
		r, last := p.rect, p.rect.Y+p.rect.H-1
		switch {
		case covered > last || covered-1 < r.Y:
			continue
		case covered-1 == r.Y: // nothing is left in it
			rows[r.Y] = style.Splice(rows[r.Y], r.X, text.Blanks(r.W), f.w)
			continue
		case covered-2 > r.Y && (p.number == numberActivity || p.number == numberCheck):
			p.rect.H = covered - r.Y
			for i, line := range f.part(p) {
				rows[r.Y+i] = style.Splice(rows[r.Y+i], r.X, line, f.w)
			}
			continue
		}
		rows[covered-1] = style.Splice(rows[covered-1], r.X, ansi.Cut(before[last], r.X, r.X+r.W), f.w)
	}
	if r := f.screen.list; covered < r.Y+r.H && covered-1 > r.Y {
		border := ansi.Cut(before[r.Y+r.H-1], r.X, r.X+r.W)
		rows[covered-1] = style.Splice(rows[covered-1], r.X, border, f.w)
	}
}

// cursor returns the cursor of what has the keys, unless rows drawn from covered on hide it.
func (f frame) cursor(promptTop, covered int) *tea.Cursor {
	s := &f.screen
	if c := &s.copying; c.Active() {
		if x, y, ok := c.Cursor(s.inside(c.Number)); ok && y < covered {
			return cursorAt(x, y)
		}
		return nil
	}
	if s.focus == 0 {
		x, y := f.prompt.Cursor()
		return cursorAt(x, promptTop+y)
	}
	if p := s.typable(); p != nil {
		return agentCursor(s.of(p), s.inside(s.focus), covered)
	}
	return nil
}

// agentCursor returns the cursor of the agent that has the keys.
func agentCursor(p *pane.Pane, inner style.Rect, covered int) *tea.Cursor {
	c, ok := p.Cursor()
	x, y := inner.X+c.X, inner.Y+c.Y
	if !ok || !inner.Contains(x, y) || y >= covered {
		return nil
	}
	cursor := cursorAt(x, y)
	cursor.Shape, cursor.Blink = tea.CursorShape(c.Shape), c.Blink
	return cursor
}

func cursorAt(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Blink = false
	return c
}
