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
		item := Item{Name: r.Number + " " + r.Title, Words: r.State.Text}
		if r.Why != "" {
			item.Words = r.Why
		}
		if item.Intent = (intent.SelectTask{ID: r.ID}); r.ID == "" {
			item.Intent = intent.Say{Text: r.NotBegun()}
		}
		l.Items = append(l.Items, item)
	}
	l.At = max(slices.IndexFunc(v.Tasks.Rows, func(r view.TaskRow) bool { return r.ID == v.Tasks.Selected }), 0)
	return l
}
