package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/store"
	"ferrus/ui/text/lazyregexp"
)

// TasksDir has the tasks that work in worktrees of their own, below .ferrus: the record and
// the files of each are in a directory that is named after it.
const TasksDir = "tasks"

// TaskEnv is the environment variable that names the task to every process of a session; it is
// empty for the task whose record is .ferrus.
const TaskEnv = "FERRUS_TASK"

// taskDir matches the names of the directories of tasks.
var taskDir = lazyregexp.New(`^t-[0-9]+(-[a-z0-9]+)*$`)

// Main returns the task of the project whose record is .ferrus.
func (t *Task) Main() *Task {
	if t.main == nil {
		return t
	}
	return t.main
}

// HasDirectory reports whether the task has a directory of its own, and so a worktree: it never
// works in your checkout.
func (t *Task) HasDirectory() bool { return t.ID != "" }

// OpenTask opens a task that has its own directory; without a name it returns the task whose
// record is .ferrus. The errors are those of store.OpenAt.
func (t *Task) OpenTask(id string) (*Task, error) {
	return t.openTask(id, func(root string) (*store.Dir[core.World], error) {
		return store.OpenAt[core.World](root, t.heads()...)
	})
}

// MakeTask opens a task with a directory of its own, which it makes if there is none.
func (t *Task) MakeTask(ctx context.Context, id string) (*Task, error) {
	return t.openTask(id, func(root string) (*store.Dir[core.World], error) {
		if err := t.Files.MkdirExclusive(TasksDir); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return store.CreateAt(ctx, root, core.New(time.Now()), t.heads()...)
	})
}

// InspectTask opens a task for diagnosis, as [Inspect] does.
func (t *Task) InspectTask(id string) (*Task, error) {
	return t.openTask(id, func(root string) (*store.Dir[core.World], error) {
		return store.InspectAt[core.World](root, t.heads()...)
	})
}

func (t *Task) openTask(id string, open func(root string) (*store.Dir[core.World], error)) (*Task, error) {
	if id == "" {
		return t.Main(), nil
	}
	if !taskDir.MatchString(id) {
		return nil, fmt.Errorf("open task: %.80q is not a task id", id)
	}
	s, err := open(t.Files.Path(TasksDir, id))
	if err != nil {
		return nil, err
	}
	return &Task{Project: t.Project, RuntimeFiles: RuntimeFiles{s}, Store: s, ID: id, main: t.Main()}, nil
}

// TaskDirs returns the names of the tasks with a directory of their own.
func (p *Project) TaskDirs() ([]string, error) {
	names, err := p.Files.List(TasksDir)
	return slices.DeleteFunc(names, func(name string) bool { return !taskDir.MatchString(name) }), err
}

// TakenNames returns the names of [Project.TaskDirs], and the names in branches and refs of the repository:
// another project of it may have given them to its tasks.
func (p *Project) TakenNames(ctx context.Context) ([]string, error) {
	names, err := p.TaskDirs()
	if err != nil {
		return nil, err
	}
	refs, err := git.Around(p.Dir).Output(ctx, "for-each-ref", "--format=%(refname)",
		"refs/heads/ferrus", "refs/ferrus")
	for ref := range strings.Lines(refs) {
		names = append(names, strings.Split(strings.TrimSpace(ref), "/")...)
	}
	return names, err
}

// IsArchived reports whether a task was archived: in .ferrus, or in a directory of its own.
func (t *Task) IsArchived(id string) bool {
	for _, dir := range []string{"", TasksDir + "/" + id + "/"} {
		if _, err := t.Files.ReadFile(dir + "archive/" + id + "/journal.jsonl"); err == nil {
			return true
		}
	}
	return false
}

func (p *Project) heads() []store.Heads {
	if p.Heads == "" {
		return nil
	}
	return []store.Heads{p.Heads}
}

// sessions returns the sessions of all tasks of the project. One that cannot be read has none.
func (t *Task) sessions() (all Registry) {
	names, _ := t.TaskDirs()
	for _, id := range append(names, "") {
		if one, err := t.InspectTask(id); err == nil {
			if r, err := one.Registry(); err == nil {
				all.Agents = append(all.Agents, r.Agents...)
			}
		}
	}
	return all
}

// Worlds are the states of the tasks of a project.
type Worlds []core.World

// Of returns the state of the task with an id; nil: no record has it.
func (all Worlds) Of(id string) *core.World {
	for i := range all {
		if t := all[i].Task; t != nil && t.ID == id {
			return &all[i]
		}
	}
	return nil
}

// Worlds returns the states of all tasks of the project: first of the one whose record is .ferrus,
// then of those with a directory of their own that have begun. It is an error if one cannot be read.
func (t *Task) Worlds() (Worlds, error) {
	state, err := t.Main().World()
	if err != nil {
		return nil, err
	}
	all := Worlds{state.World}
	err = t.Main().eachTask(func(one *Task) error {
		state, err := one.World()
		if err == nil && state.World.Task != nil {
			all = append(all, state.World)
		}
		return err
	})
	return all, err
}
