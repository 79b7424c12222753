package ui

import (
	"fmt"
	"strings"
)

// dialog is what lies over the panes and has the keys. It answers a key with
// itself, another dialog or none, and with what the person wants.
type dialog interface {
	draw(m *Model, room rect) (rect, []string)
	press(m *Model, name string) (dialog, Intent)
}

// centered is a rectangle of at most w x h in the middle of room.
func centered(room rect, w, h int) rect {
	w, h = min(w, room.w), min(h, room.h)
	return rect{room.x + (room.w-w)/2, room.y + (room.h-h)/2, w, h}
}

// confirm asks before something is lost.
type confirm struct {
	title, words string
	yes          Intent
	other        Intent // with the key l; nil: there is none
	otherWords   string
}

func (c confirm) draw(m *Model, room rect) (rect, []string) {
	t := m.theme
	text := wrap(c.words, 52)
	r := centered(room, 58, len(text)+5)
	body := []string{blanks(r.w - 2)}
	for _, line := range text {
		body = append(body, row(r.w-2, spans{{"  " + line, ""}}, nil))
	}
	body = append(body, blanks(r.w-2))
	keys := spans{{"  y", t.key}, {" yes     ", t.faint}}
	if c.other != nil {
		keys = append(keys, spans{{"l", t.key}, {" " + c.otherWords + "     ", t.faint}}...)
	}
	body = append(body, row(r.w-2, append(keys, spans{{"n, Esc", t.key}, {" no", t.faint}}...), nil))
	return r, t.box(r, t.focused, words{left: spans{{" " + c.title, t.tones[Warn]}}}, words{}, body)
}

func (c confirm) press(_ *Model, name string) (dialog, Intent) {
	switch name {
	case "y", "shift+y":
		return nil, c.yes
	case "l", "shift+l":
		if c.other != nil {
			return nil, c.other
		}
	case "n", "shift+n", "esc", "q":
		return nil, nil
	}
	return c, nil
}

// page is text to read and scroll.
type page struct {
	title string
	text  func(*Model) string
	lines func(*Model, int) []string // drawn lines, instead of text
	top   int
	tail  bool // it is at its end and stays there
	full  bool // it takes all the room
	seen  [2]int
}

func (p *page) content(m *Model, w int) []string {
	if p.lines != nil {
		return p.lines(m, w)
	}
	var out []string
	for _, line := range wrap(p.text(m), w-2) {
		out = append(out, row(w, spans{{" " + line, ""}}, nil))
	}
	return out
}

func (p *page) draw(m *Model, room rect) (rect, []string) {
	r := room
	if !p.full {
		r = centered(room, min(room.w-4, 100), room.h)
	}
	body := p.content(m, r.w-2)
	if !p.full {
		r = centered(room, r.w, len(body)+2)
	}
	h := r.h - 2
	p.seen = [2]int{len(body), h}
	p.move(0)
	if p.tail {
		p.top = max(len(body)-h, 0)
	}
	end := min(p.top+h, len(body))
	where := spans{{" Esc closes", m.theme.faint}}
	if len(body) > h {
		where = spans{{fmt.Sprintf(" %d-%d of %d  Up Down PgUp PgDn  Esc closes", p.top+1, end, len(body)), m.theme.faint}}
	}
	return r, m.theme.box(r, m.theme.focused, words{left: spans{{" " + p.title, m.theme.strong}}}, words{left: where}, body[p.top:end])
}

// move scrolls by lines, within what was drawn last.
func (p *page) move(by int) {
	most := max(p.seen[0]-p.seen[1], 0)
	p.top = max(min(p.top+by, most), 0)
	if by != 0 {
		p.tail = p.top == most && p.tail || by > 0 && p.top == most && p.full
	}
}

func (p *page) press(m *Model, name string) (dialog, Intent) {
	screen := max(p.seen[1]-1, 1)
	by, ok := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -screen, "b": -screen, "pgdown": screen,
		"space": screen, "home": -1 << 30, "g": -1 << 30, "end": 1 << 30, "shift+g": 1 << 30}[name]
	if ok {
		p.move(by)
		return p, nil
	}
	switch name {
	case "esc", "q", "enter":
		return nil, nil
	}
	if m.does(name, "help", "log", "leave") {
		return nil, nil
	}
	return p, nil
}

// logLines is the whole journal as far as it is known.
func logLines(m *Model, w int) []string {
	var lines []string
	for _, e := range m.view.Activity {
		lines = append(lines, m.theme.entry(e, w))
	}
	if len(lines) == 0 {
		lines = []string{row(w, spans{{" the journal has no entries", m.theme.faint}}, nil)}
	}
	return lines
}

// popup is the list of what the prompt can be completed to.
func (m *Model) popup(most int) []string {
	all := m.prompt.cycle
	if all == nil && m.screen.focus == 0 && m.dialog == nil && m.prompt.search == nil {
		all = choices(&m.view, m.prompt.text)
	}
	if len(all) == 0 || len(all) == 1 && strings.TrimSpace(all[0].text) == strings.TrimSpace(m.prompt.text) && all[0].off == "" {
		return nil
	}
	first := max(m.prompt.picked-most+1, 0)
	if m.prompt.cycle == nil {
		first = 0
	}
	names := 0
	for _, c := range all {
		names = max(names, min(width(c.name), m.size.w/4+4))
	}
	var lines []string
	for i := first; i < len(all) && len(lines) < most; i++ {
		lines = append(lines, m.choiceRow(all[i], names, m.prompt.cycle != nil && i == m.prompt.picked))
	}
	return lines
}

func (m *Model) choiceRow(c choice, names int, picked bool) string {
	t := m.theme
	look, words := t.strong, spans{{c.words, t.faint}}
	if c.off != "" {
		look, words = t.faint, spans{{"off: " + c.off, t.tones[Warn]}}
	}
	if picked {
		look = t.chosen
	}
	return row(m.size.w, append(spans{{" │ ", t.focused}, {fit(c.name, names), look}, {"  ", ""}}, words...), nil)
}
