package dialog

import (
	"strings"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// List is a list to choose from.
type List struct {
	Of    Kind
	Title string
	Items []Item
	At    int         // the chosen one
	Hints []keys.Hint // what the keys do; nil: what they do in every list

	window window
}

// Item is one thing to choose. It leads to an intent, to another list, or nowhere: then
// it is a line to read.
type Item struct {
	Name, Words string
	Intent      intent.Intent
	List        *List
}

// Kind names the list.
func (l *List) Kind() Kind { return l.Of }

// Place returns where its keys count.
func (l *List) Place() keys.Context { return keys.InList }

// Scroll chooses the next item, or the previous one.
func (l *List) Scroll(_ Context, lines int) {
	l.At = within(l.At+max(min(lines, 1), -1), len(l.Items))
}

// listPage is how far a page goes in a list.
const listPage = 10

// moved returns the item that a number of lines away, as [keys.Map.Scroll] has it, leads to: a single line wraps
// around.
func moved(at, lines, items int) int {
	if items > 0 && (lines == 1 || lines == -1) {
		return (at + lines + items) % items
	}
	return within(at+lines, items)
}

// within returns the nearest index of an item.
func within(at, items int) int { return max(min(at, items-1), 0) }

// Draw draws as much of the list around the chosen item as there is room for.
func (l *List) Draw(c Context, room style.Rect) (style.Rect, []string) {
	t := c.Theme
	names, details, whole := l.columns()
	r := style.Centered(room, whole, len(l.Items)+4)
	names = min(names, max(r.W-details-8, 30))
	h := r.H - 4
	l.window.show(l.At, len(l.Items), 1, h)
	first := l.window.first
	body := []string{text.Blanks(r.W - 2)}
	for i := first; i < min(first+h, len(l.Items)); i++ {
		body = append(body, l.row(t, i, names, r.W-2))
	}
	hints := l.Hints
	if hints == nil {
		hints = c.Keys.Hints(keys.InList, nil)
	}
	top := heading(t, l.Title)
	if h < len(l.Items) {
		top.Right = style.Spans{{style.Position(first, h, len(l.Items)), t.Faint}}
	}
	return r, t.Box(r, t.Focused, top, foot(t, pager.FitHints("", keys.JoinHints(hints), r.W-1)), body)
}

func (l *List) row(t *style.Theme, i, names, w int) string {
	mark, look := "   ", t.Strong
	if i == l.At {
		mark, look = " ▸ ", t.Chosen
	}
	item := l.Items[i]
	if item.Words == "" {
		return style.Row(w, style.Spans{{mark, t.Focused}, {item.Name, look}}, nil)
	}
	return style.Row(w, style.Spans{{mark, t.Focused}, {text.Fit(item.Name, names), look},
		{"  " + item.Words, t.Faint}}, nil)
}

// Click chooses the item that was clicked; a key does what it is for.
func (l *List) Click(_ Context, _, y, _ int) {
	if i := l.window.itemAt(y); i >= 0 {
		l.At = i
	}
}

// columns returns how wide the names are that have words beside them, how wide those
// are, and how wide all is with a border.
func (l *List) columns() (names, details, whole int) {
	whole = 64
	for _, i := range l.Items {
		if i.Words != "" {
			names, details = max(names, text.Width(i.Name)), max(details, text.Width(i.Words))
		}
		whole = max(whole, 3+text.Width(i.Name)+3)
	}
	return names, details, max(whole, names+details+8)
}

// Press moves, chooses, or goes to the next item that begins with a letter.
func (l *List) Press(c Context, key string) (Dialog, intent.Intent) {
	switch c.Keys.Action(keys.InList, key) {
	case Close:
		return nil, nil
	case Choose:
		return l.choose()
	}
	if lines := c.Keys.Scroll(keys.InList, key, listPage); lines != 0 {
		l.At = moved(l.At, lines, len(l.Items))
	} else {
		l.jump(key)
	}
	return l, nil
}

func (l *List) choose() (Dialog, intent.Intent) {
	if len(l.Items) == 0 {
		return l, nil
	}
	chosen := l.Items[l.At]
	if say, ok := chosen.Intent.(intent.Say); ok { // why there is nothing to choose
		return l, say
	}
	switch {
	case chosen.List != nil:
		return chosen.List, nil
	case chosen.Intent == nil:
		return l, nil
	default:
		return nil, chosen.Intent
	}
}

// jump goes to the next item that begins with what was typed.
func (l *List) jump(key string) {
	for i := range l.Items {
		n := (l.At + 1 + i) % len(l.Items)
		if strings.HasPrefix(strings.ToLower(l.Items[n].Name), key) {
			l.At = n
			return
		}
	}
}
