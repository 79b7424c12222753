package dialog

import (
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// landing shows what a command would do, and asks.
type landing struct {
	page
	land      intent.Intent
	line      string
	yes, edit string // what the keys do, in words
}

// Landing shows a preview and asks whether to land. The line is the command as it would
// be typed, for a human who wants to edit its message first.
func Landing(preview string, land intent.Intent, line string) Dialog {
	return asking(KindLand, "Land?", "land", preview, &landing{land: land, line: line, edit: "edit the message"})
}

// Adopting shows what would be adopted and asks. The line is the command as it would be typed, for a human who
// wants to edit its text first.
func Adopting(preview string, adopt intent.Intent, line string) Dialog {
	return asking(KindAdopt, "Adopt?", "adopt", preview, &landing{land: adopt, line: line, edit: "edit the text"})
}

func asking(kind Kind, title, yes, preview string, d *landing) Dialog {
	d.yes = yes
	d.page = page{kind: kind, title: title, rows: func(c Context, w int) []string {
		return append(previewRows(c.Theme, preview, w), text.Blanks(w), style.Row(w, buttons(c, d.answers(c)...), nil))
	}}
	return d
}

// previewRows returns the rows of a preview, in which alarms stand out.
func previewRows(t *style.Theme, preview string, w int) (rows []string) {
	for line := range strings.Lines(preview) {
		look := style.Paint("")
		if strings.HasPrefix(line, "alarm ") {
			look = t.Tones[style.Bad]
		}
		for _, part := range text.Hang(strings.TrimSuffix(line, "\n"), w-2) {
			rows = append(rows, style.Row(w, style.Spans{{" ", ""}, {part, look}}, nil))
		}
	}
	return rows
}

// answers returns the keys that answer, and what each does.
func (d *landing) answers(c Context) [][2]string {
	return [][2]string{{c.Keys.First(Yes), d.yes}, {c.Keys.First(EditLine), d.edit},
		{"Esc", "change nothing"}}
}

func (d *landing) Place() keys.Context { return keys.InLanding }

func (d *landing) Draw(c Context, room style.Rect) (style.Rect, []string) {
	hints := ""
	if len(d.content(c, style.Column(room).W-2)) > room.H-2 { // the row that names the answers may be out of sight
		var all []string
		for _, a := range d.answers(c) {
			all = append(all, a[0]+" "+a[1])
		}
		hints = strings.Join(all, "  ")
	}
	return d.draw(c, room, keys.InLanding, hints)
}

// Press lands only by a key of its own: Enter does nothing, so that nothing lands by
// accident.
func (d *landing) Press(c Context, key string) (Dialog, intent.Intent) {
	if !d.pager.Typing() {
		switch c.Keys.Action(keys.InLanding, key) {
		case Yes:
			return nil, d.land
		case EditLine:
			return nil, intent.Prefill{Text: d.line}
		case No:
			if !d.pager.Press(c.Keys, keys.InLanding, key) {
				return nil, nil
			}
			return d, nil
		}
	}
	if !d.pager.Press(c.Keys, keys.InLanding, key) && closes(c, keys.InLanding, key) {
		return nil, nil
	}
	return d, nil
}
