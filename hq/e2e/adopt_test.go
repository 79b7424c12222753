//go:build e2e

package e2e

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ferrus/agent"
	"ferrus/agent/sandbox"
	"ferrus/hq/clients/model"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
)

// byHand has the arguments that start a session by hand, without a screen.
var byHand = map[string][]string{
	"claude-code": {"claude", "-p"},
	"codex":       {"codex", "exec"},
	"qwen-code":   {"qwen"},
}

// TestAdopt begins a task by hand: with a commit, a staged, a modified and an untracked file, and a
// session of the vendor's own program. After the adoption the executor continues that session and
// remembers it; the task passes the gate and the review; and the directory stays unchanged, byte
// for byte.
func TestAdopt(t *testing.T) {
	for _, name := range names {
		for _, more := range []string{"", "[sandbox]\nmode = \"require\"\n"} {
			t.Run(strings.TrimSpace(name+" "+strings.ReplaceAll(more, "\n", " ")), func(t *testing.T) {
				if more != "" {
					if _, err := sandbox.Choose(t.Context(), sandbox.Require, sandbox.Open); err != nil {
						t.Skip("no namespace sandbox here: " + err.Error())
					}
				} else {
					more = "[sandbox]\nmode = \"off\"\n"
				}
				adopting(t, name, more)
			})
		}
	}
}

func adopting(t *testing.T, name, more string) {
	var reached, remembered atomic.Bool
	// The executor is the session's agent, whatever ferrus.toml says. Some agents would ask for
	// permissions, which TestPermission covers.
	supervisor, permissions := "codex", map[string]string{"codex": "bypass", "qwen-code": "bypass"}[name]
	b := newFixture(t, setup{
		supervisor: supervisor, executor: supervisor, permissions: permissions, more: more,
		script: func(c model.Conversation) model.Action {
			before := strings.Join(c.Before, "\n")
			if strings.Contains(before, "heliotrope") {
				remembered.Store(true)
			}
			if strings.Contains(c.Prompt, "heliotrope") && !strings.Contains(c.Prompt, "ferrus__") {
				reached.Store(true)
				return model.Action{Text: "I will remember that."}
			}
			return model.LoopScript(c)
		}})
	b.surround(clients["codex"], clients[name])
	b.patience = 2 * time.Minute
	wt := b.worktree()
	b.startByHand(name, wt, model.TaskText+"\nThe word of the day is heliotrope.")
	if !reached.Load() {
		t.Fatalf("the manual session did not reach the model\n%s", b.evidence())
	}
	before := b.whole(wt)
	code, out := b.run("adopt", "--yes", wt)
	if code != 0 {
		t.Fatalf("adopt: exit %d\n%s", code, out)
	}
	t.Log(out)
	if code, out := b.run("run"); code != 3 || !strings.Contains(out, "Which mark ends the last line?") {
		t.Fatalf("no question for the human: exit %d\n%s\n%s", code, out, b.evidence())
	}
	if code, out := b.run("answer", "--task", "1", "!"); code != 0 {
		t.Fatalf("answer: exit %d\n%s", code, out)
	}
	code, out = b.run("run")
	t.Log(out)
	if !remembered.Load() && (name != "qwen-code" || !strings.Contains(more, "off")) {
		t.Errorf("the executor does not remember the manual session\n%s", b.evidence())
	}
	b.verifyAdopted(name, code)
	if after := b.whole(wt); !maps.Equal(after, before) {
		t.Errorf("the directory is now\n%v\nwant\n%v", after, before)
	}
}

// worktree returns a worktree in which work has begun.
func (b *fixture) worktree() string {
	b.t.Helper()
	wt := filepath.Join(b.root, "by hand")
	git(b.t, b.dir, "worktree", "add", "-q", "-b", "greet", wt)
	write(b.t, filepath.Join(wt, "committed.txt"), "one\n")
	git(b.t, wt, "add", "committed.txt")
	git(b.t, wt, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "begin to greet")
	write(b.t, filepath.Join(wt, "staged.txt"), "two\n")
	git(b.t, wt, "add", "staged.txt")
	write(b.t, filepath.Join(wt, "README.md"), "# Greeter\n\nIt greets.\n")
	write(b.t, filepath.Join(wt, "untracked.txt"), "three\n")
	return wt
}

// whole returns everything in a worktree: its files, HEAD, index and stash.
func (b *fixture) whole(dir string) map[string]string {
	b.t.Helper()
	all := hqtest.Contents(b.t, dir)
	for _, name := range []string{"HEAD", "index", "logs/HEAD", "ORIG_HEAD"} {
		text, _ := os.ReadFile(filepath.Join(b.dir, ".git", "worktrees", filepath.Base(dir), name))
		all[".git/"+name] = string(text)
	}
	stash, _ := os.ReadFile(filepath.Join(b.dir, ".git", "refs", "stash"))
	all["stash"] = string(stash)
	return all
}

// startByHand runs one round with a client in a directory.
func (b *fixture) startByHand(name, dir, text string) {
	b.t.Helper()
	words := append(slices.Clone(byHand[name]), text)
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(clients[name].install(b.t), words[0]), words[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(b.env), "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %v\n%s", words[:1], err, out)
	}
}

// verifyAdopted checks the result.
func (b *fixture) verifyAdopted(name string, code int) {
	b.t.Helper()
	p, err := project.Open(b.dir, agent.Names()...)
	if err != nil {
		b.t.Fatal(err)
	}
	dirs, err := p.TaskDirs()
	if err != nil || len(dirs) != 1 {
		b.t.Fatalf("the tasks are %q, %v; want one", dirs, err)
	}
	one, err := p.OpenTask(dirs[0])
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := one.World()
	if err != nil || s.World.State != "Complete" {
		b.t.Fatalf("ferrus run: exit %d, the task is %s, %v; want Complete\n%s",
			code, s.World.State, err, b.evidence())
	}
	work := one.Workspace(s.World)
	for file, want := range map[string]string{"committed.txt": "one\n", "staged.txt": "two\n",
		"untracked.txt": "three\n",
		"README.md":     "# Greeter\n\nIt greets.\n", "greeting.txt": "hello ferrus\ngoodbye!\n"} {
		if text, err := os.ReadFile(filepath.Join(work, file)); err != nil || string(text) != want {
			b.t.Errorf("%s is %q, %v; want %q", file, text, err, want)
		}
	}
	ended, err := one.Ended("")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range ended {
		if e.Slot == "executor" && e.Agent != name {
			b.t.Errorf("the executor was %s, want %s", e.Agent, name)
		}
	}
}
