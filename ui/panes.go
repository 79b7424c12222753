package ui

import (
	"fmt"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// paneBox draws one pane, or what will be there.
func (m *Model) paneBox(r style.Rect, p *view.Pane) []string {
	t := m.theme
	inner := r.Inner()
	if p == nil {
		return m.emptyPane(r)
	}
	back := m.screen.scroll[p.Title.Number]
	c := m.canvases[p.Slot]
	if c == nil {
		c = &canvas{}
		m.canvases[p.Slot] = c
	}
	body := c.draw(p.Terminal, inner.W, inner.H, back)
	border := t.Border
	if m.screen.focus == p.Title.Number {
		border = t.Focused
	}
	body = m.marked(p, c.top, body)
	if p.Terminal == nil {
		body = style.Note(inner.W, inner.H, "nothing was printed yet", t.Faint)
	}
	return t.Box(r, border, style.Edge{Left: m.paneTitle(p), Right: m.paneState(p, back)}, m.paneFooter(p), body)
}

func (m *Model) paneTitle(p *view.Pane) style.Spans {
	t := m.theme
	mark := " "
	if m.screen.focus == p.Title.Number || m.screen.chosen == p.Title.Number {
		mark = "▸"
	}
	title := style.Spans{{mark, t.Focused}, {fmt.Sprintf("%d %s", p.Title.Number, p.Title.Name), t.Strong}}
	if p.Title.Agent != "" {
		title = append(title, style.Span{"  " + p.Title.Agent, t.Faint})
	}
	if p.Title.Bypass {
		title = append(title, style.Span{"  bypass", t.Tones[style.Bad]})
	}
	return title
}

func (m *Model) paneState(p *view.Pane, back int) style.Spans {
	state := style.Spans{{p.Title.Status, m.theme.Tones[p.Title.Tone]}}
	if back > 0 {
		state = append(style.Spans{{fmt.Sprintf("%d back  ", back), m.theme.Tones[style.Warn]}}, state...)
	}
	return state
}

// paneFooter says how the last session ended, and which panes this one hides.
func (m *Model) paneFooter(p *view.Pane) (w style.Edge) {
	if p.Footer != "" {
		w.Left = style.Spans{{" " + p.Footer, m.theme.Faint}}
	}
	tabs := m.behind(p)
	for i, t := range tabs {
		if i > 0 {
			w.Right = append(w.Right, style.Span{between, m.theme.Faint})
		}
		w.Right = append(w.Right, style.Span{t.text, m.theme.Tones[t.tone]})
	}
	byLeader := m.first("leader") + " "
	if len(tabs) > 0 && w.Right.Width()+text.Width(byLeader)+10 < m.place(p.Title.Number).W {
		w.Right = append(style.Spans{{byLeader, m.theme.Key}}, w.Right...)
	}
	return w
}

// between stands between the names of the panes that another one hides.
const between = " · "

// behind is the panes that have no other place than that of p, where no line of
// tabs names them.
func (m *Model) behind(p *view.Pane) (tabs []tab) {
	if m.size.shape != wide || m.screen.zoom {
		return nil
	}
	for i := range m.view.Panes {
		o := &m.view.Panes[i]
		if o.Left == p.Left && o.Slot != p.Slot {
			tabs = append(tabs, tabOf(o, o.Title.Name))
		}
	}
	return tabs
}

// behindUnder is the number of the pane that is named at a cell of a lower border.
func (m *Model) behindUnder(x, y int) int {
	for _, part := range m.parts() {
		if part.pane == nil || !part.rect.Contains(x, y) || y != part.rect.Y+part.rect.H-1 {
			continue
		}
		tabs := m.behind(part.pane)
		at := part.rect.X + part.rect.W - style.EdgePadding
		for i := len(tabs) - 1; i >= 0; i-- {
			at -= text.Width(tabs[i].text)
			if x >= at && x < at+text.Width(tabs[i].text) {
				return tabs[i].number
			}
			at -= text.Width(between)
		}
	}
	return 0
}

func (m *Model) emptyPane(r style.Rect) []string {
	title, text := " 1 supervisor", "no session yet: /task, /plan or /spec starts one"
	if m.size.shape == wide && r == m.size.right {
		title, text = " 2 executor", "no session yet: it starts with a task"
	}
	inner := r.Inner()
	return m.theme.Box(r, m.theme.Border, style.Edge{Left: style.Spans{{title, m.theme.Faint}}}, style.Edge{}, style.Note(inner.W, inner.H, text, m.theme.Faint))
}
