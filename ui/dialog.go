package ui

import "ferrus/ui/text"

// dialog is what lies over the panes and has the keys. It answers a key with
// itself, another dialog or none, and with what the person wants.
type dialog interface {
	draw(m *Model, room rect) (rect, []string)
	press(m *Model, name string) (dialog, Intent)
	called() Dialog
}

// centered is a rectangle of at most w x h in the middle of room.
func centered(room rect, w, h int) rect {
	w, h = min(w, room.w), min(h, room.h)
	return rect{room.x + (room.w-w)/2, room.y + (room.h-h)/2, w, h}
}

// column is a place for text to read in the middle of room; where that is narrow
// it is all of its width.
func column(room rect) rect {
	if room.w <= 100 {
		return room
	}
	return centered(room, min(room.w-4, 100), room.h)
}

// confirm asks before something is lost.
type confirm struct {
	kind         Dialog
	title, words string
	yes          Intent
	other        Intent // with the key l; nil: there is none
	otherWords   string
}

func (c confirm) draw(m *Model, room rect) (rect, []string) {
	t := m.theme
	lines := text.Wrap(c.words, 52)
	r := centered(room, 58, len(lines)+5)
	body := []string{text.Blanks(r.w - 2)}
	for _, line := range lines {
		body = append(body, row(r.w-2, spans{{"  " + line, ""}}, nil))
	}
	body = append(body, text.Blanks(r.w-2))
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
