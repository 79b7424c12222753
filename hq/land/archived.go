package land

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"

	"ferrus/hq/core"
	"ferrus/ui/text/lazyregexp"
)

// taskID is what names a task: it becomes part of a path.
var taskID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// find reads the task: the open one, or an archived one.
func (l *landing) find(ctx context.Context, id string) error {
	state, err := l.project.World()
	if err != nil {
		return err
	}
	task := state.World.Task
	if id == "" {
		if id, err = l.endedWorkflow(state.World); err != nil {
			return err
		}
	}
	if isWorkflow(id) {
		return l.findWorkflow(ctx, id)
	}
	switch {
	case id == "" && task == nil:
		return refuse("ferrus tasks lists archived tasks; land one with: ferrus land <task>", "there is no open task")
	case id == "" || task != nil && task.ID == id:
		l.w, l.Task = state.World, task.ID
		return nil
	case !taskID.MatchString(id):
		return refuse("ferrus tasks lists them", "%q is not a task", id)
	}
	l.past, l.Task = true, id
	return l.remember()
}

// remember folds the journal into the last state of an archived task. It is
// the whole journal: a line says only what differs from the task before.
func (l *landing) remember() error {
	names, err := l.project.Store.List("archive")
	if err != nil {
		return err
	}
	if !slices.Contains(names, l.Task) {
		return refuse("ferrus tasks lists them", "there is no task %q in this project", l.Task)
	}
	lines, err := l.project.Store.Journal(0)
	if err != nil {
		return err
	}
	state := map[string]any{}
	for _, line := range lines {
		ends := line.Event == string(core.KindReset) || line.Event == string(core.KindCreateTask)
		if task, ok := state["task"].(map[string]any); ok && ends && task["id"] == l.Task {
			break
		}
		var patch map[string]any
		if json.Unmarshal(line.Data, &patch) == nil {
			merge(state, patch)
		}
	}
	folded, err := json.Marshal(state)
	if err == nil {
		err = json.Unmarshal(folded, &l.w)
	}
	if err != nil || l.w.Task == nil || l.w.Task.ID != l.Task {
		return refuse("commit it by hand; ferrus report "+l.Task+" shows what is known",
			"the journal of %s does not say how it ended", l.Task)
	}
	var landed core.Landed
	if data, err := l.project.Store.ReadFile(landedFile(l.Task)); err == nil && json.Unmarshal(data, &landed) == nil {
		l.w.Task.Landed = &landed
	}
	return nil
}

// merge applies a JSON merge patch.
func merge(to, patch map[string]any) {
	for name, value := range patch {
		part, object := value.(map[string]any)
		before, has := to[name].(map[string]any)
		switch {
		case value == nil:
			delete(to, name)
		case object && has:
			merge(before, part)
		case object:
			fresh := map[string]any{}
			merge(fresh, part)
			to[name] = fresh
		default:
			to[name] = value
		}
	}
}

// readText returns a text of the task.
func (l *landing) readText(name string) (string, error) {
	if l.past {
		data, err := l.project.Store.ReadFile(path.Join("archive", l.Task, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return string(data), err
	}
	state, err := l.project.World()
	if err != nil {
		return "", err
	}
	return l.project.Store.ReadText(state, name)
}
