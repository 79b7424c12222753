package ui

import (
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// dialog is what lies over the panes and has the keys. It answers a key with
// itself, another dialog or none, and with what the person wants.
type dialog interface {
	draw(m *Model, room style.Rect) (style.Rect, []string)
	press(m *Model, name string) (dialog, Intent)
	called() Dialog
}

// confirm asks before something is lost.
type confirm struct {
	kind         Dialog
	title, words string
	yes          Intent
	other        Intent // with the key l; nil: there is none
	otherWords   string
}

func (c confirm) draw(m *Model, room style.Rect) (style.Rect, []string) {
	t := m.theme
	lines := text.Wrap(c.words, 52)
	r := style.Centered(room, 58, len(lines)+5)
	body := []string{text.Blanks(r.W - 2)}
	for _, line := range lines {
		body = append(body, style.Row(r.W-2, style.Spans{{"  " + line, ""}}, nil))
	}
	body = append(body, text.Blanks(r.W-2))
	keys := style.Spans{{"  y", t.Key}, {" yes     ", t.Faint}}
	if c.other != nil {
		keys = append(keys, style.Spans{{"l", t.Key}, {" " + c.otherWords + "     ", t.Faint}}...)
	}
	body = append(body, style.Row(r.W-2, append(keys, style.Spans{{"n, Esc", t.Key}, {" no", t.Faint}}...), nil))
	return r, t.Box(r, t.Focused, style.Edge{Left: style.Spans{{" " + c.title, t.Tones[style.Warn]}}}, style.Edge{}, body)
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
