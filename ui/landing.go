package ui

// landDialog shows what would land, and asks.
type landDialog struct {
	page
	land Land
}

// askLand opens it, unless the person is busy with something else by now: a letter
// of what they type is not a yes.
func (m *Model) askLand(msg LandingMsg) {
	if m.dialog != nil || m.prompt.text != "" || m.screen.focus != 0 || m.screen.leader || m.reading.keys {
		m.say("what would land can be shown now: /land", false)
		return
	}
	text := msg.Text + "\n\ny lands it   e edits the message   Esc changes nothing"
	m.dialog = &landDialog{page{kind: DialogLand, title: "Land?", text: func(*Model) string { return text }}, msg.Land}
}

func (d *landDialog) press(m *Model, name string) (dialog, Intent) {
	switch name {
	case "y", "shift+y":
		return nil, d.land
	case "e", "shift+e":
		return nil, prefill{d.land.line()}
	case "n", "shift+n":
		return nil, nil
	case "enter":
		return d, nil // Nothing lands by accident.
	}
	next, intent := d.page.press(m, name)
	if next == nil {
		return nil, intent
	}
	return d, intent
}

// line is the landing as it would be typed.
func (l Land) line() string {
	text := "/land "
	if l.Keep {
		text += "--keep "
	}
	if l.Changes {
		text += "--with-changes "
	}
	return text + l.Message
}
