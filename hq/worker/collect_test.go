package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git/gittest"
	"ferrus/hq/wire"
)

// commits creates the given number of commits in a home's repository, as if home had sent them.
func (h *home) commits(t *testing.T, n int) (all []string) {
	t.Helper()
	for i := range n {
		if err := os.WriteFile(filepath.Join(h.dir, "a.txt"), fmt.Appendf(nil, "%d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
		gittest.Commit(t, h.dir)
		head := h.output(t, "rev-parse", "HEAD")
		h.output(t, "update-ref", tipRef(head), head)
		all = append(all, head)
	}
	return all
}

func (h *home) output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := h.git().Output(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Once a task has ended, its own objects are removed, but none that another task, a gate or the
// next task needs.
func TestWhatOnlyAnEndedTaskNeededIsRemoved(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w := newWorker(t)
	link := w.Handler("")
	if err := greet(t, link, homeA); err != nil {
		t.Fatal(err)
	}
	h := w.homes[homeA]
	all := h.commits(t, keptTips+5)
	h.output(t, "repack", "-q")
	packs := func() []string {
		names, _ := filepath.Glob(filepath.Join(h.dir, ".git", "objects", "pack", "*.pack"))
		return names
	}
	for i, one := range slices.Repeat(packs(), maxPacks) {
		for _, suffix := range []string{".pack", ".idx"} {
			data, err := os.ReadFile(strings.TrimSuffix(one, ".pack") + suffix)
			if err == nil {
				err = os.WriteFile(fmt.Sprintf("%s/pack-%040x%s", filepath.Dir(one), i, suffix), data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	based, checked, ended := all[0], all[1], all[2]
	for _, name := range []string{"t-1", "t-2"} {
		if _, err := h.claim(wire.Task{Task: name, Attempt: 1}, func(a *attempt) { a.Commit = based }); err != nil {
			t.Fatal(err)
		}
		h.output(t, "update-ref", workRefs+name, ended)
	}
	tree := h.output(t, "rev-parse", ended+"^{tree}")
	sent, err := h.git().With(author...).Output(t.Context(), "commit-tree", tree, "-p", ended, "-m", "for a worker")
	if err != nil {
		t.Fatal(err)
	}
	h.output(t, "update-ref", tipRef(sent), sent)
	h.gates["merge_1"] = &gateRun{commit: checked, base: checked, done: closed(), cancel: func() {}}
	if _, err := ask(t, link, wire.MethodForget, wire.Forget{Task: wire.Task{Task: "t-1", Attempt: 1}}); err != nil {
		t.Fatal(err)
	}
	left := strings.Fields(h.output(t, "for-each-ref", "--format=%(refname)", "refs/ferrus"))
	for _, needed := range []string{tipRef(based), tipRef(checked), workRefs + "t-2"} {
		if !slices.Contains(left, needed) {
			t.Errorf("%s was removed", needed)
		}
	}
	if len(left) != 3+keptTips || slices.Contains(left, tipRef(sent)) {
		t.Errorf("the refs left are\n%s\nwant %d, without the oldest", strings.Join(left, "\n"), 3+keptTips)
	}
	if n := len(packs()); n != 1 {
		t.Errorf("there are %d packs, want 1", n)
	}
	h.output(t, "fsck", "--strict")
	h.output(t, "cat-file", "-e", sent) // it is too new to be removed
	delete(h.gates, "merge_1")
	var status wire.Status
	if status = w.status(h); !slices.Equal(status.Tasks, []string{"t-2"}) {
		t.Errorf("the status lists the tasks %q, want t-2", status.Tasks)
	}
}
