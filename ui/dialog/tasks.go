package dialog

import (
	"slices"

	"ferrus/ui/intent"
	"ferrus/ui/view"
)

// Tasks is the list of tasks, which Enter selects.
func Tasks(v *view.View) *List {
	l := &List{Of: KindTasks, Title: "tasks"}
	for _, r := range v.Tasks.Rows {
		name, words, wanted := taskTarget(r)
		l.Items = append(l.Items, Item{Name: name, Words: words, Intent: wanted})
	}
	l.At = max(slices.IndexFunc(v.Tasks.Rows, func(r view.TaskRow) bool { return r.ID == v.Tasks.Selected }), 0)
	return l
}

// taskTarget returns what the row of a task is called, and what it is chosen for.
func taskTarget(r view.TaskRow) (name, words string, wanted intent.Intent) {
	name, words, wanted = r.Number+" "+r.Title, r.State.Text, intent.SelectTask{ID: r.ID}
	if r.Why != "" {
		words = r.Why
	}
	if r.ID == "" {
		wanted = intent.Say{Text: r.NotBegun()}
	}
	return name, words, wanted
}
