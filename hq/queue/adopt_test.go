package queue_test

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store"
)

// A copied project is adopted with its queue and its tasks, and from then on original and copy are
// independent.
func TestACopiedQueueContinues(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it gives tasks their worktrees")
	}
	t.Parallel()
	heads := store.Heads(filepath.Join(t.TempDir(), "heads"))
	dir := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n" + twoAtATime,
		".gitignore": ".ferrus/\n"}, "one", "two").Dir
	open := func(dir string) *fixture {
		p, err := project.OpenKept(dir, heads, "one", "two")
		hqtest.Must(t, err)
		q, err := queue.OpenOrCreate(t.Context(), p)
		hqtest.Must(t, err)
		return &fixture{t, p, q}
	}
	first := open(dir)
	first.add("# First", "# Second", "# Third")
	first.reconcile()

	other := filepath.Join(t.TempDir(), "copy")
	first.ok(os.CopyFS(other, os.DirFS(dir)))
	copied, err := project.OpenKept(other, heads, "one", "two")
	first.ok(err)
	if err := copied.CheckPlace(t.Context()); err == nil {
		t.Fatal("the copy was not detected")
	}
	first.ok(copied.Adopt(t.Context()))
	first.ok(copied.CheckPlace(t.Context()))
	second := open(other)
	second.add("# Fourth")
	second.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Queued: 2 of 2 tasks are running",
		"#4 Queued: 2 of 2 tasks are running")
	if text, err := second.q.Request(3); err != nil || text != "# Third" {
		t.Errorf("the text of #3 is %q, %v; want Third", text, err)
	}
	first.ok(first.CheckPlace(t.Context()))
	first.shows("#1 Running: Executing", "#2 Running: Executing", "#3 Queued: 2 of 2 tasks are running")
}
