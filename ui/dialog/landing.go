package dialog

import (
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
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
	d.page = page{kind: KindLand, title: "Land?", plain: func(c Context) string {
		return preview + "\n\n" + c.Keys.First(Yes) + " land   " + c.Keys.First(EditLine) +
			" edit the message   Esc change nothing"
	}}
	return d
}

func (d *landing) Place() keys.Context { return keys.InLanding }

func (d *landing) Draw(c Context, room style.Rect) (style.Rect, []string) {
	return d.draw(c, room, keys.InLanding, "Esc close")
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
