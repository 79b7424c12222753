package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/machine"
)

// Review is checks/review-<seq>.json: a decision on a submission, with its whole notes. It
// is written before the event of that seq is committed. A file whose seq belongs to
// another event was left by a crash and means nothing.
type Review struct {
	Seq     uint64       `json:"seq"`
	At      time.Time    `json:"at"`
	Event   machine.Kind `json:"event"` // approve, reject, endorse, voided
	By      string       `json:"by"`
	Session string       `json:"session,omitempty"`
	Task    string       `json:"task"`
	Tree    string       `json:"tree"` // that was reviewed
	Notes   string       `json:"notes"`
}

// judges reports whether an event has a Review.
func judges(event machine.Kind) bool {
	switch event {
	case core.KindApprove, core.KindReject, core.KindEndorse, core.KindVoided:
		return true
	}
	return false
}

func reviewFile(seq uint64) string { return fmt.Sprintf("checks/review-%d.json", seq) }

// keepReview writes the review of a decision, before that is committed.
func (t *Task) keepReview(seq uint64, c core.Command, was core.World, d core.Decision) error {
	if !judges(d.Event) || was.Task == nil || was.Submission == nil {
		return nil
	}
	notes := c.Text
	if text, ok := d.Texts[core.ReviewText]; ok {
		notes = text
	}
	return t.writeJSON(reviewFile(seq), Review{
		Seq: seq, At: c.Facts.Now.UTC().Round(0), Event: d.Event, By: c.By.ID, Session: c.By.Session,
		Task: was.Task.ID, Tree: was.Submission.Tree, Notes: notes,
	})
}

// ReviewAt reads the review of a journal entry; false if there is none, as for entries of
// an older version. Dir is ".", or the archive of a task.
func (t *Task) ReviewAt(dir string, seq uint64, event string) (Review, bool, error) {
	var r Review
	ok, err := t.readJSON(path.Join(dir, reviewFile(seq)), &r)
	return r, ok && r.Seq == seq && string(r.Event) == event && judges(r.Event), err
}

// sweepReviews removes what crashes left: files before seq without an event in the
// journal. A file at or after seq may belong to an event that is about to be committed.
func (t *Task) sweepReviews(seq uint64) error {
	names, err := t.Store.List("checks")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	left := map[uint64]bool{}
	oldest := seq
	for _, name := range names {
		number, isReview := strings.CutPrefix(strings.TrimSuffix(name, ".json"), "review-")
		n, bad := strconv.ParseUint(number, 10, 64)
		if isReview && bad == nil && n < seq {
			left[n], oldest = true, min(oldest, n)
		}
	}
	if err != nil || len(left) == 0 {
		return err
	}
	lines, err := t.Store.Journal(oldest - 1)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if left[l.Seq] && judges(machine.Kind(l.Event)) {
			delete(left, l.Seq)
		}
	}
	for n := range left {
		err = errors.Join(err, t.Store.Remove(reviewFile(n)))
	}
	return err
}
