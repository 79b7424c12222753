package dialog

import (
	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// diff is what the task changed.
type diff struct {
	*pager.Diff
	loading bool
	pressed []string // keys that came while it was loading
	error   string
	want    string // the file to begin with; empty: the first
	back    Dialog // what closing goes back to; nil: nothing
}

// Diff shows what the task changed, once it is loaded.
func Diff() Dialog { return &diff{Diff: pager.NewDiff(view.Diff{}), loading: true} }

// DiffAt shows it from a file on.
func DiffAt(path string) Dialog {
	return &diff{Diff: pager.NewDiff(view.Diff{}), loading: true, want: path}
}

// DiffOver shows it over another dialog, which comes back when it is closed.
func DiffOver(back Dialog) Dialog {
	return &diff{Diff: pager.NewDiff(view.Diff{}), loading: true, back: back}
}

// Loaded shows a diff that was loaded, or says why it was not. It returns what lies over
// the panes then: now, if the human has gone elsewhere meanwhile. Keys were pressed while it
// was loading, and are to be pressed again.
func Loaded(now Dialog, loaded view.Diff, problem string) (over Dialog, keys []string) {
	switch now := now.(type) {
	case *palette:
		now.load(loaded)
	case *diff:
		d := &diff{Diff: pager.NewDiff(loaded), error: text.Sanitize(problem), back: now.back}
		d.ShowPath(now.want)
		return d, now.pressed
	}
	return now, nil
}

func (d *diff) Kind() Kind { return KindDiff }

func (d *diff) Place() keys.Context { return keys.InDiff }

func (d *diff) Scroll(_ Context, lines int) { d.Diff.Scroll(lines) }

// note says why there is nothing to see.
func (d *diff) note() string {
	switch {
	case d.loading:
		return "Loading the diff ..."
	case d.error != "":
		return d.error
	case len(d.Diff.Diff.Files) == 0:
		return "No changes since the task began"
	}
	return ""
}

// since says what the diff compares with.
func (d *diff) since(w int) string {
	switch base := d.Diff.Diff.Base; {
	case base == "":
		return ""
	case w < 72:
		return "  since " + base
	default:
		return "  since " + base + ", as of " + d.Diff.Diff.At
	}
}

func (d *diff) Draw(c Context, room style.Rect) (style.Rect, []string) {
	t, inner := c.Theme, room.Inner()
	top := heading(t, "diff")
	top.Left = append(top.Left, style.Span{d.since(room.W), t.Faint})
	if note := d.note(); note != "" {
		only := c.Keys.Hints(keys.InDiff, func(a keys.Action) bool { return a != Close })
		return room, t.Box(room, t.Focused, top, foot(t, keys.JoinHints(only)),
			style.Note(inner.W, inner.H, note, t.Faint))
	}
	top.Right = d.Sum(t, c.Viewed)
	d.Diff.Alarms = c.View.Check.Alarms
	rows := d.Diff.Draw(t, c.Viewed, inner.W, inner.H)
	bottom := style.Edge{Left: style.Spans{{d.Foot(c.Keys, keys.InDiff, keys.JoinHints(d.hints(c)), room.W), t.Faint}}}
	return room, t.Box(room, t.Focused, top, bottom, rows)
}

// hints are the keys of the diff, besides those of every pager.
func (d *diff) hints(c Context) []keys.Hint {
	return c.Keys.Hints(keys.InDiff, func(a keys.Action) bool {
		switch a {
		case pager.NextFile, pager.PreviousFile, pager.NextHunk, pager.PreviousHunk, Viewed, Fold, Close:
			return false
		case pager.NextAlarm:
			return len(c.View.Check.Alarms) == 0
		}
		return true
	})
}

func (d *diff) Press(c Context, key string) (Dialog, intent.Intent) {
	a := c.Keys.Action(keys.InDiff, key)
	switch {
	case d.note() == "" && d.Diff.Press(c.Keys, key):
	case a == Reload && !d.loading:
		d.loading = true
		return d, intent.LoadDiff{}
	case a == Fold && d.note() == "":
		d.Diff.Fold(c.Viewed)
	case a == Viewed && d.note() == "":
		return d, intent.ToggleViewed{Mark: d.ToggleFold()}
	case closes(c, keys.InDiff, key):
		return d.back, nil
	case d.loading:
		d.pressed = append(d.pressed, key)
	}
	return d, nil
}
