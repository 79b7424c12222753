package merge

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/hqtest"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store/longtest"
)

// A forge's report that git does not confirm is not trusted; a question that only you can decide
// waits for you, and says so.
func TestPullIsNotBelieved(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(f *fixture)
		want    string
		again   string // what it is after `merge again`
	}{
		"merged as a commit that is nowhere": {func(f *fixture) {
			f.forge(func(all *fakeForge) {
				all.Pulls[0].mergedAs(strings.Repeat("5", 40))
			})
		}, "main of origin does not contain", ""},
		"merged as what the branch is at": {func(f *fixture) {
			f.forge(func(all *fakeForge) {
				all.Pulls[0].mergedAs(all.Pulls[0].HeadRefOid)
			})
		}, "does not contain", ""},
		"merged as what main had before": {func(f *fixture) {
			f.forge(func(all *fakeForge) {
				all.Pulls[0].mergedAs(f.git("rev-parse", "main"))
			})
		}, "had before", ""},
		"merged without a commit": {func(f *fixture) {
			f.forge(func(all *fakeForge) { all.Pulls[0].State = "MERGED" })
		}, "names no commit", ""},
		"closed": {func(f *fixture) {
			f.forge(func(all *fakeForge) { all.Pulls[0].State = "CLOSED" })
		}, "was closed", "can be merged"},
		"retargeted": {func(f *fixture) {
			f.forge(func(all *fakeForge) { all.Pulls[0].BaseRefName = "develop" })
		}, "targets develop", ""},
		"force-pushed": {func(f *fixture) {
			f.remote("update-ref", "refs/heads/"+f.item(1).Pull.Branch, f.foreign("evil"))
		}, "was force-pushed", "can be merged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newPullFixture(t)
			f.tasks(work{"file-a": "a"})
			f.stage(1)
			f.sync()
			f.sync()
			c.prepare(f)
			f.sync()
			f.shows("#1 Staged")
			i, doc := f.item(1), f.doc()
			row := doc.MergeRows(i.AddedAt)
			if i.Pull.Held == "" || !strings.Contains(i.Pull.Why, c.want) || len(row) != 1 || row[0].Needs == "" {
				t.Fatalf("it is %+v, and should say %q; %+v", i.Pull, c.want, row)
			}
			if c.again == "" {
				f.ok(f.q.Cancel(t.Context(), project.HumanActor(), 1))
				f.sync()
				f.shows("#1 Cancelled")
				return
			}
			name, err := DecideNamed(t.Context(), f.q, project.HumanActor(), "", Again)
			f.ok(err)
			if name != "#1" {
				t.Errorf("it decided about %s", name)
			}
			f.sync()
			if i := f.item(1); i.Pull.Held != "" || !strings.Contains(i.Pull.Why, c.again) {
				t.Errorf("after again it is %+v", i.Pull)
			}
			f.mergeThere("merge")
			f.sync()
			f.shows("#1 Landed")
		})
	}
}

// If more than one merge waits for you, none is decided about until you name one.
func TestWhichMergeYouDecideAbout(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newPullFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	f.stage(1, 2)
	f.sync()
	if _, err := DecideNamed(t.Context(), f.q, project.HumanActor(), "", Again); !errors.Is(err, ErrNothingWaits) {
		t.Errorf("nothing waits: %v", err)
	}
	f.forge(func(all *fakeForge) { all.Pulls[0].State, all.Pulls[1].State = "CLOSED", "CLOSED" })
	f.sync()
	for _, name := range []string{"", "main"} {
		_, err := DecideNamed(t.Context(), f.q, project.HumanActor(), name, Again)
		off := (*land.RefusedError)(nil)
		if !errors.As(err, &off) || !strings.Contains(off.What, "#1, #2") && !strings.Contains(off.What, "#2, #1") ||
			!strings.Contains(off.Fix, "ferrus merge again #") {
			t.Errorf("%q: %v, want both numbers and the command to use", name, err)
		}
	}
	for _, name := range []string{"release", "3", "#1x"} {
		if _, err := DecideNamed(t.Context(), f.q, project.HumanActor(), name, Again); !errors.Is(err,
			ErrNothingWaits) {
			t.Errorf("%s: %v, want ErrNothingWaits", name, err)
		}
	}
	name, err := DecideNamed(t.Context(), f.q, project.HumanActor(), f.item(2).Task, Again)
	if f.ok(err); name != "#2" || f.item(1).Pull.Why == "" || f.item(2).Pull.Why != "" {
		t.Errorf("it decided about %s: %+v, %+v", name, f.item(1).Pull, f.item(2).Pull)
	}
	if line := f.item(2).PullLine(); !strings.Contains(line, "#2: its branch is pushed") {
		t.Errorf("once you decided it says %q", line)
	}
	f.o.every = time.Hour // what you decided is done at once all the same
	f.m.polls[2] = poll{next: time.Now().Add(time.Hour)}
	f.sync()
	if i := f.item(2); i.Pull.Held != "" || i.Pull.Step != queue.PullWait {
		t.Errorf("it is not reopened: %+v", i.Pull)
	}
}

// foreign returns a commit of the remote with a file that is someone else's.
func (f *fixture) foreign(name string) string {
	f.Helper()
	return f.foreignOn(f.remote("rev-parse", "main"), name)
}

// foreignOn is foreign on any commit of the remote.
func (f *fixture) foreignOn(base, name string) string {
	f.Helper()
	blob := f.remote("hash-object", "-w", filepath.Join(f.Dir, "check.sh"))
	list := f.remote("ls-tree", base) + "\n100644 blob " + blob + "\t" + name + "\n"
	tree, _, err := git.In(f.git("remote", "get-url", "origin")).Run(f.Context(), strings.NewReader(list), "mktree")
	f.ok(err)
	return f.remote("commit-tree", "-p", base, "-m", "someone else's", strings.TrimSpace(tree))
}

// What was merged without all of the approved work waits for you: accept counts it.
func TestPullMergedWithADifference(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newPullFixture(t)
	f.tasks(work{"file-a": "a"})
	f.stage(1)
	f.sync()
	commit := f.foreign("file-a")
	f.remote("update-ref", "refs/heads/main", commit)
	f.forge(func(all *fakeForge) { all.Pulls[0].mergedAs(commit) })
	f.sync()
	if i := f.item(1); i.Pull.Held != queue.PullDiffers || !strings.Contains(i.Pull.Why, "ferrus merge accept") {
		t.Fatalf("it is %+v", i.Pull)
	}
	_, err := DecideNamed(t.Context(), f.q, project.HumanActor(), "main", Accept)
	f.ok(err)
	f.sync()
	f.shows("#1 Landed")
	if f.item(1).Landed != commit {
		t.Errorf("it landed as %s", f.item(1).Landed)
	}
}

// Work of a project whose ferrus.toml is not trusted is not pushed, and does not land on the branch instead.
func TestPullNeedsTrust(t *testing.T) {
	t.Parallel()
	f := newPullFixture(t)
	f.tasks(work{"file-a": "a"})
	text, err := os.ReadFile(filepath.Join(f.Dir, "ferrus.toml"))
	f.ok(err)
	hqtest.Write(t, f.Dir, "ferrus.toml", strings.Replace(string(text), "mode = \"pr\"", "mode = \"branch\"", 1))
	f.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	err = Stage(t.Context(), f.q, f.item(1), project.HumanActor(), "")
	if off := (*land.RefusedError)(nil); !errors.As(err, &off) || !strings.Contains(off.Fix, "ferrus trust") {
		t.Errorf("got %v, want a refusal that names ferrus trust", err)
	}
	f.shows("#1 Parked")
	if machine.IsRefusal(err) {
		t.Error("it is the table that refuses")
	}
}

// A pull request has the task's own change, and no commit of yours that you have not pushed; what depends on the task
// waits until your own branch has it, since its worktree is made from that.
func TestPullAndYourBranch(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newPullFixture(t)
	hqtest.Write(t, f.Dir, "private", "mine")
	f.git("add", "private")
	f.git("commit", "-q", "-m", "not pushed")
	f.tasks(work{"file-a": "a"})
	_, err := f.q.Add(t.Context(), project.HumanActor(), []queue.New{{Text: "# Later", After: []queue.Ref{{N: 1}}}})
	f.ok(err)
	f.stage(1)
	f.sync()
	branch := f.item(1).Pull.Branch
	if got := f.remote("diff", "--name-only", "main", branch); got != "file-a" ||
		f.remote("rev-list", "--count", "main.."+branch) != "1" {
		t.Errorf("these files are pushed: %s", got)
	}
	f.mergeThere("merge")
	f.sync()
	f.shows("#1 Landed, #2 Queued")
	rows, err := f.q.Rows(queue.ConditionsOf(f.Task))
	f.ok(err)
	if why := rows[1].Why; !strings.Contains(why, "waits until main has #1: git pull") {
		t.Errorf("#2: %q, want that it waits until main has #1", why)
	}
	f.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
	f.sync()
	f.shows("#1 Landed, #2 Running")
}
