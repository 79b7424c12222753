package conductor

import (
	"context"
	"path/filepath"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/hq/config"
	"ferrus/hq/land"
	"ferrus/hq/merge"
	"ferrus/store"
)

// checkout is what is checked out where the project is, and what lands there.
type checkout struct {
	*observed
	gate    *gateview.Watch
	changed func()
	branch  string // of the project's repository, with the short commit
}

// Land lands the approved work of the task, and shows its steps as notices. The work of a task with a
// worktree of its own is staged: the conductor of the project merges it.
func (k *checkout) Land(ctx context.Context, o land.Options) (land.Done, error) {
	if k.project.HasDirectory() && !o.Keep {
		_, item, err := merge.StageTask(ctx, k.project, o.Message)
		if err != nil {
			return land.Done{}, err
		}
		done := land.Done{Staged: item.Name(), Onto: item.Staged.Target}
		if item.ByPull() {
			done.Pull = "a pull request"
		}
		return done, nil
	}
	o.Tell = func(words string) { k.loop.Ask(func() { k.notices.Add(false, "%s", words) }) }
	o.Watch = func(commands []string) land.Watch {
		progress, over := k.gate.Track("landing", commands, k.changed)
		setup := func(of int, p checks.Progress) { k.gate.Setup(of, p); k.changed() }
		return land.Watch{Progress: progress, Setup: setup, Over: over}
	}
	defer k.loop.Ask(k.landed)
	return land.Land(ctx, k.project, "", o)
}

// landed reads what a landing changed.
func (k *checkout) landed() {
	k.reload()
	k.branch = k.project.Repo().Describe(k.loop.Context)
}

// finishLanding completes or rolls back a landing that was killed. Its failure is shown, and
// keeps no session from running.
func (k *checkout) finishLanding() {
	words, err := land.Recover(k.loop.Context, k.project)
	k.notices.AddErrorOnce(err)
	if words != "" {
		k.notices.Add(false, "%s", words)
	}
}

// watch takes a turn of the loop, which reads ferrus.toml, after each change of that file
// and of the checked-out commit or branch.
func (k *checkout) watch() {
	files := append(k.project.Repo().HeadFiles(), filepath.Join(k.project.Dir, config.File))
	changes := store.WatchFiles(k.loop.Context, files...)
	k.loop.Go(func() {
		for range changes {
			k.describe()
		}
	})
}

// describe asks git what is checked out, which takes several processes: the first frame does
// not wait for them.
func (k *checkout) describe() {
	branch := k.project.Repo().Describe(k.loop.Context)
	k.loop.Post(func() { k.branch = branch })
}
