package conductor

import (
	"slices"

	"ferrus/hq/project"
	"ferrus/store"
)

// How many lines of the journal the screen gets, and how many of them it gets at
// once: more than it shows before anyone scrolls.
const (
	journalKept   = 500
	journalRecent = 60
)

// journal is the end of the task's journal.
type journal struct {
	lines      []store.Entry // oldest first, without a gap
	recentOnly bool          // older lines are still to be read; see older
}

// next returns the seq after which lines are not known yet, of a journal that ends
// with newest.
func (j *journal) next(newest uint64) uint64 {
	if n := len(j.lines); n > 0 {
		return j.lines[n-1].Seq
	}
	return max(newest, journalRecent) - journalRecent
}

// add takes in lines that follow.
func (j *journal) add(lines []store.Entry) {
	if j.lines == nil {
		j.recentOnly = true
	}
	j.lines = append(j.lines, lines...)
	if extra := len(j.lines) - journalKept; extra > 0 {
		j.lines = append(j.lines[:0:0], j.lines[extra:]...)
	}
}

// older reads what comes before the lines that the first look found: the first
// picture does not wait for it. False when there was nothing to do.
func (j *journal) older(p *project.Project, newest uint64) (bool, error) {
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
