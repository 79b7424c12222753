package agent

import (
	"fmt"
	"strings"

	"ferrus/ui/text"
)

// How much of each text a prompt of a pair has; together they fit into one
// argument of a command line.
const (
	pairTold = 12 << 10 // of what others said
	pairDiff = 28 << 10
)

// PairData is what the templates of a pair may name. Texts are put between tags,
// as data; those that are too long are cut, but for the task.
type PairData struct {
	Project   string // absolute directory
	Task      string
	Mode      string // review, consensus or single
	Iteration int
	Limit     int

	// How to end the turn, as the agent is to write it; empty: not for this turn.
	Done, Pass, Rework, Fail string

	Messages string // of the person
	Report   string // of checks that failed
	Notes    string // of the reviewer, or why its approval counts for nothing
	Approved bool   // the other agent passed the files as they are
	Said     string // by the worker at the end of its turn
	Verdict  string // of the checks, one line
	Diff     string // since the run began
	Alarms   string // what the change does to its own checks
}

// Single reports whether there is no reviewer.
func (d PairData) Single() bool { return d.Mode == "single" }

// PairPrompt words a turn of the worker, or of the reviewer. Its last line is
// never a way to end the turn: an agent that repeats its prompt says nothing.
func PairPrompt(reviewer bool, data PairData) (string, error) {
	name := "pair-work.tmpl"
	if reviewer {
		name = "pair-review.tmpl"
	}
	if data.Task = stripped(data.Task); len(data.Task) > wordiest {
		return "", fmt.Errorf("word pair prompt: a task of %d bytes is too long for a command line, at most %d", len(data.Task), wordiest)
	}
	for _, text := range []*string{&data.Messages, &data.Report, &data.Notes, &data.Said, &data.Verdict, &data.Alarms} {
		*text = clip(stripped(*text), pairTold)
	}
	data.Diff = clip(stripped(data.Diff), pairDiff)
	var b strings.Builder
	if err := prompting.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("word pair prompt: %w", err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

func stripped(s string) string { return strings.TrimSpace(text.Plain(s)) }

// clip cuts a text at the end of a line and says so.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	kept := text.CutBytes(s, most)
	if at := strings.LastIndexByte(kept, '\n'); at > most/2 {
		kept = kept[:at]
	}
	return fmt.Sprintf("%s\n(%d more bytes are left out)", kept, len(s)-len(kept))
}
