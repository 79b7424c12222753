package conductor

import (
	"slices"

	"ferrus/hq/project"
	"ferrus/store"
)

// The number of journal lines that the screen gets, and the number that the first view has:
// more than a screen shows before it is scrolled.
const (
	journalKept   = 500
	journalRecent = 60
)

// journal is the end of the task's journal.
type journal struct {
	lines      []store.Entry // oldest first, without a gap
	recentOnly bool          // older lines are still unread; see older
}

// next returns the seq after which to read a journal that ends with newest.
func (j *journal) next(newest uint64) uint64 {
	if n := len(j.lines); n > 0 {
		return j.lines[n-1].Seq
	}
	return max(newest, journalRecent) - journalRecent
}

// add appends lines, and drops the oldest beyond journalKept.
func (j *journal) add(lines []store.Entry) {
	if j.lines == nil {
		j.recentOnly = true
	}
	j.lines = append(j.lines, lines...)
	if extra := len(j.lines) - journalKept; extra > 0 {
		j.lines = append(j.lines[:0:0], j.lines[extra:]...)
	}
}

// older reads the lines before those of the first read, which the first view does not wait
// for. It reports whether it did; it does so once.
func (j *journal) older(p *project.Task, newest uint64) (bool, error) {
	if !j.recentOnly {
		return false, nil
	}
	j.recentOnly = false
	if len(j.lines) == 0 || j.lines[0].Seq <= 1 {
		return true, nil
	}
	lines, err := p.Store.Journal(max(newest, journalKept) - journalKept)
	known := func(l store.Entry) bool { return l.Seq >= j.lines[0].Seq }
	j.lines = append(slices.DeleteFunc(lines, known), j.lines...)
	return true, err
}
