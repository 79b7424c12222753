package agent

import (
	"fmt"
	"strings"

	"ferrus/ui/text"
)

// Limits of the texts in a pair's prompt; together they fit into one argument of a command
// line.
const (
	maxPairText = 12 << 10 // of what others said
	maxPairDiff = 28 << 10
)

// PairData is the data of a pair's templates. Texts are put between tags, as data; all but
// the task are cut if they are too long. It has more than 12 fields because the templates
// have a place for each.
type PairData struct {
	Project   string // absolute directory
	Task      string
	Mode      string // review, consensus or single
	Iteration int
	Limit     int

	// The words that end the turn, as the agent must write them; empty: not in this turn.
	Done, Pass, Rework, Fail string

	Messages string // of the human
	Report   string // of checks that failed
	Notes    string // of the reviewer, or why its approval counts for nothing
	Approved bool   // the other agent passed the files as they are
	Summary  string // by the worker at the end of its turn
	Verdict  string // of the checks, one line
	Diff     string // since the run began
	Alarms   string // what the change does to its own checks
}

// PairPrompt returns the prompt of a turn of the worker or the reviewer. Its last line never
// ends a turn, so an agent that repeats its prompt decides nothing.
func PairPrompt(reviewer bool, d PairData) (string, error) {
	name := "pair-work.tmpl"
	if reviewer {
		name = "pair-review.tmpl"
	}
	if d.Task = data(d.Task); len(d.Task) > maxText {
		return "", fmt.Errorf("write pair prompt: a task of %d bytes is too long for a command line, at most %d",
			len(d.Task), maxText)
	}
	for _, text := range []*string{&d.Messages, &d.Report, &d.Notes, &d.Summary, &d.Verdict,
		&d.Alarms} {
		*text = clipText(data(*text), maxPairText)
	}
	d.Diff = clipText(data(d.Diff), maxPairDiff)
	prompt, err := executePrompt(name, d)
	if err != nil {
		return "", fmt.Errorf("write pair prompt: %w", err)
	}
	return prompt, nil
}

// clipText cuts a text at the end of a line and adds a note.
func clipText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	kept := text.CutBytes(s, most)
	if at := strings.LastIndexByte(kept, '\n'); at > most/2 {
		kept = kept[:at]
	}
	return fmt.Sprintf("%s\n(%d more bytes are left out)", kept, len(s)-len(kept))
}
