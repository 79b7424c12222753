package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
)

// unasked returns the files that there are alarms for, with the tree of a directory.
func (l *fixture) unasked(dir string) (names []string) {
	l.Helper()
	tree, err := l.RepoAt(dir).Tree(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	for _, a := range l.UnaskedAlarms(l.Context(), l.world().World, tree.Hash) {
		if a.Rule != unaskedRule || !a.NeedsHuman {
			l.Errorf("%+v, want an alarm for you alone", a)
		}
		names = append(names, a.Path)
	}
	return names
}

// What a task leaves in your checkout for your programs to run is an alarm, even if git ignores it. What was there
// before is not.
func TestFilesThatYourProgramsRunAreReported(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(l.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		l.write(l.Dir, name, text)
	}
	write(".git/info/exclude", ".*\nobjects\n/sub/*.json\n")
	write("sub/a.go", "package sub\n")
	gittest.Run(t, l.Dir, "add", "sub/a.go")
	write(".envrc", "echo before\n")
	write(".claude/settings.json", "{}\n")
	write(".qwen/settings.json", `{"hooks":{"Stop":[]}}`)
	write(".git/hooks/pre-push", "before\n")
	write("objects/mcp.json", "{}\n")
	if err := os.Symlink("objects", filepath.Join(l.Dir, ".gemini")); err != nil {
		t.Fatal(err)
	}
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	left := func() []string { return l.unasked(l.Dir) }
	if names := left(); names != nil {
		t.Fatalf("before the task changed a file, there are alarms for %q", names)
	}
	gittest.Run(t, l.Dir, "config", "user.name", "x")
	write(".git/hooks/pre-commit.sample", "x\n")
	write("objects/other", "x\n")
	if err := os.Remove(filepath.Join(l.Dir, "objects", "other")); err != nil {
		t.Fatal(err)
	}
	write(".cache/notes.json", "{}\n")
	write(".opencode/package.json", "{\n  \"dependencies\": {\n    \"@opencode-ai/plugin\": \"1.18.33\"\n  }\n}\n")
	write(".opencode/.gitignore", "node_modules\n")
	write(".opencode/node_modules/a/index.js", "x\n")
	write(".qwen/settings.json", "{\n  \"hooks\": {\"Stop\": []},\n  \"$version\": 4\n}\n") // as the client does itself
	if names := left(); names != nil {
		t.Errorf("files that no program runs raise alarms: %q", names)
	}
	write(".envrc", "echo after\n")
	write(".claude/settings.local.json", "{}\n")
	write(".vscode/tasks.json", "{}\n")
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} { // more than five are one alarm
		write(".opencode/plugins/"+name+".js", "x\n")
	}
	write("sub/opencode.json", "{}\n")
	write(".git/hooks/pre-push", "after\n")
	gittest.Run(t, l.Dir, "config", "core.fsmonitor", "./x")
	write("objects/mcp.json", "{\"x\": 1}\n")
	if err := os.Symlink("objects/mcp.json", filepath.Join(l.Dir, ".nvim.lua")); err != nil {
		t.Fatal(err)
	}
	want := []string{".claude/settings.local.json", ".envrc", ".gemini/mcp.json", ".git/config",
		".git/hooks/pre-push", ".nvim.lua", ".opencode", ".vscode/tasks.json", "sub/opencode.json"}
	if names := left(); !slices.Equal(names, want) {
		t.Errorf("the alarms are for %q, want %q", names, want)
	}
	l.resubmit()
	for _, name := range want {
		if !slices.ContainsFunc(l.world().World.HumanAlarms(), func(a core.Alarm) bool { return a.Path == name }) {
			t.Errorf("the submission has no alarm for %s", name)
		}
	}
}

// Git's own directories are inspected where links lead, and where a submodule is called objects.
func TestDirectoriesOfGitAreInspectedBehindLinks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	at := func(name string) string { return filepath.Join(l.Dir, ".git", name) }
	for _, dir := range []string{"modules/objects/objects/ab", "elsewhere"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.write(l.Dir, ".git/modules/objects/config", "[core]\n\tfsmonitor = ./x\n")
	l.write(l.Dir, ".git/modules/objects/objects/ab/config", "[core]\n\tfsmonitor = ./x\n")
	l.write(l.Dir, ".git/elsewhere/post-checkout", "x\n")
	if err := os.Rename(at("hooks"), at("hooks.away")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", at("hooks")); err != nil {
		t.Fatal(err)
	}
	names := l.unasked(l.Dir)
	want := []string{".git/hooks", ".git/hooks/post-checkout", ".git/modules/objects/config"}
	if !slices.Equal(names, want) {
		t.Errorf("the alarms are for %q, want %q", names, want)
	}
}

// From a worktree an agent can have your git run a program, too; what else is in your checkout is yours.
func TestDirectoriesOfGitAreInspectedFromAWorktree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	l.write(l.Dir, "ferrus.toml", toml+"\n[hq]\nworkspace = \"worktree\"\n")
	l.write(l.Dir, ".git/info/exclude", ".envrc\n")
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	l.write(l.Dir, ".envrc", "x\n")
	gittest.Run(t, l.Dir, "config", "user.name", "x")
	dir := l.Workspace(l.world().World)
	alarms := func() []string { return l.unasked(dir) }
	if names := alarms(); names != nil {
		t.Errorf("what you did raises alarms: %q", names)
	}
	gittest.Run(t, dir, "config", "core.fsmonitor", "./x")
	l.write(l.Dir, ".git/hooks/post-checkout", "x\n")
	if names, want := alarms(), []string{".git/config", ".git/hooks/post-checkout"}; !slices.Equal(names, want) {
		t.Errorf("the alarms are for %q, want %q", names, want)
	}
}

// Your git enters submodules, so what an agent makes of their git directories is inspected.
func TestSubmodulesAreInspected(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	other := t.TempDir()
	gittest.Commit(t, other)
	for _, name := range []string{"a", "b", "c"} {
		gittest.Run(t, l.Dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, name)
	}
	gittest.Run(t, l.Dir, "commit", "-qm", "submodules")
	l.do(core.Command{Kind: "create_task", By: HumanActor(), Text: "# Do it"})
	at := func(name string) string { return filepath.Join(l.Dir, name) }
	for from, to := range map[string]string{".git/modules/a": "a/.git", ".git/modules/b": "elsewhere"} {
		if err := os.RemoveAll(at(to)); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(at(to), os.DirFS(at(from))); err != nil {
			t.Fatal(err)
		}
	}
	gittest.Run(t, l.Dir, "config", "-f", "a/.git/config", "core.fsmonitor", "./x")
	gittest.Run(t, l.Dir, "config", "-f", ".git/modules/c/config", "diff.external", "./x")
	l.write(l.Dir, "b/.git", "gitdir: ../elsewhere\n")
	names := l.unasked(l.Dir)
	for _, want := range []string{"a/.git", "a/.git/config", "b/.git", ".git/modules/c/config"} {
		if !slices.Contains(names, want) {
			t.Errorf("the alarms are for %q, want one for %s", names, want)
		}
	}
}
