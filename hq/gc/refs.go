package gc

import (
	"context"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store"
	"ferrus/ui/text/lazyregexp"
)

// refUses says which of ferrus's refs the projects of a repository need.
type refUses struct {
	refs   map[string]bool // names that a merge or a pull request needs
	tasks  map[string]bool // the tasks that are open
	known  map[string]bool // tasks and workflows that have ended
	landed map[string]bool // tasks whose work is in its branch
}

// refKinds are the directories below refs/ferrus whose refs can be freed, and why, where no merge needs the ref; empty:
// each ref is of one task.
var refKinds = map[string]string{
	"kept": "", "returned": "", "rescued": "", "staged": "", "pull": "",
	"merge": "nothing is merged into its branch", "fetched": "no pull request needs it",
}

// attempts matches the refs of what workers sent of an attempt of a task.
var attempts = lazyregexp.New(`^refs/ferrus/t-[a-z0-9-]+/[0-9]+$`)

// findRefs lists refs of ferrus that no task, merge or pull request needs, or that are old.
func findRefs(ctx context.Context, p *project.Task, o Options) (all []Item, err error) {
	uses, err := refUsesOf(ctx, p)
	if err != nil {
		return nil, err
	}
	args := []string{"for-each-ref", "--format=%(objectname) %(committerdate:unix) %(refname)", "refs/ferrus/t-*/*"}
	for kind := range refKinds {
		args = append(args, "refs/ferrus/"+kind)
	}
	out, err := git.Around(p.Dir).Output(ctx, args...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) < 3 {
			continue
		}
		ref, seconds := fields[2], fields[1]
		unix, _ := strconv.ParseInt(seconds, 10, 64) // What has no date is old.
		i := Item{Kind: Ref, Name: ref, Used: time.Unix(unix, 0).UTC()}
		if i.Why = uses.free(ref, o.Now.Sub(i.Used)); i.Why == "" {
			continue
		}
		i.free = func(ctx context.Context) error {
			return git.Around(p.Dir).Do(ctx, "update-ref", "-d", ref, fields[0])
		}
		all = append(all, i)
	}
	return all, nil
}

// free returns why a ref whose commit has the given age can be freed; empty: it cannot.
func (u refUses) free(ref string, age time.Duration) string {
	if why := refKinds[path.Base(path.Dir(ref))]; why != "" {
		if u.refs[ref] {
			return ""
		}
		return why
	}
	id := strings.TrimSuffix(path.Base(ref), "-head") // of what was fetched of its pull request
	attempt := attempts.MatchString(ref)
	if attempt {
		id = path.Base(path.Dir(ref))
	}
	switch {
	case u.tasks[id]:
	case attempt && u.landed[id]:
		return "its task has landed"
	case !u.known[id]:
		return "its task is gone"
	case age > KeepRefs:
		return "its commit is older than 90 days"
	}
	return ""
}

// refUsesOf asks all projects of the repository of one. It is an error if one of them cannot be read.
func refUsesOf(ctx context.Context, p *project.Task) (refUses, error) {
	u := refUses{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	home, err := git.Locate(p.Dir)
	if err != nil {
		return u, nil //nolint:nilerr // without a repository there are no refs
	}
	all := []*project.Task{p}
	dirs := []string{}
	if p.Heads != "" {
		if dirs, _, err = project.Known(p.Heads); err != nil {
			return u, err
		}
	}
	for _, dir := range dirs {
		if other, err := git.Locate(dir); dir == p.Dir || err != nil || other.Common != home.Common {
			continue
		}
		one, err := project.Inspect(dir, p.Heads)
		if err != nil {
			return u, err
		}
		all = append(all, one)
	}
	for _, one := range all {
		if err := errors.Join(u.addTasks(one), u.addMerges(one)); err != nil {
			return u, err
		}
	}
	return u, ctx.Err()
}

// addTasks adds the tasks of a project.
func (u refUses) addTasks(p *project.Task) error {
	for _, dir := range []string{"archive", "workflows", project.TasksDir} {
		names, err := p.Store.List(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			u.known[name] = true
		}
	}
	worlds, err := p.Worlds()
	for _, w := range worlds {
		if w.Task != nil {
			u.tasks[w.Task.ID] = true
		}
	}
	return err
}

// addMerges adds the refs that the merges and pull requests of a project need.
func (u refUses) addMerges(p *project.Task) error {
	q, err := queue.Open(p)
	if errors.Is(err, store.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := q.Load()
	if err != nil {
		return err
	}
	for _, target := range s.World.Targets() {
		u.refs[q.CandidateRef(target)] = true
	}
	for _, i := range s.World.Items {
		if i.Dir != "" && i.Final() && i.Landed != "" {
			u.landed[i.Dir] = true
		}
		if i.Pull != nil && (!i.Final() || i.ClosesPull() || i.IsAway()) || i.ByPull() {
			u.refs[queue.FetchedRef(i.Onto)] = true
		}
	}
	return nil
}
