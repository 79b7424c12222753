package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
	"ferrus/ui/pager"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// taskName is the document that is the text of the task.
const taskName = "task"

// side is what stands beside the only pane of a very wide screen.
type side struct {
	choice  sideChoice
	task    pager.Page
	diff    *pager.Diff // nil: none was loaded
	problem string      // why there is no diff
	asked   uint64      // the version of the diff that was asked for last
}

// sideChoice is what the human chose to stand there.
type sideChoice uint8

const (
	sideFits sideChoice = iota // what fits the state of the task
	sideTask
	sideDiff
	sideNothing
)

func textOfTask(v *view.View) string {
	i := slices.IndexFunc(v.Documents, func(d view.Document) bool { return d.Name == taskName })
	if i < 0 {
		return ""
	}
	return v.Documents[i].Text
}

// showsDiff reports whether the diff stands there, or would.
func (b *side) showsDiff(v *view.View) bool {
	if v.Disabled["diff"] != "" || b.choice == sideTask {
		return false
	}
	return b.choice == sideDiff || v.Side.Diff
}

func (b *side) name(v *view.View) string {
	if b.showsDiff(v) {
		return "diff"
	}
	return taskName
}

// load takes a diff that was loaded, or why it was not.
func (b *side) load(msg DiffMsg) {
	b.problem = text.Sanitize(msg.Error)
	b.diff = pager.NewDiff(msg.Diff)
}

// scroll scrolls what stands there, down where it is positive.
func (b *side) scroll(v *view.View, lines int) {
	switch {
	case !b.showsDiff(v):
		b.task.Scroll(lines)
	case b.diff != nil:
		b.diff.Scroll(lines)
	}
}

// loadSide asks for the diff that stands there, once for each version.
func (m *Model) loadSide() tea.Cmd {
	s := &m.screen
	if !s.hasSide() || !s.side.showsDiff(&m.view) || s.side.asked == m.view.Side.Version {
		return nil
	}
	s.side.asked = m.view.Side.Version
	return m.options.Do(intent.LoadDiff{})
}

// switchSide shows the other of the task and its diff, then nothing, then again what
// fits the state of the task.
func switchSide(m *Model, _ string) tea.Cmd {
	s := &m.screen
	if s.shape != wide || s.w < sideColumns {
		m.say("A side pane needs at least 180 columns", false)
		return nil
	}
	b := &s.side
	switch first := m.view.Side.Diff; {
	case b.choice == sideFits && first:
		b.choice = sideTask
	case b.choice == sideFits:
		b.choice = sideDiff
	case b.choice == sideNothing:
		b.choice = sideFits
	default:
		b.choice = sideNothing
	}
	if s.focus == numberSide && !s.hasSide() {
		s.focus, s.chosen = 0, 0
	}
	s.arrange()
	return tea.Batch(m.fitPanes(), m.loadSide())
}

// sideBox draws what stands beside the only pane.
func (f frame) sideBox(r style.Rect) []string {
	t, inner, b := f.t, r.Inner(), &f.screen.side
	border, mark := f.border(numberSide)
	top := style.Edge{Left: style.Spans{{mark, t.Focused}, {"9 " + b.name(&f.view), f.titleLook(numberSide)}}}
	if !b.showsDiff(&f.view) {
		rows := b.task.Markdown(t, textOfTask(&f.view), inner.W)
		return t.Box(r, border, top, style.Edge{}, b.task.Window(t, rows, inner.H))
	}
	note := ""
	switch {
	case b.diff == nil:
		note = "Loading the diff ..."
	case b.problem != "":
		note = b.problem
	case len(b.diff.Diff.Files) == 0:
		note = "No changes since the task started"
	}
	if note != "" {
		return t.Box(r, border, top, style.Edge{}, style.Note(inner.W, inner.H, note, t.Faint))
	}
	top.Right = b.diff.Sum(t, f.viewed.marked)
	b.diff.Alarms = f.view.Check.Alarms
	return t.Box(r, border, top, style.Edge{}, b.diff.Draw(t, f.viewed.marked, inner.W, inner.H))
}
