package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// filesOf is what the prompt knows while a task is selected.
func filesOf(of *project.Task) hqFiles { return hqFiles{func() *project.Task { return of }} }

// filesOfATask is what the prompt knows while a task with a worktree is selected, and its worktree.
func filesOfATask(t *testing.T, pr *project.Task) (h hqFiles, dir string) {
	t.Helper()
	of, err := pr.MakeTask(t.Context(), "t-1-one")
	hqtest.Must(t, err)
	hqtest.Do(t, of, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "# One"})
	h = filesOf(of)
	_, _, dir, err = h.workspace()
	hqtest.Must(t, err)
	return h, dir
}

// While a task with a worktree is selected, its files count, its agents, and not your checkout's.
func TestFilesOfTheSelectedTask(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it gives a task its worktree")
	}
	pr := hqtest.NewProject(t, hqtest.Files{"both.go": "x", ".gitignore": ".ferrus/\n",
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, agentNames()...)
	h, dir := filesOfATask(t, pr)
	hqtest.Must(t, os.WriteFile(filepath.Join(dir, "new.go"), nil, 0o600))
	mine := filepath.Join(pr.Dir, "mine.go")
	hqtest.Must(t, os.WriteFile(mine, nil, 0o600))
	found, err := h.List(t.Context())
	if err != nil || !slices.Contains(found.Paths, "new.go") || !slices.Contains(found.Paths, "both.go") ||
		slices.Contains(found.Paths, "mine.go") {
		t.Errorf("the files are %q, %v", found.Paths, err)
	}
	if f, err := h.Attach(filepath.Join(dir, "new.go")); err != nil || !f.Below || f.Path != "new.go" {
		t.Errorf("a file of its worktree is %+v, %v", f, err)
	}
	if f, err := h.Attach(mine); err != nil || f.Below {
		t.Errorf("a file of your checkout is %+v, %v; want a copy", f, err)
	}
	if missing, err := h.Check(core.SlotExecutor, "@./new.go @./mine.go"); err != nil ||
		missing != "not found, and sent as text: ./mine.go" {
		t.Errorf("it misses %q, %v", missing, err)
	}
}

// Files that git knows or would add are listed, except names that text cannot represent.
func TestListsFiles(t *testing.T) {
	t.Parallel()
	h := filesOf(hqtest.NewProject(t, hqtest.Files{"a b@c.go": "x", ".gitignore": "*.log\n", "dir/näher.go": "x",
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, agentNames()...))
	for name, text := range map[string]string{"new.txt": "", "x.log": "", "line\nbreak": "", ".ferrus/own": ""} {
		if err := os.WriteFile(filepath.Join(h.task().Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := h.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a b@c.go", "dir/näher.go", "new.txt", "ferrus.toml"} {
		if !slices.Contains(found.Paths, want) {
			t.Errorf("%q is not in %q", want, found.Paths)
		}
	}
	for _, path := range found.Paths {
		if strings.HasSuffix(path, ".log") || strings.ContainsAny(path, "\n") || strings.HasPrefix(path, ".ferrus/") {
			t.Errorf("%q is listed", path)
		}
	}
}

// A file of the workspace is attached by its path there, any other file by a copy; a directory or a
// file that is too large is refused.
func TestAttachesFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	h := filesOf(hqtest.NewProject(t, hqtest.Files{"ui/x.go": "x",
		"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"}, agentNames()...))
	dir := t.TempDir()
	shot, large := filepath.Join(dir, "my shot.PNG"), filepath.Join(dir, "large.bin")
	for name, text := range map[string]string{shot: "\x89PNG\x00\xff", large: strings.Repeat("x", 20<<20+1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := h.Attach(filepath.Join(h.task().Dir, "ui", "x.go"))
	if err != nil || !f.Below || f.Path != "ui/x.go" || f.Image {
		t.Errorf("a file of the workspace is %+v, %v", f, err)
	}
	f, err = h.Attach(shot)
	if err != nil || f.Below || !f.Image || f.Name != "my shot.PNG" || strings.ContainsAny(f.Path, " @") {
		t.Errorf("an image is %+v, %v", f, err)
	}
	if data, err := os.ReadFile(f.Path); err != nil || string(data) != "\x89PNG\x00\xff" {
		t.Errorf("its copy is %q, %v", data, err)
	}
	if again, err := h.Attach(shot); err != nil || again != f {
		t.Errorf("again it is %+v, %v", again, err)
	}
	for _, none := range []string{dir, filepath.Join(dir, "gone"), "/dev/null"} {
		if _, err := h.Attach(none); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", none, err)
		}
	}
	if _, err := h.Attach(large); err == nil || !strings.Contains(err.Error(), "larger than 20 MB") {
		t.Errorf("a large file: %v", err)
	}
}

// The files that a text names are checked before it is sent: images are refused unless the agent is
// known to read them, and missing files are named.
func TestChecksNamedFiles(t *testing.T) {
	t.Parallel()
	toml := "[checks]\ncommands = [\"true\"]\n[hq.supervisor]\nagent = \"claude-code\"\n" +
		"[hq.executor]\nagent = \"qwen-code\"\n"
	h := filesOf(hqtest.NewProject(t, hqtest.Files{"ui/x.go": "x", "a b.go": "x", "shot.png": "x",
		"ferrus.toml": toml}, agentNames()...))
	for text, want := range map[string]string{
		"see @ui/x.go, @ui and (@ui/x.go).": "", `the "quoted" @"a b.go" is`: "", "@Override me@home.org/x": "",
		"@ui/gone.go and @\"b c\"": "ui/gone.go, b c", "@a/1 @a/2 @a/3 @a/4 @a/5": "a/1, a/2, a/3, and 2 more",
		"@gone.png": "gone.png",
	} {
		if want != "" {
			want = "not found, and sent as text: " + want
		}
		if note, err := h.Check(core.SlotExecutor, text); err != nil || note != want {
			t.Errorf("%q is checked with %q, %v; want %q", text, note, err, want)
		}
	}
	_, err := h.Check(core.SlotExecutor, "like @shot.png.")
	if err == nil || err.Error() != "qwen-code is not known to look at images: describe shot.png in words, "+
		"or /switch executor to one of: claude-code, codex" {
		t.Errorf("an image: %v", err)
	}
	if _, err := h.Check(core.SlotPlanner, "like @shot.png"); err != nil {
		t.Errorf("an image for the supervisor: %v", err)
	}
}

// A new task starts from what is committed in your checkout, whichever task is selected.
func TestChecksFilesOfANewTask(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it gives a task its worktree")
	}
	toml := "[checks]\ncommands = [\"true\"]\n[hq]\nworkspace = \"worktree\"\n"
	pr := hqtest.NewProject(t, hqtest.Files{"both.go": "x", "old.go": "x", ".gitignore": ".ferrus/\n*.log\n",
		"ferrus.toml": toml}, agentNames()...)
	h, dir := filesOfATask(t, pr)
	hqtest.Must(t, os.WriteFile(filepath.Join(dir, "its.go"), nil, 0o600))
	for _, name := range []string{"my notes.txt", "old.go", "x.log"} {
		hqtest.Must(t, os.WriteFile(filepath.Join(pr.Dir, name), []byte("mine"), 0o600))
	}
	const text = `@both.go, @"my notes.txt", @old.go, @x.log, @/etc/passwd and @./its.go`
	const gone = "not found, and sent as text: ./its.go"
	for _, starts := range []bool{false, true} {
		want := gone
		if starts {
			want += "; in the task's worktree only --with-changes: old.go, my notes.txt" +
				"; ignored by git, so not in the task's worktree: x.log"
		}
		note, err := h.CheckNew(t.Context(), core.SlotExecutor, text, starts)
		if err != nil || note != want {
			t.Errorf("if a task starts is %v, the note is %q, %v; want %q", starts, note, err, want)
		}
	}
}
