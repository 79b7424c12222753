package dialog

import (
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// log is the journal as a timeline.
type log struct{ *pager.Log }

// Log shows the journal, with an entry chosen; the zero EntryID is the newest.
func Log(at view.EntryID) Dialog { return log{pager.NewLog(at)} }

func (l log) Kind() Kind { return KindLog }

func (l log) Place() keys.Context { return keys.InLog }

func (l log) Scroll(_ Context, lines int) { l.Log.Scroll(lines) }

func (l log) Draw(c Context, room style.Rect) (style.Rect, []string) {
	t := c.Theme
	rows := l.Log.Draw(t, c.View.Journal(), room.W-2, room.H-2)
	top := heading(t, "log")
	top.Right = style.Spans{{l.Count(), t.Faint}}
	hints := keys.JoinHints(c.Keys.Hints(keys.InLog, func(a keys.Action) bool {
		return a != keys.OpenEntry && a != Close
	}))
	bottom := style.Edge{Left: style.Spans{{l.Foot(c.Keys, keys.InLog, hints, room.W), t.Faint}}}
	return room, t.Box(room, t.Focused, top, bottom, rows)
}

func (l log) Press(c Context, key string) (Dialog, intent.Intent) {
	all := c.View.Journal()
	switch {
	case l.Log.Press(c.Keys, all, key):
	case c.Keys.Action(keys.InLog, key) == keys.OpenEntry && len(all) > 0:
		return l, intent.LoadEntry{Entry: all[l.Chosen(all)].EntryID}
	case closes(c, keys.InLog, key):
		return nil, nil
	}
	return l, nil
}
