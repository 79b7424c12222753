package slash

import (
	"context"
	"errors"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

var taskOptions = []option{
	{name: "--manual", help: "without the selected milestone"},
	{name: "--again", help: "use the selected milestone although it is done"},
	{name: "--now", help: "create the task as written, without a supervisor"},
	{name: "--with-changes", help: "copy uncommitted changes into its worktree"},
}

// task asks for a task: through a supervisor, or as written.
type task struct {
	Text        string
	Manual, Now bool
	Again       bool // use the selected milestone although it is done
	Changes     bool // copy uncommitted changes into its worktree
}

func parseTask(v *view.View, args string) (intent.Intent, error) {
	if args == "" && (v.Spec.Last != "" || v.Spec.Milestone != "") {
		return dialog.Open{Dialog: taskList(v.Spec)}, nil
	}
	g, err := read("task", taskOptions, args)
	if err != nil {
		return nil, err
	}
	t := task{Text: g.text, Manual: g.has("--manual"), Now: g.has("--now"), Again: g.has("--again"),
		Changes: g.has("--with-changes")}
	switch {
	case t.Now && t.Text == "":
		return nil, errors.New("/task --now needs the task's text")
	case t.Now && (t.Manual || t.Again):
		return nil, errors.New("/task --now uses the text as written, without a milestone")
	case t.Manual && t.Again:
		return nil, errors.New("/task --manual ignores the milestone and --again uses it again: choose one of them")
	}
	return t, nil
}

// taskList is /task alone while there is something to take it from.
func taskList(s view.Spec) *dialog.List {
	l := &dialog.List{Of: dialog.KindTask, Title: "task"}
	if s.Milestone != "" {
		l.Items = append(l.Items,
			dialog.Item{Name: "from milestone " + s.Milestone + " of " + s.Selected, Intent: task{}},
			dialog.Item{Name: "from another milestone", Intent: listMilestones{}})
	}
	if s.Last != "" {
		next := task{Text: "The next task of the spec " + s.Last, Manual: true}
		l.Items = append(l.Items, dialog.Item{Name: "from " + s.Last, Intent: next})
	}
	l.Items = append(l.Items, dialog.Item{Name: "without a milestone", Intent: task{Manual: true}})
	return l
}

// Intent implements [intent.Intent].
func (task) Intent() {}

// Run creates the task, or asks for a supervisor that drafts it.
func (t task) Run(ctx context.Context, e *Env) (Result, error) {
	slot := core.SlotPlanner
	if t.Now {
		slot = core.SlotExecutor
	}
	note, err := e.checkNewFiles(ctx, slot, t.Text, !t.Changes)
	if err != nil {
		return Result{}, err
	}
	if t.Now {
		r, err := do(ctx, e, core.Command{Kind: core.KindCreateTask, Text: t.Text, Changes: t.Changes})
		if err == nil {
			r.Text = withNote(r.Text, note)
		}
		return r, err
	}
	return Result{Text: withNote("A supervisor starts", note), Slot: slot}, e.Sessions.Want(core.Request{
		Kind: core.ModeTask, Role: machine.Supervisor, Text: t.Text, Manual: t.Manual, Again: t.Again,
		Changes: t.Changes,
	})
}

// CommandLine returns the task as it would be typed.
func (t task) CommandLine() string {
	line := "/task "
	for _, o := range []struct {
		given bool
		name  string
	}{{t.Manual, "--manual "}, {t.Again, "--again "}, {t.Now, "--now "}, {t.Changes, "--with-changes "}} {
		if o.given {
			line += o.name
		}
	}
	return line + typed(taskOptions, t.Text)
}
