package conductor

import (
	"errors"
	"testing"
	"time"

	"ferrus/hq/conductor/notice"
	"ferrus/hq/queue"
	"ferrus/hq/session"
)

// A look at the queue that failed is not repeated at once: its cause may last.
func TestAFailedLookWaits(t *testing.T) {
	loop := session.NewLoop(t.Context())
	seen := queueFacts{seq: 7}
	q := taskQueue{observed: &observed{loop: loop, notices: &notice.List{}}, running: true}
	q.seen = seen
	q.finished(found{record: &queue.Queue{}}, errors.New("the disk is full"))
	if q.running || q.seen != seen || q.again == nil || q.record != nil {
		t.Errorf("after an error the queue is %+v", q)
	}
	first := q.again
	q.lookAgain(time.Hour)
	if q.again != first {
		t.Error("a later look takes the place of an earlier one")
	}
	first.Stop()
	loop.Close()
}

// A task whose worktree is being made says in the list what is copied.
func TestARowSaysWhatIsCopied(t *testing.T) {
	q := taskQueue{tasks: &tasks{}, begin: map[int]string{4: ""},
		rows: []queue.Row{{Item: queue.Item{N: 4}, Why: "is beginning"}}}
	q.copied(4, "node_modules", 512)
	q.copied(5, "node_modules", 512) // it has begun meanwhile
	if got := q.shown()[0].Why; got != "copied 512 files of node_modules" {
		t.Errorf("it says %q", got)
	}
	if len(q.begin) != 1 || q.rows[0].Why != "is beginning" {
		t.Errorf("kept: %v, %+v", q.begin, q.rows)
	}
}
