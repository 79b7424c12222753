package merge

import (
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store/longtest"
)

// B.5 2: a flaky test in a batch: the verdict is FLAKY, nothing lands by luck and nothing is returned,
// until you say so.
func TestFlakyIsAVerdict(t *testing.T) {
	skipShort(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"flaky": filepath.Join(t.TempDir(), "ran")}, work{"file-c": "c"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2, 3)
	f.complete()
	f.shows("#1 Staged, #2 Staged, #3 Staged")
	m := f.merge()
	if !m.Data.Flaky || !strings.HasPrefix(m.Why, "FLAKY: ") || f.git("rev-parse", "main") != first {
		t.Fatalf("the merge is %+v", m)
	}
	words, err := f.journal()
	f.ok(err)
	if !strings.Contains(strings.Join(words, "\n"), "FLAKY: ") {
		t.Errorf("the journal does not say it: %q", words)
	}
	rows, err := f.q.Rows(queue.Conditions{})
	f.ok(err)
	for _, r := range rows {
		if !r.Needs || !r.Refused {
			t.Errorf("%s: needs you %v, refused %v (%s): a run would end as if all were well", r.Name(), r.Needs,
				r.Refused, r.Why)
		}
	}
	f.restart() // a new process knows it as well
	f.complete()
	if f.git("rev-parse", "main") != first {
		t.Fatal("it landed by luck after a restart")
	}
	f.ok(f.m.Decide(t.Context(), project.HumanActor(), "main", Accept, f.o))
	f.complete()
	f.shows("#1 Landed, #2 Landed, #3 Landed")
	f.proven(first, "after you accepted it")
}

// A change that failed once and is proven again in a later batch does not land on that PASS alone.
func TestFlakyIsRemembered(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"flaky": filepath.Join(t.TempDir(), "ran")}, work{"file-b": "b"})
	f.stage(1, 2)
	f.complete()
	f.ok(f.q.Unstage(t.Context(), project.HumanActor(), 2)) // the batch is gone
	f.stage(2)
	f.complete()
	if m := f.merge(); !m.Data.Flaky {
		t.Errorf("the merge is %+v", m)
	}
	f.ok(f.m.Decide(t.Context(), project.HumanActor(), "main", Again, f.o))
	f.complete()
	f.shows("#1 Landed, #2 Landed")
}

// A candidate that passes where another gate of the project failed is FLAKY at once; "again" makes that gate the one
// that counts.
func TestFlakyByAnotherGate(t *testing.T) {
	skipShort(t)
	t.Parallel()
	f := newFixture(t)
	f.tasks(work{"file-a": "a"}, work{"file-b": "b"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2)
	if _, err := f.m.Advance(t.Context(), f.o); err != nil {
		t.Fatal(err)
	}
	of := f.of(1)
	m := f.merge()
	f.ok(f.NoteVerdict(m.Batch.Picks[1].Tree, *hqtest.World(t, of).Task.Definition, checks.Fail, "gate forced"))
	f.complete()
	if m := f.merge(); !m.Data.Flaky || f.git("rev-parse", "main") != first {
		t.Fatalf("the merge is %+v", m)
	}
	lines, err := HistoryOf(f.q, 2)
	f.ok(err)
	if all := strings.Join(lines, "\n"); !strings.Contains(all, "batch 1: #1, #2") || !strings.Contains(all, "FLAKY") {
		t.Errorf("the history of #2 is %q", lines)
	}
	if lines, err := HistoryOf(f.q, 3); err != nil || lines != nil {
		t.Errorf("the history of #3 is %q, %v", lines, err)
	}
	f.ok(f.m.Decide(t.Context(), project.HumanActor(), "main", Again, f.o))
	f.complete()
	f.shows("#1 Landed, #2 Landed")
}
