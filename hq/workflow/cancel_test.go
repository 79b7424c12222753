package workflow

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/worktree"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// published advances a oneshot until its work is published.
func published(t *testing.T) (*fixture, Workflow) {
	t.Helper()
	w := &fixture{t: t, book: newStore(t), world: core.World{State: "Idle"}}
	began, err := w.book.Start(t.Context(), human, Request{Type: flow.Oneshot, Title: "Add retry", Policy: flow.Always})
	if err != nil {
		t.Fatal(err)
	}
	w.id = began.ID
	for {
		now, err := w.book.Load(w.id)
		if err != nil {
			t.Fatal(err)
		}
		if now.Synthesis != nil && now.Synthesis.PRURL != "" {
			return w, now
		}
		if !w.step(now, PlanNext(&now.Document, TaskLoop{World: w.world})) {
			t.Fatalf("the workflow stopped in %s", now.Phase)
		}
	}
}

func gitLine(t *testing.T, b *Store, args ...string) string {
	t.Helper()
	out, err := git.In(b.Project.Dir).Output(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Publishing creates a branch and leaves your HEAD, index and files unchanged.
func TestPublishTouchesNothing(t *testing.T) {
	t.Parallel()
	w, now := published(t)
	if gitLine(t, w.book, "rev-parse", "HEAD") != now.Base.Commit ||
		gitLine(t, w.book, "symbolic-ref", "--short", "HEAD") != "main" {
		t.Error("HEAD moved, or no longer points at main")
	}
	if got := gitLine(t, w.book, "status", "--porcelain"); got != "?? work.txt" {
		t.Errorf("git status says %q, want only work.txt", got)
	}
	if got := gitLine(t, w.book, "show", "--name-only", "--format=%s", now.Synthesis.Branch); got !=
		"Add retry\n\nwork.txt" {
		t.Errorf("published %q, want Add retry with work.txt", got)
	}
	if _, err := os.Stat(filepath.Join(w.book.Project.Dir, now.Synthesis.PRURL)); err != nil {
		t.Error(err)
	}
}

// A cancellation runs its steps newest first, records each when done, keeps every commit reachable,
// and resumes where it failed.
func TestCancel(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w, now := published(t)
	planned := CancelSteps(&now.Document)
	if ids := ids(planned); !slices.Equal(ids, []string{"sessions", "branch"}) {
		t.Fatalf("the planned steps are %v, want sessions and branch", ids)
	}
	lock := filepath.Join(w.book.Project.Dir, ".git", "refs", "heads", "ferrus", w.id+".lock")
	if err := os.MkdirAll(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(lock, "file"), "") // This lock keeps git, and so ferrus, from deleting the branch.
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	_, err := w.book.Cancel(t.Context(), w.id, "enough")
	var partial *IncompleteCancelError
	if !errors.As(err, &partial) || len(partial.Failed) != 1 || partial.Failed[0].ID != "branch" {
		t.Fatalf("got %v, want that the branch step failed", err)
	}
	left, err := w.book.Load(w.id)
	if err != nil || left.Phase == flow.Cancelled || left.Compensation[0].Status != StepExecuted ||
		left.Compensation[1].Status != StepFailed {
		t.Fatalf("after the failure: %s, %+v, %v; want one step executed and one failed",
			left.Phase, left.Compensation, err)
	}
	if next := PlanNext(&left.Document, TaskLoop{}); next.Do != DoNothing {
		t.Errorf("next is %+v, want nothing while the cancellation is unfinished", next)
	}
	if err := os.RemoveAll(lock); err != nil {
		t.Fatal(err)
	}
	done, err := Open(w.book.Project).Cancel(t.Context(), w.id, "")
	if err != nil || done.Phase != flow.Cancelled {
		t.Fatalf("done.Phase is %v, want %v; the error is %v, want none", done.Phase, flow.Cancelled, err)
	}
	if got := gitLine(t, w.book, "for-each-ref", "--contains", now.Synthesis.Commit, "--format=%(refname)"); got !=
		keptRef(&now.Document) {
		t.Errorf("the commit is reachable from %q, want %q", got, keptRef(&now.Document))
	}
	executed := 0
	for _, l := range w.journal() {
		if l.Event == "workflow.compensation" && strings.Contains(l.Why, "sessions") {
			executed++
		}
	}
	if executed != 1 {
		t.Errorf("a completed step was recorded %d times, want once", executed)
	}
	replays(t, done)
	var no *machine.Refusal
	if _, err := w.book.Cancel(t.Context(), w.id, ""); !errors.As(err, &no) || no.Code != machine.Final {
		t.Errorf("the second cancellation: %v, want a refusal as final", err)
	}
}

func ids(steps []Step) []string {
	var all []string
	for _, s := range steps {
		all = append(all, s.ID)
	}
	return all
}

// Cleanup requires that ferrus itself has verified the merge.
func TestCleanup(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w, now := published(t)
	var no *machine.Refusal
	if _, err := w.book.Do(t.Context(), w.id, store.Call{}, Command{Kind: "cleanup", By: human}); !errors.As(err,
		&no) || no.Failed[0].Guard != "merge-verified" {
		t.Fatalf("cleanup of unmerged work: %v, want a refusal by merge-verified", err)
	}
	gitLine(t, w.book, "update-ref", "refs/heads/main", now.Synthesis.Commit)
	done, err := w.book.Do(t.Context(), w.id, store.Call{}, Command{Kind: "cleanup", By: human})
	if err != nil || done.Phase != flow.Completed || done.Cleanup == nil || !done.Cleanup.MergeVerified {
		t.Errorf("after the cleanup: %s, %+v, %v; want Completed with a verified merge",
			done.Phase, done.Cleanup, err)
	}
}

// Work that cannot be found was not published, whatever the record says.
func TestCompletionAsksGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w, now := published(t)
	gitLine(t, w.book, "update-ref", "-d", "refs/heads/"+now.Synthesis.Branch)
	var no *machine.Refusal
	_, err := w.book.Do(t.Context(), w.id, store.Call{}, Command{Kind: "enter", By: itself, To: flow.Completed})
	if !errors.As(err, &no) || no.Failed[0].Guard != "pr-url-exists" {
		t.Errorf("completion without the branch: %v, want a refusal by pr-url-exists", err)
	}
}

// A cancellation removes its own tasks' worktrees, but none whose work exists nowhere else, and no
// other task's.
func TestCancelRemovesWorktrees(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	b := newStore(t)
	d := &Document{Work: Work{Tasks: []Task{{ID: "a", Loop: "t-20261120-101500-aaaa"},
		{ID: "b", Loop: "t-20261120-101500-bbbb"}, {ID: "c"}}}}
	if ids := ids(CancelSteps(d)); !slices.Equal(ids, []string{"sessions", "worktrees"}) {
		t.Errorf("the planned steps are %v, want sessions and worktrees", ids)
	}
	if skipped, err := b.dropWorktrees(t.Context(), d); err != nil || skipped != "" {
		t.Errorf("skipped %q, want %q; error %v, want none", skipped, "", err)
	}
	var tops []string
	for _, id := range []string{"t-20261120-101500-aaaa", "t-20261120-101500-bbbb", "t-20261120-101500-cccc"} {
		made, err := worktree.Make(t.Context(), b.Project.Worktree(id), worktree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tops = append(tops, made.Dir)
	}
	write(t, filepath.Join(tops[1], "work.txt"), "work")
	skipped, err := b.dropWorktrees(t.Context(), d)
	if err != nil || !strings.Contains(skipped, "bbbb would lose: ") ||
		!strings.Contains(skipped, "work.txt") {
		t.Errorf("skipped %q, %v; want that removing bbbb would lose work.txt", skipped, err)
	}
	for i, want := range []bool{false, true, true} {
		if _, err := os.Stat(tops[i]); (err == nil) != want {
			t.Errorf("%s exists: %v, want %v", tops[i], err == nil, want)
		}
	}
	if err := os.Remove(filepath.Join(tops[1], "work.txt")); err != nil {
		t.Fatal(err)
	}
	if skipped, err := b.dropWorktrees(t.Context(), d); err != nil || skipped != "" {
		t.Errorf("skipped %q, want %q; error %v, want none", skipped, "", err)
	}
}
