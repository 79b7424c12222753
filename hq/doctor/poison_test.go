package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/gc"
	"ferrus/hq/hqtest"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/store/longtest"
)

// TestNoPlaceRunsAProgramOfTheRepository runs every part of ferrus that uses git, in a repository
// whose every file for git tells it to run a program.
func TestNoPlaceRunsAProgramOfTheRepository(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for _, workspace := range []string{"here", "worktree"} {
		t.Run(workspace, func(t *testing.T) {
			t.Parallel()
			l := &poisoned{T: t, Task: hqtest.NewProject(t, hqtest.Files{
				"ferrus.toml":    "[checks]\ncommands = [\"true\"]\n[hq]\nworkspace = \"" + workspace + "\"\n",
				"a.txt":          "a\n",
				".gitattributes": "* filter=x diff=x merge=x\n*.bin filter=lfs\n",
				".gitmodules":    "[submodule \"x\"]\n\tpath = x\n\turl = ext::false\n\tupdate = !false\n",
			}), ran: filepath.Join(t.TempDir(), "ran")}
			gittest.Poison(t, l.Dir, l.ran)
			l.play()
		})
	}
}

// poisoned is such a repository.
type poisoned struct {
	*testing.T
	*project.Task
	ran string
}

func (l *poisoned) world() core.World { l.Helper(); return hqtest.World(l, l.Task) }

func (l *poisoned) do(c core.Command) core.Result { l.Helper(); return hqtest.Do(l, l.Task, c) }

// place runs one part and checks that it ran no program.
func (l *poisoned) place(name string, f func() error) {
	l.Helper()
	if err := f(); err != nil {
		l.Errorf("%s: %v", name, err)
	}
	if output, err := os.ReadFile(l.ran); err == nil {
		l.Fatalf("%s: a program of the repository ran:\n%s", name, output)
	}
}

// play runs all parts.
func (l *poisoned) play() {
	ctx := l.Context()
	l.place("a task is created", func() error {
		l.do(core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# Do it\n"})
		return nil
	})
	w := l.world()
	hqtest.Write(l, l.Workspace(w), "new.go", "package new\n")
	hqtest.Write(l, l.Workspace(w), "a.txt", "changed\n")
	evil := gittest.Poison(l, l.Dir, l.ran) // The worktree now has its own configuration.
	l.place("the base is gated", func() error { return gate.RunBase(ctx, l.Task) })
	l.place("the work is gated", func() error {
		l.do(core.Command{Kind: core.KindClaim, By: hqtest.Executor()})
		ticket := l.do(core.Command{Kind: core.KindCheck, By: hqtest.Executor()}).Ticket
		return gate.Run(ctx, l.Task, ticket, gate.Options{})
	})
	work := l.Work(w)
	tree, err := work.Tree(ctx)
	hqtest.Must(l, err)
	l.place("the diff is shown", func() error {
		files, err := work.Patch(ctx, w.Task.Base.Tree, tree.Hash)
		if len(files) != 2 {
			l.Errorf("the diff is %+v, want 2 files", files)
		}
		return err
	})
	l.place("ignored files are listed", func() error { _, err := work.Ignored(ctx); return err })
	l.place("excludes are pinned", func() error { return work.Pin(ctx) })
	l.place("the commit is described", func() error { work.Describe(ctx); return nil })
	l.place("the work is submitted and approved", func() error {
		l.do(core.Command{Kind: core.KindSubmit, By: hqtest.Executor(), Text: "## Summary\nDone.\n\n" +
			"## How to verify manually\nLook.\n"})
		l.do(core.Command{Kind: core.KindApprove, By: project.HumanActor()})
		return nil
	})
	l.place("the doctor looks", func() error { _, err := Examine(ctx, l.Dir, Options{}); return err })
	l.place("garbage is looked for", func() error {
		_, err := gc.Find(ctx, l.Task, gc.Options{Now: time.Now()})
		return err
	})
	l.place("the work does not land", func() error {
		if _, err := land.Land(ctx, l.Task, "", land.Options{}); err == nil {
			l.Error("the work landed without the repository's hooks and signature")
		}
		return nil
	})
	hqtest.Must(l, os.RemoveAll(evil+".hooks"))
	for _, name := range []string{"config", "config.worktree"} {
		config := filepath.Join(l.Dir, ".git", name)
		text, err := os.ReadFile(config)
		hqtest.Must(l, err)
		hqtest.Must(l, os.WriteFile(config, append(text, "[commit]\n\tgpgSign = false\n"...), 0o600))
	}
	l.place("the work lands", func() error { _, err := land.Land(ctx, l.Task, "", land.Options{}); return err })
	l.place("worktrees are made, listed and removed", func() error {
		hqtest.Write(l, l.Dir, "carried.go", "package carried\n")
		place := l.Worktree("t-other")
		if _, err := worktree.Make(ctx, place, worktree.Options{Changes: true}); err != nil {
			return err
		}
		if _, err := worktree.List(ctx, l.Dir); err != nil {
			return err
		}
		if _, err := worktree.Losses(ctx, place); err != nil {
			return err
		}
		return worktree.Discard(ctx, place)
	})
	l.place("the human asks for a gate", func() error {
		_, err := gate.Force(ctx, l.Task, gate.Options{})
		return err
	})
	if got := l.world().Task.Landed; got == nil || strings.TrimSpace(got.Commit) == "" {
		l.Errorf("the work did not land: %+v", got)
	}
}
