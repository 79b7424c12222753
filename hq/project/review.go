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

// Review is checks/review-<seq>.json: a judgement of a submission, whole. It is
// there before the event of that seq; a file whose seq is another event's was left
// by a crash and says nothing.
type Review struct {
	Seq     uint64       `json:"seq"`
	At      time.Time    `json:"at"`
	Event   machine.Kind `json:"event"` // approve, reject, endorse, voided
	By      string       `json:"by"`
	Session string       `json:"session,omitempty"`
	Task    string       `json:"task"`
	Tree    string       `json:"tree"` // that was judged
	Notes   string       `json:"notes"`
}

// judges are the events that a Review is kept of.
func judges(event machine.Kind) bool {
	switch event {
	case core.KindApprove, core.KindReject, core.KindEndorse, core.KindVoided:
		return true
	}
	return false
}

func reviewFile(seq uint64) string { return fmt.Sprintf("checks/review-%d.json", seq) }

// keepReview writes down what a decision says of a submission, before it is
// committed.
func (p *Project) keepReview(seq uint64, c core.Command, was core.World, d core.Decision) error {
	if !judges(d.Event) || was.Task == nil || was.Submission == nil {
		return nil
	}
	notes := c.Text
	if text, ok := d.Texts[core.ReviewText]; ok {
		notes = text
	}
	return p.writeJSON(reviewFile(seq), Review{
		Seq: seq, At: c.Facts.Now.UTC().Round(0), Event: d.Event, By: c.By.ID, Session: c.By.Session,
		Task: was.Task.ID, Tree: was.Submission.Tree, Notes: notes,
	})
}

// ReviewAt reads the whole of the review that a line of the journal tells of;
// false when there is none, as for one of an older version. Dir is .ferrus as ".",
// or the archive of a task.
func (p *Project) ReviewAt(dir string, seq uint64, event string) (Review, bool, error) {
	var r Review
	ok, err := p.readJSON(path.Join(dir, reviewFile(seq)), &r)
	return r, ok && r.Seq == seq && string(r.Event) == event && judges(r.Event), err
}

// sweepReviews takes away what crashes left: files before seq that no event of the
// journal stands for. One at or after it may be about to be committed.
func (p *Project) sweepReviews(seq uint64) error {
	names, err := p.Store.List("checks")
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
	lines, err := p.Store.Journal(oldest - 1)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if left[l.Seq] && judges(machine.Kind(l.Event)) {
			delete(left, l.Seq)
		}
	}
	for n := range left {
		err = errors.Join(err, p.Store.Remove(reviewFile(n)))
	}
	return err
}
