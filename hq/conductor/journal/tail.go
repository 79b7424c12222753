// Package journal reads the journal of a task for the screen: its end ([Tail]), all that belongs to one of its entries
// ([Reader]), and what a human decided by an entry, in words.
//
// The store has only the newest text of each name. A [Cache] has earlier ones, which an entry may be about, for as long
// as this process lives. Nothing here writes to disk.
package journal

import (
	"slices"

	"ferrus/hq/project"
	"ferrus/store"
)

// The number of journal lines that the screen gets, and the number that the first view has:
// more than a screen shows before it is scrolled.
const (
	kept   = 500
	recent = 60
)

// Tail is the end of the journal of a task. The zero value has nothing yet. One goroutine uses it.
type Tail struct {
	Lines      []store.Entry // oldest first, without a gap
	recentOnly bool          // Older lines are still unread; see Older
}

// Next returns the seq after which to read a journal that ends with newest.
func (j *Tail) Next(newest uint64) uint64 {
	if n := len(j.Lines); n > 0 {
		return j.Lines[n-1].Seq
	}
	return max(newest, recent) - recent
}

// Add appends lines, and drops the oldest beyond kept.
func (j *Tail) Add(lines []store.Entry) {
	if j.Lines == nil {
		j.recentOnly = true
	}
	j.Lines = append(j.Lines, lines...)
	if extra := len(j.Lines) - kept; extra > 0 {
		j.Lines = append(j.Lines[:0:0], j.Lines[extra:]...)
	}
}

// Older reads the lines before those of the first read, which the first view does not wait
// for. It reports whether it did; it does so once.
func (j *Tail) Older(p *project.Task, newest uint64) (bool, error) {
	if !j.recentOnly {
		return false, nil
	}
	j.recentOnly = false
	if len(j.Lines) == 0 || j.Lines[0].Seq <= 1 {
		return true, nil
	}
	lines, err := p.Store.Journal(max(newest, kept) - kept)
	known := func(l store.Entry) bool { return l.Seq >= j.Lines[0].Seq }
	j.Lines = append(slices.DeleteFunc(lines, known), j.Lines...)
	return true, err
}
