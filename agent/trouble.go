package agent

import (
	"strings"
	"unicode/utf8"
)

// Trouble is a problem that keeps an agent from working and that you can fix.
type Trouble struct {
	What    string // about the agent: "is not logged in"
	Fix     string // what to do
	Message string // what the program printed, in one line

	Lasting bool // the next session would end in the same way
	Final   bool // no try of this session can succeed either
}

// IsPermission reports whether the program refused a tool. It says the same of what you refused.
func (t Trouble) IsPermission() bool { return t.What == refusing }

// troublePattern is one trouble with the sentences of a vendor's program, in lower case.
type troublePattern struct {
	what, fix string
	says      []string // each begins such a sentence, or comes soon after its beginning
}

// troubleDetector is an adapter that knows its program's troubles, the most specific first.
type troubleDetector interface{ troublePatterns() []troublePattern }

// The troubles of every program.
const (
	signedOut = "is not logged in, or its key is not accepted"
	forbidden = "cannot use this model with its account"
	spent     = "has used up the quota of its account"
	refusing  = "was refused a tool by its own permission checks"
	asking    = "asks whether to trust the directory"

	fixForbidden = "choose another model (/model), or another account"
	fixSpent     = "check its account, or give the role to another agent (/model)"
	fixRefusing  = "its pane names the tool; allow it in the settings of the program, or set permissions = " +
		"\"bypass\" for the role in ferrus.toml"
)

// ofStatus are the sentences of renderers about an answer of a vendor's server, by the trouble that it is.
var ofStatus = map[string]troublePattern{
	signedOut: {says: []string{"the session failed: 401"}},
	forbidden: {says: []string{"the session failed: 403"}},
	spent:     {says: []string{"the session failed: 402", "the session failed: 429"}},
}

// Diagnose returns the trouble in the rows of a session's screen, from the top. While a
// session runs, only a line about a retry counts: anything else may be about the work.
func Diagnose(name string, rows []string, over bool) (Trouble, bool) {
	p, ok := adapters[name].(troubleDetector)
	if !ok {
		return Trouble{}, false
	}
	for _, s := range p.troublePatterns() {
		for i, row := range rows {
			if !over && !isRetryLine(p, row) {
				continue
			}
			next := ""
			if i+1 < len(rows) {
				next = rows[i+1]
			}
			if s.in(row, next) || ofStatus[s.what].in(row, next) {
				return Trouble{What: s.what, Fix: s.fix, Message: joinRows(rows[i:]),
					Lasting: s.what != refusing && s.what != asking,
					Final:   s.what == signedOut || s.what == forbidden}, true
			}
		}
	}
	return Trouble{}, false
}

// joinRows returns a line that the screen may have broken into rows; one in a box stands
// alone.
func joinRows(rows []string) string {
	if row, boxed := strings.CutSuffix(rows[0], "│"); boxed {
		return oneLine(strings.Trim(row, "│ "), maxFaultCells)
	}
	widest, text := 0, ""
	for _, row := range rows {
		widest = max(widest, utf8.RuneCountInString(row))
	}
	for _, row := range rows {
		text += row
		if utf8.RuneCountInString(row) < max(widest, narrowest) {
			break
		}
	}
	return oneLine(strings.TrimLeft(text, "⎿■●•✕│ "), maxFaultCells)
}

// narrowest is the least width of a pane; a shorter row was not broken.
const narrowest = 40

// retrying begins the line that a renderer writes about a retry.
const retrying = "the model's server does not answer"

// retryDetector is an adapter whose program itself reports retries.
type retryDetector interface{ isRetry(row string) bool }

func isRetryLine(p troubleDetector, row string) bool {
	t, ok := p.(retryDetector)
	return strings.HasPrefix(row, retrying) || ok && t.isRetry(row)
}

// in reports whether a row contains the pattern; a narrow screen may have broken it in two.
// In the line of a call only a message about permissions counts.
func (s troublePattern) in(row, next string) bool {
	if call, fault, ok := strings.Cut(row, "failed: "); ok && strings.HasPrefix(call, "● ") {
		if s.what != refusing {
			return false
		}
		row = fault
	}
	for _, text := range []string{row + " " + next, row + next} {
		for _, words := range s.says {
			if at := strings.Index(foldedASCII(text), words); at >= 0 && at <= maxPrefix && at < len(row) {
				return true
			}
		}
	}
	return false
}
