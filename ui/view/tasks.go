package view

import (
	"slices"
	"strings"

	"ferrus/ui/style"
)

// Tasks are the tasks of a project that has several.
type Tasks struct {
	Rows          []TaskRow // what needs the human first; none where there is one task at most
	OtherSessions int       // sessions of other tasks, which would end with HQ
	Selected      string    // the ID of the task that the panes are of
	Number        string    // of that task: #14; empty: it has none
}

// TaskRow is one of several tasks.
type TaskRow struct {
	ID     string // selects it; empty: it has not started, and there is nothing to show
	Number string // #14
	Title  string
	State  State
	Why    string // why it waits, or what it needs
	Age    string // since it came into its state
	Counts string // of failed checks and rejections, its agent and tokens: checks 2 codex 12.3k tok
	Needs  bool   // it continues only when the human does something
}

// NotStarted says that there is nothing to show of the task yet, and why.
func (r TaskRow) NotStarted() string {
	if r.Why == "" {
		return r.Number + " has not started"
	}
	return r.Number + " has not started: " + r.Why
}

// Merge is what is merged into one branch.
type Merge struct {
	Branch string
	Cars   []MergeCar // in the order in which they land
}

// MergeCar is one task on its way to the branch.
type MergeCar struct {
	Text string // #14 proving 63%
	Tone style.Tone
}

// NextNeeding returns the index of the next row below another that needs the human, from the end on at the top again;
// -1: none does.
func NextNeeding(rows []TaskRow, at int) int {
	for i := range rows {
		if next := (at + 1 + i) % len(rows); rows[next].Needs {
			return next
		}
	}
	return -1
}

// NoTaskNeedsYou is the notice when no task needs you and you asked for the next one.
const NoTaskNeedsYou = "No task needs you"

// Matching returns the rows that contain a filter in their number, title, state or reason, in any case.
func (t Tasks) Matching(filter string) []TaskRow {
	if filter == "" {
		return t.Rows
	}
	want := strings.ToLower(filter)
	return slices.DeleteFunc(slices.Clone(t.Rows), func(r TaskRow) bool {
		return !strings.Contains(strings.ToLower(r.Number+" "+r.Title+" "+r.State.Text+" "+r.Why), want)
	})
}
