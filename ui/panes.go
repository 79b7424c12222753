package ui

import (
	"fmt"

	"ferrus/ui/text"
)

// paneBox draws one pane, or what will be there.
func (m *Model) paneBox(r rect, p *Pane) []string {
	t := m.theme
	inner := r.inner()
	if p == nil {
		return m.emptyPane(r)
	}
	back := m.screen.scroll[p.Title.Number]
	c := m.canvases[p.Slot]
	if c == nil {
		c = &canvas{}
		m.canvases[p.Slot] = c
	}
	body := c.draw(p.Terminal, inner.w, inner.h, back)
	border := t.border
	if m.screen.focus == p.Title.Number {
		border = t.focused
	}
	body = m.marked(p, c.top, body)
	if p.Terminal == nil {
		body = note(inner.w, inner.h, "nothing was printed yet", t.faint)
	}
	return t.box(r, border, words{m.paneTitle(p), m.paneState(p, back)}, m.paneFooter(p), body)
}

func (m *Model) paneTitle(p *Pane) spans {
	t := m.theme
	mark := " "
	if m.screen.focus == p.Title.Number || m.screen.chosen == p.Title.Number {
		mark = "▸"
	}
	title := spans{{mark, t.focused}, {fmt.Sprintf("%d %s", p.Title.Number, p.Title.Name), t.strong}}
	if p.Title.Agent != "" {
		title = append(title, span{"  " + p.Title.Agent, t.faint})
	}
	if p.Title.Bypass {
		title = append(title, span{"  bypass", t.tones[Bad]})
	}
	return title
}

func (m *Model) paneState(p *Pane, back int) spans {
	state := spans{{p.Title.Status, m.theme.tones[p.Title.Tone]}}
	if back > 0 {
		state = append(spans{{fmt.Sprintf("%d back  ", back), m.theme.tones[Warn]}}, state...)
	}
	return state
}

// paneFooter says how the last session ended, and which panes this one hides.
func (m *Model) paneFooter(p *Pane) (w words) {
	if p.Footer != "" {
		w.left = spans{{" " + p.Footer, m.theme.faint}}
	}
	tabs := m.behind(p)
	for i, t := range tabs {
		if i > 0 {
			w.right = append(w.right, span{between, m.theme.faint})
		}
		w.right = append(w.right, span{t.text, m.theme.tones[t.tone]})
	}
	byLeader := m.first("leader") + " "
	if len(tabs) > 0 && w.right.width()+text.Width(byLeader)+10 < m.place(p.Title.Number).w {
		w.right = append(spans{{byLeader, m.theme.key}}, w.right...)
	}
	return w
}

// between stands between the names of the panes that another one hides.
const between = " · "

// behind is the panes that have no other place than that of p, where no line of
// tabs names them.
func (m *Model) behind(p *Pane) (tabs []tab) {
	if m.size.shape != wide || m.screen.zoom {
		return nil
	}
	for i := range m.view.Panes {
		o := &m.view.Panes[i]
		if o.Left == p.Left && o.Slot != p.Slot {
			tabs = append(tabs, o.tab(o.Title.Name))
		}
	}
	return tabs
}

// behindUnder is the number of the pane that is named at a cell of a lower border.
func (m *Model) behindUnder(x, y int) int {
	for _, part := range m.parts() {
		if part.pane == nil || !part.rect.has(x, y) || y != part.rect.y+part.rect.h-1 {
			continue
		}
		tabs := m.behind(part.pane)
		at := part.rect.x + part.rect.w - edgeRight
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

func (m *Model) emptyPane(r rect) []string {
	title, text := " 1 supervisor", "no session yet: /task, /plan or /spec starts one"
	if m.size.shape == wide && r == m.size.right {
		title, text = " 2 executor", "no session yet: it starts with a task"
	}
	inner := r.inner()
	return m.theme.box(r, m.theme.border, words{left: spans{{title, m.theme.faint}}}, words{}, note(inner.w, inner.h, text, m.theme.faint))
}
