package conductor

import (
	"errors"
	"testing"
	"time"

	"ferrus/hq/queue"
	"ferrus/hq/session"
)

// A look at the queue that failed is not repeated at once: its cause may last.
func TestAFailedLookWaits(t *testing.T) {
	loop := session.NewLoop(t.Context())
	seen := queueFacts{seq: 7}
	q := taskQueue{observed: &observed{loop: loop, notices: &notices{}}, seen: seen, running: true}
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
