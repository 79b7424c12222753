package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/store"
)

// reviews returns the records that the journal stands for, and how many files there
// are.
func (l *fixture) reviews(dir string) (all []Review) {
	l.Helper()
	lines, err := l.Store.Journal(0)
	if err != nil {
		l.Fatal(err)
	}
	for _, line := range lines {
		r, ok, err := l.ReviewAt(dir, line.Seq, line.Event)
		if err != nil {
			l.Fatal(err)
		}
		if ok {
			all = append(all, r)
		}
	}
	return all
}

func (l *fixture) reviewFiles() []string {
	l.Helper()
	files, err := filepath.Glob(l.Store.Path("checks", "review-*.json"))
	if err != nil {
		l.Fatal(err)
	}
	return files
}

// TestEveryReviewIsKeptWhole covers reviews whose notes are not the newest, and reviews of an
// archived task.
func TestEveryReviewIsKeptWhole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	l.submit()
	tree := l.world().World.Submission.Tree
	notes := []string{"first line\n\nand the reason", "again\nwith `code`\n"}
	for _, text := range notes {
		l.do(core.Command{Kind: "claim", By: reviewer()})
		l.do(core.Command{Kind: "reject", By: reviewer(), Text: text})
		l.resubmit()
	}
	l.do(core.Command{Kind: "approve", By: HumanActor(), Text: "good\nat last"})
	task := l.world().World.Task.ID
	check := func(dir string) {
		t.Helper()
		all := l.reviews(dir)
		if len(all) != 3 {
			t.Fatalf("%s: the reviews are %+v, want 3", dir, all)
		}
		for i, want := range append(notes, "good\nat last") {
			if r := all[i]; r.Notes != want || r.Tree != tree || r.Task != task || r.At.IsZero() {
				t.Errorf("%s: review %d is %+v", dir, i, r)
			}
		}
		if all[0].By != reviewer().ID || all[0].Session != "r" || all[0].Event != "reject" || all[2].By != "person" ||
			all[2].Event != "approve" {
			t.Errorf("%s: the reviews are %+v, want a rejection by the reviewer first and your approval last",
				dir, all)
		}
	}
	check(".")
	l.do(core.Command{Kind: "reset", By: HumanActor()})
	check("archive/" + task)
	if files := l.reviewFiles(); len(files) != 0 {
		t.Errorf("left beside the archive: %v", files)
	}
}

// TestReviewOfACrashSaysNothing covers a crash between a review's record and its event: a record
// without an event does not count.
func TestReviewOfACrashSaysNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t)
	l.submit()
	c := core.Command{Kind: "reject", By: HumanActor(), Text: "never said"}
	crash := errors.New("crash")
	_, err := l.Store.Update(t.Context(), store.Call{}, func(tx *store.Tx[core.World]) error {
		d, err := core.Decide(tx.World, c, core.Limits{CheckRetries: 20, ReviewCycles: 3})
		if err == nil {
			err = l.keepReview(tx.Seq, c, tx.World, d)
		}
		return errors.Join(err, crash)
	})
	if !errors.Is(err, crash) || len(l.reviewFiles()) != 1 {
		t.Fatalf("got %v with the files %v, want the crash and one file", err, l.reviewFiles())
	}
	if all := l.reviews("."); len(all) != 0 {
		t.Errorf("before its event: %+v", all)
	}
	l.do(core.Command{Kind: "claim", By: reviewer()}) // takes the seq
	if all := l.reviews("."); len(all) != 0 {
		t.Errorf("another event has its seq: %+v", all)
	}
	l.do(core.Command{Kind: "reject", By: reviewer(), Text: "said"})
	if all := l.reviews("."); len(all) != 1 || all[0].Notes != "said" {
		t.Errorf("the reviews are %+v, want one with its notes", all)
	}
	if files := l.reviewFiles(); len(files) != 1 {
		t.Errorf("not swept: %v", files)
	}
}

// TestReviewThatCannotBeKept checks that the review is refused: its event would have no text.
func TestReviewThatCannotBeKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	l.submit()
	seq := l.world().Seq
	if err := os.MkdirAll(l.Store.Path("checks", filepath.Base(reviewFile(seq+1)), "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := l.Do(t.Context(), store.Call{}, core.Command{Kind: "approve", By: HumanActor()})
	if err == nil || !strings.Contains(err.Error(), "review-") || l.world().Seq != seq {
		t.Errorf("got %v at seq %d, want an error about the review's file at %d", err, l.world().Seq, seq)
	}
}
