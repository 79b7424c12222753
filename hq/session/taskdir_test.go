package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/agent/home"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// The files of former tasks are removed, even if a session left a link to something else among
// them; those of a task that still has its worktree stay.
func TestFreeTasks(t *testing.T) {
	t.Parallel()
	p := hqtest.Open(t, t.TempDir())
	precious := filepath.Join(t.TempDir(), "precious")
	for _, file := range []string{precious, filepath.Join(TaskDir(p, "t-old"), "home", "x"),
		filepath.Join(TaskDir(p, "t-kept"), "home", "x"), filepath.Join(TaskDir(p, ""), "home", "x"),
		filepath.Join(p.Worktree("t-kept").Top(), "x")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(precious), filepath.Join(TaskDir(p, "t-old"), "home", "link")); err != nil {
		t.Fatal(err)
	}
	if got := TaskSize(t.Context(), p, "t-old"); got != 1000 {
		t.Errorf("its size is %d", got)
	}
	tasks, size, err := FreeTasks(p)
	if tasks != 1 || size != 1000 || err != nil {
		t.Errorf("freed %d tasks, %d bytes, %v", tasks, size, err)
	}
	for file, want := range map[string]bool{precious: true, TaskDir(p, "t-old"): false, TaskDir(p, "t-kept"): true,
		TaskDir(p, ""): true} {
		if _, err := os.Lstat(file); (err == nil) != want {
			t.Errorf("%s is there: %v", file, err == nil)
		}
	}
}

// The files that sessions kept for a task in your checkout are removed with the task.
func TestFreeTasksWithTheTask(t *testing.T) {
	t.Parallel()
	p := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"})
	hqtest.Do(t, p, core.Command{Kind: "create_task", By: project.HumanActor(), Text: "do it"})
	task := hqtest.World(t, p).Task.ID
	if err := os.MkdirAll(TaskDir(p, task), 0o700); err != nil {
		t.Fatal(err)
	}
	if tasks, _, err := FreeTasks(p); tasks != 0 || err != nil {
		t.Errorf("freed %d of an open task, %v", tasks, err)
	}
	hqtest.Do(t, p, core.Command{Kind: "reset", By: project.HumanActor()})
	if tasks, _, err := FreeTasks(p); tasks != 1 || err != nil {
		t.Errorf("freed %d of a task that is archived, %v", tasks, err)
	}
}

// A session's caches belong to the task, and your settings for Go and Maven apply there.
func TestCachesOfATask(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=x")
	t.Setenv("MAVEN_OPTS", "-Xmx1g")
	in := &inside{dir: t.TempDir(), home: home.Home{Dir: t.TempDir()}}
	in.cache = in.cacheDir(Launch{Job: Job{Job: core.Job{Slot: core.SlotExecutor}}})
	env, err := in.caches()
	if err != nil {
		t.Fatal(err)
	}
	cache, seed := filepath.Join(in.dir, "cache"), in.goCache()
	for _, want := range []string{"GOFLAGS=-tags=x -modcacherw", "MAVEN_OPTS=-Xmx1g -Duser.home=" + cache,
		"CARGO_HOME=" + cache + "/.cargo", "GOCACHE=" + filepath.Join(seed[1], seed[2])} {
		if !slices.Contains(env, want) {
			t.Errorf("lacks %s: %q", want, env)
		}
	}
}
