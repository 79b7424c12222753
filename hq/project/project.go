// Package project opens a project and its tasks, and executes every command on them.
//
// [Find] the directory, [Open] it, and give commands to [Task.Do]. Do gathers the facts
// that a command needs (trees, processes, what the gate would run) without the lock,
// decides under the lock, and commits; if the state has changed in between it gathers
// again. A refused command returns a *machine.Refusal and has changed nothing.
//
// Beside the state, the package reads and writes the small files of a project: the
// registry of sessions, the presences of servers, messages, reviews and specs. Each file
// has one writer, named at its type. [Task.InsideSession] tells a command that you
// typed from one that an agent runs.
//
// All methods are safe for concurrent use.
package project

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/worktree"
	"ferrus/store"
	"ferrus/ui/text"
)

// Project is a directory with ferrus.toml and .ferrus: its configuration, what you trust in
// it, its locks and its specs. Its tasks are each a [Task].
type Project struct {
	Dir    string       // absolute, without links
	Files  *store.Files // below its .ferrus
	Heads  store.Heads  // where the heads of records are kept, too; set by [OpenKept]
	Via    string       // where the human's commands come from, for the journal; set before the first use
	Trusts *TrustStore  // which check commands may run here; nil: all, for tests; set before the first use
	Lanes  string       // directory of the gate's lanes; empty: below .ferrus, for tests; set before the first use
	Agents config.Names // built-in agents, first the supervisor's default; set before the first use of Config

	Actions config.Actions // what the keys of HQ can do; set before the first use of Config
	Meters  config.Meters  // what the agents report of their usage; nil: unknown; set before the first use of Config

	once  sync.Once // makes cache
	cache *config.Cache
}

// Task is one task of a project, with the sessions and gates that its state calls for: its
// record, its files beside that, and its workspace. Make it with [Open].
type Task struct {
	*Project
	RuntimeFiles
	Store *store.Dir[core.World]
	ID    string // its directory in [TasksDir], and its name; empty: its record is .ferrus
	main  *Task  // nil: this is it
}

// NewTask returns the task of a project whose record is its .ferrus.
func NewTask(p *Project, s *store.Dir[core.World]) *Task {
	return &Task{Project: p, RuntimeFiles: RuntimeFiles{s}, Store: s}
}

// Open opens the project in a directory, and the task whose record is its .ferrus. Names are
// the built-in agents, the supervisor's default first. The errors are those of store.Open.
func Open(dir string, names ...string) (*Task, error) { return OpenKept(dir, "", names...) }

// OpenKept opens a project as [Open] does; the heads of its records are kept in heads, too.
func OpenKept(dir string, heads store.Heads, names ...string) (*Task, error) {
	return open(dir, heads, names, store.Open[core.World])
}

// Inspect opens a project for diagnosis, as store.Inspect does: it completes nothing that a
// crash left.
func Inspect(dir string, heads store.Heads, names ...string) (*Task, error) {
	return open(dir, heads, names, store.Inspect[core.World])
}

func open(dir string, heads store.Heads, names config.Names,
	open func(string, ...store.Heads) (*store.Dir[core.World], error)) (*Task, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	if err := CheckPath(absolute); err != nil {
		return nil, err
	}
	s, err := open(absolute, heads)
	if err != nil {
		return nil, err
	}
	p := &Project{Dir: absolute, Files: &s.Files, Heads: heads, Agents: names}
	p.ExpectRepository()
	return NewTask(p, s), nil
}

// CheckPath refuses a directory whose path is not UTF-8. Records and messages are JSON, which cannot keep such a path:
// what was trusted there would be trusted nowhere.
func CheckPath(dir string) error {
	if !utf8.ValidString(dir) {
		return fmt.Errorf("the path %s is not UTF-8, so ferrus cannot record it; rename the directory",
			text.Sanitize(dir))
	}
	return nil
}

// Config returns ferrus.toml as it is now. If the file is invalid it returns the last valid
// one, with the error to show.
func (p *Project) Config() (config.Config, error) {
	p.once.Do(func() {
		p.cache = config.NewCache(p.Dir, p.Agents, p.Actions...)
		p.cache.Meters = p.Meters
	})
	return p.cache.Get()
}

// World returns the present state. It may no longer be the newest when World returns.
func (t *Task) World() (store.State[core.World], error) { return t.Store.Load() }

// SharedWorld is like [Task.World], for callers that read often and never change the
// result; see [store.Dir.LoadShared].
func (t *Task) SharedWorld() (store.State[core.World], error) { return t.Store.LoadShared() }

// CheckPlace returns a *store.PlaceError if the project was moved, copied or restored, or its git
// directory is another one, and another error if its record, or a workflow's, cannot be used.
func (t *Task) CheckPlace(ctx context.Context) error {
	return errors.Join(t.CheckOwnPlace(ctx), t.eachRecord(func(d *store.Dir[record]) error { return d.Check(ctx) }))
}

// CheckOwnPlace is like [Task.CheckPlace] without the records of workflows and of the queue, which
// may be large. Opening one of them returns its error.
func (t *Task) CheckOwnPlace(ctx context.Context) error {
	return errors.Join(t.Store.Check(ctx), t.checkRepository())
}

// Adopt continues a project that was moved, copied or restored, with its workflows and its
// present git directory.
func (t *Task) Adopt(ctx context.Context) error {
	if !t.HasDirectory() { // they come first: as long as the project is not adopted, all of it is done again
		if err := t.eachTask(func(one *Task) error { _, err := one.Store.Adopt(ctx); return err }); err != nil {
			return err
		}
	}
	if _, err := t.Store.Adopt(ctx); err != nil {
		return err
	}
	if err := t.writeRepository(); err != nil {
		return err
	}
	return t.eachRecord(func(d *store.Dir[record]) error { _, err := d.Adopt(ctx); return err })
}

// eachTask calls f with each task that has a directory of its own and was begun.
func (t *Task) eachTask(f func(*Task) error) error {
	names, err := t.TaskDirs()
	for _, id := range names {
		one, opening := t.InspectTask(id)
		if opening == nil {
			opening = f(one)
		}
		if !errors.Is(opening, store.ErrNone) {
			err = errors.Join(err, opening)
		}
	}
	return err
}

// record is the state of a workflow, which can be moved without being understood.
type record = store.Opaque

// eachRecord calls f with the record of each workflow that was begun, and of the queue.
func (t *Task) eachRecord(f func(*store.Dir[record]) error) error {
	t = t.Main()
	names, err := t.Store.List("workflows")
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "w-") })
	for i := range names {
		names[i] = "workflows/" + names[i]
	}
	if there, listing := t.Store.List("queue"); len(there) > 0 || listing != nil {
		names, err = append(names, "queue"), errors.Join(err, listing)
	}
	for _, name := range names {
		d, opening := store.InspectIn[record](t.Store, name)
		if opening == nil {
			opening = f(d)
		}
		if !errors.Is(opening, store.ErrNone) { // it was not started
			err = errors.Join(err, opening)
		}
	}
	return err
}

// Top returns the directory that sessions of the project change: of its repository, or without one its own.
func (p *Project) Top() string {
	if r, err := git.Locate(p.Dir); err == nil {
		return r.Top
	}
	return p.Dir
}

// Repo returns the git repository of the project directory.
func (p *Project) Repo() checks.Repo { return p.repoIn(p.Dir, "") }

// Work returns the git repository of the task's workspace: what the gate checks.
func (t *Task) Work(w core.World) checks.Repo {
	if w.Task == nil {
		return t.repoIn(t.Workspace(w), t.ID)
	}
	return t.repoIn(t.Workspace(w), w.Task.ID)
}

// RepoAt returns the git repository of a directory: the project directory, or one in a worktree of
// the project.
func (p *Project) RepoAt(dir string) checks.Repo {
	below, err := filepath.Rel(filepath.Join(p.Dir, ".ferrus", worktree.Folder), dir)
	if err != nil || !filepath.IsLocal(below) {
		return p.repoIn(p.Dir, "")
	}
	id, _, _ := strings.Cut(filepath.ToSlash(below), "/")
	return p.repoIn(dir, id)
}

// repoIn returns the git repository of the workspace of a task, which is the project
// directory or in the task's worktree.
func (p *Project) repoIn(dir, task string) checks.Repo {
	r := checks.Repo{Workspace: dir, Private: p.Files.Path("run", "git")}
	if dir != p.Dir {
		r.Home, r.Root = p.Dir, p.Worktree(task).Top()
	}
	return r
}
