package dialog

import (
	"fmt"
	"slices"

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

// diffAt shows the diff, beginning at a file.
func diffAt(path string) Dialog {
	return &diff{Diff: pager.NewDiff(view.Diff{}), loading: true, want: path}
}

// diffOver shows the diff over another dialog, which returns when the diff is closed.
func diffOver(back Dialog) Dialog {
	return &diff{Diff: pager.NewDiff(view.Diff{}), loading: true, back: back}
}

// Loaded shows a loaded diff, or why it could not be loaded. It returns the dialog that is
// open afterwards: now, if the human has gone elsewhere meanwhile. Keys were pressed while
// it was loading, and must be pressed again.
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

// Click puts the cursor on the line that was clicked.
func (d *diff) Click(_ Context, x, y, w int) { d.Diff.Click(x, y, w) }

// Paste pastes a text into the comment that is typed, and reports whether one is.
func (d *diff) Paste(pasted string) bool {
	d.Diff.Paste(pasted)
	return d.Writing()
}

func (d *diff) Scroll(_ Context, lines int) { d.Diff.Scroll(lines) }

// note says why there is nothing to see.
func (d *diff) note() string {
	switch {
	case d.loading:
		return "Loading the diff ..."
	case d.error != "":
		return d.error
	case len(d.Diff.Diff.Files) == 0 && d.Diff.Diff.Since > 0:
		return fmt.Sprintf("No changes since round %d of comments", d.Diff.Diff.Since)
	case len(d.Diff.Diff.Files) == 0 && len(d.Diff.Diff.Comments) == 0:
		return "No changes since the task started"
	}
	return ""
}

// since says what the diff compares with.
func (d *diff) since(w int) string {
	switch base := d.Diff.Diff.Base; {
	case d.Diff.Diff.Since > 0:
		return fmt.Sprintf("  since round %d of comments", d.Diff.Diff.Since)
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
	bottom := style.Edge{Left: style.Spans{{d.foot(c, room.W), t.Faint}}}
	return room, t.Box(room, t.Focused, top, bottom, rows)
}

// foot says what keys do now.
func (d *diff) foot(c Context, w int) string {
	switch {
	case d.Writing():
		return " " + keys.JoinHints(c.Keys.Hints(keys.InComment, nil))
	case d.Listing(), d.Choosing():
		shown := []keys.Action{pager.WriteComment, pager.EditComment, pager.DeleteComment, pager.ListComments, Send,
			Close}
		return " " + keys.JoinHints(c.Keys.Hints(keys.InDiff, func(a keys.Action) bool {
			return !slices.Contains(shown, a)
		}))
	}
	return d.Foot(c.Keys, keys.InDiff, keys.JoinHints(d.hints(c)), w)
}

// hints returns the keys of the diff, besides the keys of every pager.
func (d *diff) hints(c Context) []keys.Hint {
	all := d.Diff.Diff
	return c.Keys.Hints(keys.InDiff, func(a keys.Action) bool {
		switch a {
		case pager.NextFile, pager.PreviousFile, pager.NextHunk, pager.PreviousHunk, Viewed, Fold, Close,
			pager.WriteComment:
			return false
		case pager.NextAlarm:
			return len(c.View.Check.Alarms) == 0
		case Send:
			return len(d.Draft()) == 0
		case pager.ListComments, pager.ShowResolved:
			return len(all.Comments) == 0
		case Since:
			return all.Rounds == 0
		}
		return true
	})
}

func (d *diff) Press(c Context, key string) (Dialog, intent.Intent) {
	a := c.Keys.Action(keys.InDiff, key)
	switch {
	case d.note() == "" && d.Diff.Press(c.Keys, key):
		if drafts, changed := d.TakeDrafts(); changed {
			return d, intent.KeepComments{Drafts: drafts}
		}
	case a == Reload && !d.loading:
		d.loading = true
		return d, intent.LoadDiff{Round: d.Diff.Diff.Since}
	case a == Since && !d.loading && d.Diff.Diff.Rounds > 0:
		round := d.Diff.Diff.Rounds
		if d.Diff.Diff.Since > 0 {
			round = 0
		}
		d.loading = true
		return d, intent.LoadDiff{Round: round}
	case a == Send && d.note() == "":
		return d.send(c)
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

// send asks before the comments go to the executor.
func (d *diff) send(c Context) (Dialog, intent.Intent) {
	drafts := d.Draft()
	if len(drafts) == 0 {
		return d, intent.Say{Text: "There is no comment to send: " + c.Keys.First(pager.WriteComment) + " writes one"}
	}
	if why := c.View.Disabled["comments"]; why != "" {
		return d, intent.Say{Text: "The comments could not be sent, and are kept: " + why, Error: true}
	}
	words := text.Count(len(drafts), "comment")
	return Question{Of: KindComments, Title: "Send " + words + "?", Text: "Sending " + c.View.SendComments + ".",
		Yes: Button{"send", intent.SendComments{Drafts: drafts}}, No: "back to the diff", back: d}, nil
}
