package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/agent"
	"ferrus/agent/paths"
	"ferrus/agent/sandbox"
	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
)

// A session that judges a change takes no settings that the change brought, whether git has, ignores or does not know
// them, and keeps those of the commit.
func TestSettingsOfTheChangeAreHidden(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	hqtest.Must(t, err)
	for name, text := range map[string]string{".claude/settings.json": "{}", ".codex/config.toml": "x = 1\n",
		"sub/.mcp.json": "{}", ".gitignore": ".qwen\n.env\n", "shared/settings.json": "{}"} {
		hqtest.Write(t, dir, name, text)
	}
	hqtest.Must(t, os.Symlink("../shared", filepath.Join(dir, "sub", ".gemini")))
	gittest.Commit(t, dir)
	r, err := git.Locate(dir)
	hqtest.Must(t, err)
	left := func() []string {
		t.Helper()
		all, err := settingsLeft(t.Context(), r, filepath.Join(dir, "sub"))
		hqtest.Must(t, err)
		slices.Sort(all)
		return all
	}
	if all := left(); len(all) > 0 || hasSettingsLeft(dir, filepath.Join(dir, "sub")) {
		t.Errorf("without a change, %q are hidden", all)
	}
	for name, text := range map[string]string{".claude/settings.local.json": "{}", ".codex/config.toml": "x = 2\n",
		".qwen/settings.json": "{}", "sub/.env": "A=1\n", "sub/.opencode/plugin/a.js": "x\n", "shared/hook.sh": "x\n",
		"other.txt": "x\n"} {
		hqtest.Write(t, dir, name, text)
	}
	var want []string
	for _, name := range []string{".claude", ".codex", ".qwen", "shared", "sub/.env", "sub/.opencode"} {
		want = append(want, filepath.Join(dir, name))
	}
	if all := left(); !slices.Equal(all, want) || !hasSettingsLeft(dir, filepath.Join(dir, "sub")) {
		t.Errorf("%q are hidden, want %q", all, want)
	}
	hqtest.Must(t, os.Symlink("../other.txt", filepath.Join(dir, "sub", "opencode.json")))
	if all, err := settingsLeft(t.Context(), r, filepath.Join(dir, "sub")); err == nil {
		t.Errorf("a link that the change brought hides %q", all)
	}
}

// What a session that reviews reads or starts, no session that edits can write.
func TestReviewersShareNoDirectoryWithExecutors(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	p := hqtest.NewProject(t, hqtest.Files{"a.txt": "a\n"})
	adapter, err := agent.Lookup("claude-code", nil)
	hqtest.Must(t, err)
	dir := t.TempDir()
	policyOf := func(slot core.Slot, mode core.Mode) sandbox.Policy {
		in := &inside{walls: sandbox.Walls{Kind: sandbox.Namespace}, dir: dir}
		s := Launch{Job: Job{Job: core.Job{Slot: slot, Mode: mode}, Workspace: p.Dir}}
		hqtest.Must(t, errors.Join(in.makeHome(adapter, string(slot)), in.build(p.Project, s, core.Sandbox{})))
		return in.policy
	}
	bin := filepath.Join(p.Dir, "node_modules", ".bin")
	hqtest.Must(t, os.MkdirAll(bin, 0o755))
	t.Setenv("PATH", bin+":bin:/usr/bin")
	executor, reviewer := policyOf(core.SlotExecutor, core.ModeWork), policyOf(core.SlotReviewer, core.ModeReview)
	for _, path := range executor.Write {
		for _, other := range reviewer.Write {
			if paths.Within(path, other) || paths.Within(other, path) {
				t.Errorf("the executor can write %s, and the reviewer %s", path, other)
			}
		}
	}
	if !slices.Contains(reviewer.Env, "PATH=/usr/bin") {
		t.Errorf("the variables of the reviewer are %q, want a PATH that leads to /usr/bin alone", reviewer.Env)
	}
	for _, entry := range reviewer.Env {
		name, value, _ := strings.Cut(entry, "=")
		if slices.ContainsFunc(executor.Write, func(top string) bool { return paths.Within(top, value) }) {
			t.Errorf("the reviewer's %s leads to %s, which the executor can write", name, value)
		}
	}
}
