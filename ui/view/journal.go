package view

import "ferrus/ui/style"

// EntryID identifies an entry. The zero EntryID is none.
type EntryID struct {
	Seq     uint64 // in the journal; of a refusal, the preceding entry's
	Refused uint64 // the number of a refusal; 0: the entry is in the journal
}

// Entry is one line of the journal, or a call that was refused, which is in none.
type Entry struct {
	EntryID
	At    string // 14:02
	Clock string // 14:02:11
	After string // the time since the entry before: +32s
	Day   string // Friday, 20 November
	Event string // create_task
	From  State  // of a transition; empty: the state stayed
	To    State
	By    string // supervisor
	Why   string
	Tone  style.Tone
}

// Check is the newest check gate.
type Check struct {
	Title string // check 3
	State string // FAIL 2/3
	Tone  style.Tone
	Took  string
	Why   string
	Rows  []CheckRow
	Lines []string // the newest output
	Log   string
	// Alarms of the submission: a gate that passed says nothing against them.
	Alarms   Alarms
	Progress Progress
}

// Progress is how far work is that you wait for. The zero value means none.
type Progress struct {
	Runs    bool
	Failed  bool // a part of it; the rest still runs
	Percent int  // 1 to 99; 0: its end is not known
}

// CheckRow is one command of the gate.
type CheckRow struct {
	Mark    string // ok, FAIL, run, TIME
	Tone    style.Tone
	Command string
	Detail  string
	Took    string
	Share   int // of the time it took the last time, in percent; 0: that is not known
}
