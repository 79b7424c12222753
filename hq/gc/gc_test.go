package gc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store"
)

// fixture is a project with a task, and directories of a user.
type fixture struct {
	*testing.T
	*project.Task
	Options
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, Task: hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n[hq]\nworkspace = \"worktree\"\n",
	})}
	home, err := filepath.EvalSymlinks(t.TempDir())
	hqtest.Must(t, err)
	f.Options = Options{Lanes: filepath.Join(home, "gates"), State: filepath.Join(home, "state"),
		Temp: filepath.Join(home, "tmp"), Now: time.Now()}
	f.Task.Lanes = f.Options.Lanes
	return f
}

// write writes a file below a directory of the user, as old as wanted.
func (f *fixture) write(name, text string, age time.Duration) string {
	f.Helper()
	hqtest.Write(f, filepath.Dir(name), filepath.Base(name), text)
	hqtest.Must(f, os.Chtimes(name, time.Time{}, f.Now.Add(-age)))
	return name
}

func (f *fixture) git(args ...string) string {
	f.Helper()
	out, err := git.In(f.Dir).Output(f.Context(), args...)
	hqtest.Must(f, err)
	return out
}

func (f *fixture) find() (items []Item, names []string) {
	f.Helper()
	items, err := Find(f.Context(), f.Task, f.Options)
	hqtest.Must(f, err)
	for _, i := range items {
		names = append(names, i.Name)
	}
	return items, names
}

func (f *fixture) free() {
	f.Helper()
	items, _ := f.find()
	_, err := Free(f.Context(), f.Task, f.Options, items)
	hqtest.Must(f, err)
}

// lane makes the directory of a gate, with a read-only directory in it and a link out of it.
func (f *fixture) lane(name, owner string) string {
	f.Helper()
	dir := filepath.Join(f.Options.Lanes, name)
	hqtest.Write(f, dir, "owner", owner)
	hqtest.Write(f, dir, "home/mod/a.go", "package a\n")
	precious := f.write(filepath.Join(f.State, "precious", "file"), "precious\n", 0)
	hqtest.Must(f, os.Symlink(filepath.Dir(precious), filepath.Join(dir, "home", "mod", "link")))
	hqtest.Must(f, os.Chmod(filepath.Join(dir, "home", "mod"), 0o500))
	f.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "home", "mod"), 0o700) })
	return dir
}

func (f *fixture) ownLane() string {
	return f.lane(filepath.Base(string(gate.LaneOf(f.Task))), f.Dir)
}

func (f *fixture) is(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, os.ErrNotExist)
}

// startTask creates a task, and returns its id.
func (f *fixture) startTask() string {
	f.Helper()
	hqtest.Do(f, f.Task, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# Do it\n"})
	return hqtest.World(f, f.Task).Task.ID
}

func (f *fixture) reset() {
	f.Helper()
	hqtest.Do(f, f.Task, core.Command{Kind: core.KindReset, By: project.HumanActor()})
}

func TestWhatIsNoLongerNeededIsFreed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t)
	id := f.startTask()
	hqtest.Write(t, f.Worktree(id).Top(), "new.txt", "new\n")
	_, err := f.Work(hqtest.World(t, f.Task)).Tree(t.Context())
	hqtest.Must(t, err)
	hqtest.Must(t, os.Remove(filepath.Join(f.Worktree(id).Top(), "new.txt")))
	f.reset()
	old := 31 * 24 * time.Hour
	gone := []string{
		f.ownLane(),
		f.lane("gone", filepath.Join(f.State, "no-such-project")),
		f.lane("half.freed", f.Dir),
		f.Worktree(id).Top(),
		f.write(filepath.Join(f.State, "heads", "p1"), `{"path":"/no/such/project/.ferrus"}`, old),
		f.write(filepath.Join(f.State, "heads", "p1.files"), `{}`, old),
		f.write(filepath.Join(f.State, "heads", "p1.sums"), `{}`, old),
		f.write(filepath.Join(f.State, "heads", "p1.confirmed"), `{}`, old),
		f.write(filepath.Join(f.State, "repositories", "a.json"), `{"project":"/no/such/project"}`, old),
		f.write(filepath.Join(f.State, "codes", "a.json"), `{"expires":"2020-01-01T00:00:00Z"}`, 0),
		filepath.Dir(f.write(filepath.Join(f.Temp, "ferrus-git-1", "config"), "", old)),
	}
	hqtest.Must(t, os.Chtimes(gone[len(gone)-1], time.Time{}, f.Now.Add(-old)))
	f.git("update-ref", "refs/ferrus/kept/t-gone", "HEAD")
	want := append(slices.Clone(gone), "refs/ferrus/kept/t-gone")
	slices.Sort(want)
	_, names := f.find()
	if slices.Sort(names); !slices.Equal(names, want) {
		t.Fatalf("found\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	f.free()
	for _, name := range gone {
		if f.is(name) || f.is(name+freed) {
			t.Errorf("%s is still there", name)
		}
	}
	if got := f.git("for-each-ref", "refs/ferrus", "refs/heads/ferrus"); got != "" {
		t.Errorf("refs are still there: %s", got)
	}
	if !f.is(filepath.Join(f.State, "precious", "file")) {
		t.Error("a link was followed")
	}
	// Only now no worktree needs the trees that were hashed.
	if _, names := f.find(); !slices.Equal(names, []string{f.Store.Path("run", "git", "objects")}) {
		t.Errorf("then found: %q", names)
	}
	f.free()
	if _, names := f.find(); len(names) > 0 {
		t.Errorf("still found: %q", names)
	}
	if tree, err := f.Repo().Tree(t.Context()); err != nil || len(tree.Problems) > 0 {
		t.Errorf("the next tree: %+v, %v", tree, err)
	}
}

func TestWhatIsNeededStays(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t)
	archived := f.startTask()
	hqtest.Write(t, f.Worktree(archived).Top(), "work.txt", "work\n")
	f.git("update-ref", "refs/ferrus/kept/"+archived, "HEAD")
	f.reset()
	open := f.startTask()
	f.git("update-ref", "refs/ferrus/returned/"+open, "HEAD")
	f.ownLane()
	f.lane("other", t.TempDir())
	f.lane("unknown", "")
	f.write(filepath.Join(f.State, "heads", "p1"), fmt.Sprintf(`{"path":%q}`, f.Store.Path()), 999*time.Hour)
	f.write(filepath.Join(f.State, "heads", "p2"), `{"path":"/no/such/project/.ferrus"}`, time.Hour)
	f.write(filepath.Join(f.State, "heads", "p3"), "torn", 999*time.Hour)
	f.write(filepath.Join(f.State, "codes", "a.json"), `{"expires":"2999-01-01T00:00:00Z"}`, 0)
	f.write(filepath.Join(f.Temp, "ferrus-git-1", "config"), "", 0)
	f.write(filepath.Join(f.Temp, "of-another", "config"), "", 999*time.Hour)
	if _, names := f.find(); len(names) > 0 {
		t.Errorf("found %q", names)
	}
	f.Now = f.Now.Add(KeepRefs + time.Hour) // The refs of the task that is open stay all the same.
	if _, names := f.find(); !slices.Contains(names, "refs/ferrus/kept/"+archived) ||
		slices.Contains(names, "refs/ferrus/returned/"+open) {
		t.Errorf("after 90 days: found %q", names)
	}
}

// What began to be used after it was listed stays.
func TestWhatIsUsedMeanwhileStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lane := f.ownLane()
	items, names := f.find()
	if !slices.Contains(names, lane) {
		t.Fatalf("found %q", names)
	}
	process := exec.Command("sleep", "60")
	process.Dir = lane
	hqtest.Must(t, process.Start())
	defer func() { _ = process.Process.Kill(); _ = process.Wait() }()
	freedItems, err := Free(t.Context(), f.Task, f.Options, items)
	if err != nil || len(freedItems) > 0 || !f.is(lane) {
		t.Errorf("a process works in it: freed %v, %v", freedItems, err)
	}
	_ = process.Process.Kill()
	_ = process.Wait()
	lock, err := f.Store.TryLock(project.GateLock)
	hqtest.Must(t, err)
	freedItems, err = Free(t.Context(), f.Task, f.Options, items)
	if err != nil || len(freedItems) > 0 || !f.is(lane) {
		t.Errorf("a gate runs: freed %v, %v", freedItems, err)
	}
	hqtest.Must(t, lock.Close())
	f.startTask()
	freedItems, err = Free(t.Context(), f.Task, f.Options, items)
	if err != nil || len(freedItems) > 0 || !f.is(lane) {
		t.Errorf("a task is open: freed %v, %v", freedItems, err)
	}
}

// Two at once that are killed in the middle leave what a third one frees.
func TestTwoAtOnceAndKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it frees forty lanes again and again")
	}
	f := newFixture(t)
	for n := range 40 {
		dir := f.lane(fmt.Sprintf("gone%d", n), filepath.Join(f.State, "no-such-project"))
		for m := range 20 {
			hqtest.Write(t, dir, fmt.Sprintf("tree/%d", m), "x")
		}
	}
	options, err := json.Marshal(f.Options)
	hqtest.Must(t, err)
	var all []*exec.Cmd
	for range 2 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), optionsEnv+"="+string(options))
		hqtest.Must(t, c.Start())
		all = append(all, c)
	}
	began := time.Now()
	for begun := false; !begun && time.Since(began) < 30*time.Second; {
		left, err := os.ReadDir(f.Options.Lanes)
		hqtest.Must(t, err)
		begun = len(left) < 35
	}
	for _, c := range all {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	f.free()
	if left := entries(f.Options.Lanes); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if !f.is(filepath.Join(f.State, "precious", "file")) {
		t.Error("a link was followed")
	}
}

// freeOnce is what the test above kills.
func freeOnce(options string) error {
	var o Options
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		return err
	}
	items, err := Find(context.Background(), nil, o)
	if err != nil {
		return err
	}
	_, err = Free(context.Background(), nil, o, items)
	return err
}

// A worktree of a task with a record of its own is kept as long as the task can still land.
func TestWorktreesOfTheQueueAreKept(t *testing.T) {
	main := hqtest.NewProject(t, hqtest.Files{
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n", "a.go": "package a\n"}, "one", "two")
	made, err := main.MakeTask(t.Context(), "t-1-first")
	hqtest.Must(t, err)
	hqtest.Do(t, made, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# First"})
	later := Options{Now: time.Now().Add(1000 * time.Hour)}
	for _, reset := range []bool{false, true} {
		if reset {
			hqtest.Do(t, made, core.Command{Kind: core.KindReset, By: project.HumanActor()})
		}
		all, err := findInProject(t.Context(), main, later)
		hqtest.Must(t, err)
		found := slices.ContainsFunc(all, func(i Item) bool { return i.Kind == Worktree })
		if found != reset {
			t.Errorf("after a reset %v: %+v", reset, all)
		}
	}
}

// Refs of the merge queue and of pull requests are freed once nothing needs them, and no ref of a task of another
// project of the repository is.
func TestRefsOfMerges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Heads = store.Heads(filepath.Join(f.State, "heads"))
	q, err := queue.OpenOrCreate(t.Context(), f.Task)
	hqtest.Must(t, err)
	hqtest.Write(t, f.Dir, "web/ferrus.toml", "[checks]\ncommands = [\"true\"]\n")
	dir := filepath.Join(f.Dir, "web")
	_, err = store.Create(t.Context(), dir, core.New(time.Now()), f.Heads)
	hqtest.Must(t, err)
	web, err := project.OpenKept(dir, f.Heads)
	hqtest.Must(t, err)
	hqtest.Do(t, web, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# Do it\n"})
	others := hqtest.World(t, web).Task.ID
	gone := []string{q.CandidateRef("main"), queue.FetchedRef("main"), "refs/ferrus/pull/t-gone",
		"refs/ferrus/pull/t-gone-head", "refs/ferrus/staged/t-gone", "refs/ferrus/t-9-gone/2"}
	for _, ref := range append(gone, "refs/ferrus/staged/"+others, "refs/ferrus/kept/"+others,
		"refs/ferrus/"+others+"/1", "refs/ferrus/adopted/snapshot") {
		f.git("update-ref", ref, "HEAD")
	}
	slices.Sort(gone)
	_, names := f.find()
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "refs/") })
	if slices.Sort(names); !slices.Equal(names, gone) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(gone, "\n"))
	}
}

// What a worker sent of an attempt is kept while its task is open, and afterwards for as long as it may be needed.
func TestRefsOfAttempts(t *testing.T) {
	t.Parallel()
	u := refUses{tasks: map[string]bool{"t-1-open": true},
		landed: map[string]bool{"t-2-landed": true, "t-1-open": true},
		known:  map[string]bool{"t-1-open": true, "t-2-landed": true, "t-3-reset": true}}
	for ref, want := range map[string]string{
		"refs/ferrus/t-1-open/1": "", "refs/ferrus/t-2-landed/12": "its task has landed", "refs/ferrus/t-3-reset/1": "",
		"refs/ferrus/t-4/1": "its task is gone", "refs/ferrus/kept/t-2-landed": "",
	} {
		if got := u.free(ref, time.Hour); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	if got := u.free("refs/ferrus/t-3-reset/1", 2*KeepRefs); !strings.Contains(got, "older than 90 days") {
		t.Errorf("an old one: %q", got)
	}
}
