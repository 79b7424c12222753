package slash

import (
	"context"

	"ferrus/ui/dialog"
	"ferrus/ui/intent"
)

// projects lists the projects of this machine.
type projects struct{ once }

// Run lists the projects of this machine.
func (projects) Run(ctx context.Context, e *Env) (Result, error) {
	all, err := e.Project.Projects(ctx)
	if err != nil {
		return Result{}, err
	}
	l := &dialog.List{Of: dialog.KindProjects, Title: "projects on this machine"}
	for _, p := range all {
		item := dialog.Item{Name: p.Name, Words: p.Words, Intent: intent.OpenProject{Dir: p.Dir}}
		if p.Here {
			item.Name, item.Intent = p.Name+" (this one)", intent.Say{Text: "This project is already open here"}
		}
		l.Items = append(l.Items, item)
	}
	if len(l.Items) == 0 {
		return report("No other project is known on this machine", nil)
	}
	return Result{Dialog: l, Later: "The list of projects is ready: /projects"}, nil
}
