package ui

import (
	"fmt"
	"strings"
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
	if p.Terminal == nil {
		body = note(inner.w, inner.h, "nothing was printed yet", t.faint)
	}
	return t.box(r, border, m.paneTitle(p), m.paneState(p, back), m.paneFooter(r, p), body)
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

// paneFooter names the panes that this one hides, and how its session ended.
func (m *Model) paneFooter(r rect, p *Pane) spans {
	footer := spans{}
	if p.Footer != "" {
		footer = append(footer, span{" " + p.Footer, m.theme.faint})
	}
	if m.size.shape != wide || m.screen.zoom {
		return footer
	}
	var hidden []string
	for i := range m.view.Panes {
		o := &m.view.Panes[i]
		if o.Left == p.Left && o.Slot != p.Slot {
			hidden = append(hidden, fmt.Sprintf("%d %s %s", o.Title.Number, o.Title.Name, o.Title.Status))
		}
	}
	if len(hidden) > 0 {
		footer = append(footer, span{" " + strings.Join(hidden, "  "), m.theme.faint})
	}
	return footer
}

func (m *Model) emptyPane(r rect) []string {
	title, words := " 1 supervisor", "no session yet: /task, /plan or /spec starts one"
	if m.size.shape == wide && r == m.size.right {
		title, words = " 2 executor", "no session yet: it starts with a task"
	}
	inner := r.inner()
	return m.theme.box(r, m.theme.border, spans{{title, m.theme.faint}}, nil, nil, note(inner.w, inner.h, words, m.theme.faint))
}
