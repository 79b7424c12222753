package workflow

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/store/exectest"
)

// forgeScript plays a forge's command-line tool: it records its calls and reports the state in a
// file.
const forgeScript = `#!/bin/sh
echo "$@" >> "$0.calls"
git status --porcelain > /dev/null; git log -1 --oneline > /dev/null # as gh itself does
case "$1 $2 $*" in
"pr create"*) echo "a line before"; echo OPEN > "$0.state"; echo https://github.com/a/b/pull/7 ;;
"pr view"*--jq\ .url*) [ -f "$0.state" ] || exit 1; echo https://github.com/a/b/pull/7 ;;
"pr view"*--json\ state,mergeCommit*) echo "{\"state\":\"$(cat "$0.state")\"}" ;;
"pr view"*) cat "$0.state" ;;
"pr close"*) echo CLOSED > "$0.state" ;;
esac
`

// onForge advances a oneshot to its publication on the test's forge.
func onForge(t *testing.T) (b *Store, w Workflow, tool string) {
	t.Helper()
	walk := &fixture{t: t, book: newStore(t), world: core.World{State: "Idle"}}
	b = walk.book
	remote := filepath.Join(t.TempDir(), "github.com", "b.git")
	if err := git.In(t.TempDir()).Do(t.Context(), "init", "-q", "--bare", remote); err != nil {
		t.Fatal(err)
	}
	gitLine(t, b, "remote", "add", "hub", remote)
	tool = filepath.Join(t.TempDir(), "gh")
	if err := exectest.WriteFile(tool, []byte(forgeScript), 0o700); err != nil {
		t.Fatal(err)
	}
	b.Forge.tool = tool
	ran := filepath.Join(t.TempDir(), "ran")
	gittest.Poison(t, b.Project.Dir, ran)
	t.Cleanup(func() {
		if output, err := os.ReadFile(ran); err == nil {
			t.Errorf("a program of the repository ran:\n%s", output)
		}
	})
	began, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "Add retry", Policy: flow.Always})
	if err != nil {
		t.Fatal(err)
	}
	walk.id = began.ID
	for {
		now, err := b.Load(walk.id)
		if err != nil {
			t.Fatal(err)
		}
		if now.Synthesis != nil && now.Synthesis.PRURL != "" {
			return b, now, tool
		}
		if !walk.step(now, PlanNext(&now.Document, TaskLoop{World: walk.world})) {
			t.Fatalf("the workflow stopped in %s", now.Phase)
		}
	}
}

// With a forge, publishing creates a pull request, and completion and cleanup ask the forge about
// it.
func TestPullRequest(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	b, w, tool := onForge(t)
	if w.Synthesis.PRURL != "https://github.com/a/b/pull/7" || w.Artifacts["pr"] != w.Synthesis.PRURL {
		t.Errorf("published %+v, want pull request 7", w.Synthesis)
	}
	if got := gitLine(t, b, "ls-remote", "hub", "refs/heads/"+w.Synthesis.Branch); !strings.HasPrefix(got,
		w.Synthesis.Commit) {
		t.Errorf("the forge has %q, want commit %s", got, w.Synthesis.Commit)
	}
	again, err := b.Forge.Publish(t.Context(), &w.Document)
	calls, _ := os.ReadFile(tool + ".calls")
	if err != nil || again.PRURL != w.Synthesis.PRURL || strings.Count(string(calls), "pr create") != 1 {
		t.Errorf("published again: %+v, %v; want the same pull request and one call to create it:\n%s",
			again, err, calls)
	}
	var no *machine.Refusal
	for _, c := range []struct{ state, guard string }{{"CLOSED", "pr-url-exists"}, {"OPEN", "merge-verified"}} {
		write(t, tool+".state", c.state)
		command := Command{Kind: "enter", By: itself, To: flow.Completed}
		if c.guard == "merge-verified" {
			command = Command{Kind: "cleanup", By: human}
		}
		if _, err := b.Do(t.Context(), w.ID, store.Call{}, command); !errors.As(err, &no) ||
			no.Failed[0].Guard != c.guard {
			t.Errorf("while the pull request is %s: %v, want a refusal by %s", c.state, err, c.guard)
		}
	}
	write(t, tool+".state", "MERGED")
	if done, err := b.Do(t.Context(), w.ID, store.Call{}, Command{Kind: "cleanup", By: human}); err != nil ||
		done.Phase != flow.Completed {
		t.Errorf("done.Phase is %v, want %v; the error is %v, want none", done.Phase, flow.Completed, err)
	}
}

// A cancellation closes the pull request and deletes the branch on the forge and here; its commit
// is kept.
func TestCancelClosesThePullRequest(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	b, w, tool := onForge(t)
	if got := ids(CancelSteps(&w.Document)); !slices.Equal(got,
		[]string{"sessions", "close-pr", "remote-branch", "branch"}) {
		t.Fatalf("the planned steps are %v, want sessions, close-pr, remote-branch and branch", got)
	}
	done, err := b.Cancel(t.Context(), w.ID, "enough")
	if err != nil || done.Phase != flow.Cancelled {
		t.Fatalf("done.Phase is %v, want %v; the error is %v, want none", done.Phase, flow.Cancelled, err)
	}
	if state, _ := os.ReadFile(tool + ".state"); strings.TrimSpace(string(state)) != "CLOSED" {
		t.Errorf("the pull request is %s, want CLOSED", state)
	}
	if got := gitLine(t, b, "ls-remote", "hub"); strings.Contains(got, "refs/heads/") {
		t.Errorf("the forge still has the branch: %q", got)
	}
	if got := gitLine(t, b, "rev-parse", keptRef(&w.Document)); got != w.Synthesis.Commit {
		t.Errorf("the kept commit is %q, want %q", got, w.Synthesis.Commit)
	}
}

// A configured command replaces ferrus's own way to publish; its last line names what it made, and
// its failure is reported.
func TestConfiguredCommand(t *testing.T) {
	t.Parallel()
	b := newStore(t)
	toml := filepath.Join(b.Project.Dir, "ferrus.toml")
	write(t, toml, "[checks]\ncommands = [\"true\"]\n[workflow]\npublish = [\"sh\", \"-c\", \"test -s '{summary}' "+
		"&& echo working && echo 'made {branch} of {base}: {title}'\"]\n")
	w, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "Add retry"})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.Forge.Publish(t.Context(), &w.Document); err != nil || s.PRURL != "made ferrus/"+w.ID+
		" of main: Add retry" {
		t.Errorf("published %+v, %v; want the command's last line as URL", s, err)
	}
	write(t, toml, "[workflow]\npublish = [\"sh\", \"-c\", \"echo no such forge >&2; exit 3\"]\n")
	if _, err := b.Forge.Publish(t.Context(), &w.Document); err == nil ||
		!strings.Contains(err.Error(), "no such forge") {
		t.Errorf("got %v, want no such forge", err)
	}
	names, err := b.Project.Store.List("run")
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, "publish-") }); i >= 0 {
		t.Errorf("%s is left of the publication, %v", names[i], err)
	}
}

// git in a configured command uses the repository's configuration, but runs no program from it.
func TestConfiguredCommandRunsGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	b := newStore(t)
	write(t, filepath.Join(b.Project.Dir, "ferrus.toml"), "[checks]\ncommands = [\"true\"]\n[workflow]\npublish = "+
		"[\"sh\", \"-ec\", \"git status >/dev/null; git push -q hub {branch}; git log -1 --format=%s {branch}\"]\n")
	remote := filepath.Join(t.TempDir(), "hub.git")
	gitLine(t, b, "init", "-q", "--bare", remote)
	gitLine(t, b, "remote", "add", "hub", remote)
	ran := filepath.Join(t.TempDir(), "ran")
	gittest.Poison(t, b.Project.Dir, ran)
	w, err := b.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "Add retry"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Forge.Publish(t.Context(), &w.Document)
	if err != nil || s.PRURL != "Add retry" {
		t.Errorf("published %+v, %v; want Add retry as URL", s, err)
	}
	if got := gitLine(t, b, "ls-remote", "hub", "refs/heads/"+s.Branch); !strings.HasPrefix(got, s.Commit) {
		t.Errorf("the forge has %q, want commit %s", got, s.Commit)
	}
	if output, err := os.ReadFile(ran); err == nil {
		t.Errorf("a program of the repository ran:\n%s", output)
	}
}
