package dialog

import (
	"slices"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// landing shows what would land, and asks.
type landing struct {
	page
	land intent.Intent
	line string
}

// Landing shows a preview and asks whether to land. The line is the command as it would
// be typed, for a human who wants to edit its message first.
func Landing(preview string, land intent.Intent, line string) Dialog {
	d := &landing{land: land, line: line}
	d.page = page{kind: KindLand, title: "Land?", rows: func(c Context, w int) []string {
		rows := d.pager.Plain(c.Theme, preview, 0, w)
		return append(slices.Clip(rows), text.Blanks(w), style.Row(w, buttons(c,
			[2]string{c.Keys.First(Yes), "land"}, [2]string{c.Keys.First(EditLine), "edit the message"},
			[2]string{"Esc", "change nothing"}), nil))
	}}
	return d
}

func (d *landing) Place() keys.Context { return keys.InLanding }

func (d *landing) Draw(c Context, room style.Rect) (style.Rect, []string) {
	return d.draw(c, room, keys.InLanding, "")
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
