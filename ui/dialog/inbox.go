package dialog

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// inbox is the list of what waits for the human. It is drawn from what waits now, so
// the chosen item is known by its ID, and by its place once it is gone.
type inbox struct {
	id     string
	at     int
	window window
}

// Inbox shows what waits for the human, with one item chosen; an empty ID is the first.
func Inbox(id string) Dialog { return &inbox{id: id} }

func (b *inbox) Kind() Kind { return KindInbox }

func (b *inbox) Place() keys.Context { return keys.InInbox }

func (b *inbox) Scroll(c Context, lines int) {
	if b.chosen(c) != nil {
		b.choosing(c, within(b.at+max(min(lines, 1), -1), len(c.View.Inbox)))
	}
}

// chosen returns the item that keys act on; nil: there is none.
func (b *inbox) chosen(c Context) *view.InboxItem {
	all := c.View.Inbox
	if len(all) == 0 {
		return nil
	}
	if i := slices.IndexFunc(all, func(n view.InboxItem) bool { return n.ID == b.id }); i >= 0 {
		b.at = i
	}
	b.at = min(b.at, len(all)-1)
	b.id = all[b.at].ID
	return &all[b.at]
}

// choosing has the keys act on an item.
func (b *inbox) choosing(c Context, at int) { b.at, b.id = at, c.View.Inbox[at].ID }

func (b *inbox) Draw(c Context, room style.Rect) (style.Rect, []string) {
	t, r := c.Theme, style.Column(room)
	w := r.W - 2
	chosen := b.chosen(c)
	body := []string{text.Blanks(w)}
	if chosen == nil {
		body = append(body, style.Row(w, style.Spans{{"  Nothing waits for you", t.Faint}}, nil))
	}
	var about []string
	more := false
	if chosen != nil {
		about, more = b.about(c, chosen, w)
		b.window.show(b.at, len(c.View.Inbox), 1, room.H-len(about)-4)
	}
	for i := b.window.first; i < len(c.View.Inbox) && len(body)+len(about)+2 < room.H-1; i++ {
		body = append(body, b.row(c, &c.View.Inbox[i], i == b.at, w))
	}
	body = append(append(body, text.Blanks(w)), about...)
	r = style.Centered(room, r.W, len(body)+2)
	return r, t.Box(r, t.Focused, heading(t, "inbox"), foot(t, keys.JoinHints(b.hints(c, chosen, more))), body[:r.H-2])
}

// Click chooses the item that was clicked.
func (b *inbox) Click(c Context, _, y, _ int) {
	if i := b.window.itemAt(y); i >= 0 && i < len(c.View.Inbox) {
		b.choosing(c, i)
	}
}

// hints returns what keys do with the chosen item.
func (b *inbox) hints(c Context, n *view.InboxItem, more bool) []keys.Hint {
	hints := c.Keys.In(keys.InInbox)
	for i := range hints {
		switch a := hints[i].Action; {
		case a == Close:
		case n == nil, a == GoToPane && !hasPane(c, n), a == ReadItem && n.Read == "" && !more,
			a == keys.LineUp, a == keys.LineDown, a == keys.Leave:
			hints[i].Hint = ""
		case a == Choose:
			hints[i].Hint = enterHint(n)
		case a == GoToPane:
			hints[i].Hint = fmt.Sprintf("pane %d", n.Pane)
		case a == Snooze && c.Snoozed[n.ID]:
			hints[i].Hint = "wake"
		}
	}
	return hints.Hints(keys.InInbox, nil)
}

// hasPane reports whether there is a pane that an item is about.
func hasPane(c Context, n *view.InboxItem) bool {
	return n.Pane != 0 && slices.ContainsFunc(c.View.Panes, func(p view.Pane) bool { return p.Title.Number == n.Pane })
}

// enterHint says what choosing does.
func enterHint(n *view.InboxItem) string {
	switch {
	case n.Ask:
		return "answer"
	case n.Type != "":
		return "type it"
	}
	return "show the status"
}

// row returns one item in one line.
func (b *inbox) row(c Context, n *view.InboxItem, chosen bool, w int) string {
	t := c.Theme
	mark, look, tone := "   ", t.Tones[style.Plain], t.Tones[n.Tone]
	if chosen {
		mark, look = " ▸ ", t.Chosen
	}
	words := itemText(c, n)
	if c.Snoozed[n.ID] {
		words, tone = "snoozed: "+words, t.Faint
		if !chosen {
			look = t.Faint
		}
	}
	words = text.Cut(strings.ReplaceAll(words, "\n", " "), w-19)
	return style.Row(w, style.Spans{{mark, t.Focused}, {text.Fit(n.Kind, 14), tone}, {words, look}}, nil)
}

// aboutLines bounds the rows of the chosen item's text.
const aboutLines = 8

// about returns the chosen item, as far as there is room, and what to do about it; more says that it has more
// lines.
func (b *inbox) about(c Context, n *view.InboxItem, w int) (rows []string, more bool) {
	lines := text.Wrap(text.Reflow(itemText(c, n)), w-6)
	if more = len(lines) > aboutLines; more {
		left := len(lines) - aboutLines + 1
		lines = append(lines[:aboutLines-1], fmt.Sprintf("... %s: %s", text.Count(left, "more line"),
			c.Keys.First(ReadItem)))
	}
	for _, line := range lines {
		rows = append(rows, style.Row(w, style.Spans{{"   " + line, ""}}, nil))
	}
	if n.Hint != "" {
		rows = append(rows, style.Row(w, style.Spans{{"   " + n.Hint, c.Theme.Faint}}, nil))
	}
	return rows, more
}

// itemText returns an item as text: the View has the text of a question.
func itemText(c Context, n *view.InboxItem) string {
	if n.Ask {
		return c.View.Ask.String()
	}
	return n.Text
}

func (b *inbox) Press(c Context, key string) (Dialog, intent.Intent) {
	if closes(c, keys.InInbox, key) {
		return nil, nil
	}
	n := b.chosen(c)
	if n == nil {
		return b, nil
	}
	switch c.Keys.Action(keys.InInbox, key) {
	case Snooze:
		return b, intent.Snooze{ID: n.ID}
	case ReadItem:
		if n.Read != "" {
			return b, intent.Command{Line: n.Read}
		}
		return &page{kind: KindAsked, title: text.Sanitize(n.Kind), back: b,
			plain: func(c Context) string { return text.Reflow(itemText(c, n)) }}, nil
	case GoToPane:
		if hasPane(c, n) {
			return nil, intent.Attend{ID: n.ID, InPane: true}
		}
	case Choose:
		return b.choose(c, n)
	}
	if lines := c.Keys.Scroll(keys.InInbox, key, listPage); lines != 0 {
		b.choosing(c, moved(b.at, lines, len(c.View.Inbox)))
	}
	return b, nil
}

// choose does what the item waits for, unless that needs a prompt that has text.
func (b *inbox) choose(c Context, n *view.InboxItem) (Dialog, intent.Intent) {
	if n.Type != "" && c.Typing {
		why := "The prompt is not empty. Send it, or clear it with " + c.Keys.First(keys.Quit)
		return b, intent.Say{Text: why, Error: true}
	}
	return nil, intent.Attend{ID: n.ID}
}
