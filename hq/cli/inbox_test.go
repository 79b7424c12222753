package cli

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// The inbox of a shell has the usage limits that tasks of the queue wait for, as HQ's has.
func TestTheInboxHasTheLimitsOfTheQueue(t *testing.T) {
	t.Parallel()
	pr := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": ""})
	q, err := queue.OpenOrCreate(t.Context(), pr)
	if err == nil {
		err = q.UseUp(t.Context(), queue.Account{Agent: "codex", Since: time.Now(), Until: time.Now().Add(time.Hour)})
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := readStatus(pr)
	if err != nil {
		t.Fatal(err)
	}
	all := advice.Inbox(s.state.World, s.inboxFacts())
	if !slices.ContainsFunc(all, func(i advice.InboxItem) bool { return i.Kind == advice.ItemLimit }) {
		t.Errorf("the inbox is %+v", all)
	}
}

// Commands that you have yet to trust are one item, however many tasks run them.
func TestTheInboxAsksForTrustOnce(t *testing.T) {
	t.Parallel()
	pr := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"make\"]\n"})
	pr.Trusts = &project.TrustStore{File: filepath.Join(t.TempDir(), "trust.json")}
	s, err := readStatus(pr)
	if err != nil {
		t.Fatal(err)
	}
	asksForTrust := func(all []advice.InboxItem) bool {
		return slices.ContainsFunc(all, func(i advice.InboxItem) bool { return i.Kind == advice.ItemTrust })
	}
	checkout := advice.Inbox(s.state.World, s.inboxFacts())
	tasks := []taskStatus{{Row: queue.Row{Item: queue.Item{N: 1}}, statusReport: s}}
	if all := inboxOfQueue(pr, checkout, tasks); !asksForTrust(checkout) || asksForTrust(all) {
		t.Errorf("the checkout has %+v, and the tasks %+v", checkout, all)
	}
	if !asksForTrust(inboxOfQueue(pr, nil, tasks)) {
		t.Error("no item for commands that only a task runs")
	}
}

// A disk without blocks or files for users is full, and one that counts no files is not.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		blocks, available, files, free uint64
		full                           bool
	}{
		{100, 0, 100, 50, true}, {100, 1, 100, 0, true},
		{100, 1, 100, 1, false}, {100, 1, 0, 0, false}, {0, 0, 0, 0, false},
	} {
		var s syscall.Statfs_t
		s.Blocks, s.Bavail, s.Files, s.Ffree = c.blocks, c.available, c.files, c.free
		if isFull(s) != c.full {
			t.Errorf("%+v", c)
		}
	}
	if got := diskProblem(t.TempDir() + "/missing"); got != "" {
		t.Errorf("a disk that cannot be read: %q", got)
	}
}
