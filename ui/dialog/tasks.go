package dialog

import (
	"slices"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// taskPage is the list of tasks on a page, for screens that have no room for it beside the panes.
type taskPage struct {
	on     string     // the number of the row that the keys are on; empty: the selected task's
	filter keys.Field // only rows that contain it are listed
	typing bool       // keys go to the filter
	window window
}

// Tasks lists the tasks as they are at each moment. Enter selects one.
func Tasks() Dialog { return &taskPage{} }

func (p *taskPage) Kind() Kind { return KindTasks }

func (p *taskPage) Place() keys.Context { return keys.InList }

func (p *taskPage) Scroll(c Context, lines int) {
	l, rows := p.list(c)
	l.Scroll(c, lines)
	p.follow(l, rows)
}

// list returns the rows that match, and a list of them.
func (p *taskPage) list(c Context) (*List, []view.TaskRow) {
	l, rows := &List{Of: KindTasks, Title: "tasks"}, c.View.Tasks.Matching(string(p.filter))
	for _, r := range rows {
		name, words, wanted := taskTarget(r)
		l.Items = append(l.Items, Item{Name: name, Words: words, Intent: wanted})
	}
	at := func(is func(view.TaskRow) bool) int { return slices.IndexFunc(rows, is) }
	l.At = at(func(r view.TaskRow) bool { return r.Number == p.on })
	if l.At < 0 {
		l.At = max(at(func(r view.TaskRow) bool { return r.ID == c.View.Tasks.Selected }), 0)
	}
	if p.typing || p.filter != "" {
		l.Title += " /" + p.filter.Tail(maxShownFilter)
	}
	return l, rows
}

// maxShownFilter is how many characters of the filter the title has.
const maxShownFilter = 30

// follow keeps the keys on the row that the list has chosen.
func (p *taskPage) follow(l *List, rows []view.TaskRow) {
	if len(rows) > 0 {
		p.on = rows[l.At].Number
	}
}

func (p *taskPage) Draw(c Context, room style.Rect) (style.Rect, []string) {
	l, rows := p.list(c)
	l.Hints = c.Keys.Hints(keys.InList, nil)
	l.Hints = slices.Insert(l.Hints, len(l.Hints)-1, keys.Hint{Keys: "/", Words: "filter"},
		keys.Hint{Keys: "n", Words: "needs you"})
	if p.typing {
		l.Hints = keys.Searching.Hints(keys.InSearch, nil)
	}
	if len(rows) == 0 {
		l.Items = []Item{{Name: "No task matches " + string(p.filter)}}
	}
	l.window = p.window
	r, drawn := l.Draw(c, room)
	p.window = l.window
	return r, drawn
}

// Click moves the keys to the row that was clicked.
func (p *taskPage) Click(c Context, x, y, w int) {
	l, rows := p.list(c)
	l.window = p.window
	l.Click(c, x, y, w)
	p.follow(l, rows)
}

func (p *taskPage) Press(c Context, key string) (Dialog, intent.Intent) {
	l, rows := p.list(c)
	if p.typing {
		switch a := c.Keys.Action(keys.InSearch, key); {
		case a == keys.Accept:
			p.typing = false
		case a == keys.Cancel:
			p.typing, p.filter = false, ""
		case p.filter.Edit(a, text.Sanitize(keys.Letter(key))):
			p.on = ""
		}
		return p, nil
	}
	switch {
	case key == "/":
		p.typing, p.filter = true, ""
		return p, nil
	case key == "esc" && p.filter != "":
		p.filter = ""
		return p, nil
	case key == "n":
		return p, p.nextNeeding(l, rows)
	}
	next, wanted := l.Press(c, key)
	p.follow(l, rows)
	if next == l {
		return p, wanted
	}
	return next, wanted
}

// nextNeeding moves to the next task below that needs the human.
func (p *taskPage) nextNeeding(l *List, rows []view.TaskRow) intent.Intent {
	if next := view.NextNeeding(rows, l.At); next >= 0 {
		p.on = rows[next].Number
		return nil
	}
	return intent.Say{Text: view.NoTaskNeedsYou}
}

// taskTarget returns what the row of a task is called, and what it is chosen for.
func taskTarget(r view.TaskRow) (name, words string, wanted intent.Intent) {
	name, words, wanted = r.Number+" "+r.Title, r.State.Text, intent.SelectTask{ID: r.ID}
	if r.Why != "" {
		words = r.Why
	}
	if r.ID == "" {
		wanted = intent.Say{Text: r.NotStarted()}
	}
	return name, words, wanted
}
