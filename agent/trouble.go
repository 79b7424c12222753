package agent

import (
	"strings"
	"unicode/utf8"
)

// Trouble is what keeps an agent from its work and a person can mend.
type Trouble struct {
	What string // about the agent: "is not logged in"
	Fix  string // what to do
	Said string // by the program, on one line

	Lasting bool // the next session would end in it too
}

// troublePattern is how a vendor's program words one trouble: all lower case.
type troublePattern struct {
	what, fix string
	says      []string // each begins such a sentence, or is soon after its beginning
}

// troubleDetector is an adapter that knows how its program words its troubles, the most
// telling first.
type troubleDetector interface{ symptoms() []troublePattern }

// The troubles that every program can be in.
const (
	signedOut = "is not logged in, or its key is not accepted"
	forbidden = "may not use this model with its account"
	spent     = "has used up what its account gives"
	refusing  = "was refused a tool by its own permission checks"
	asking    = "asks whether it may trust the folder"

	mendForbidden = "choose another model (/model), or another account"
	mendSpent     = "see to its account, or give the role to another agent (/model)"
	mendRefusing  = "its pane names the tool; allow it in the settings of the program, or set permissions = \"bypass\" for the role in ferrus.toml"
)

// Diagnose finds the trouble in the rows of a session's screen, from the top. Of a
// session that is not over only what stands in a line about another try counts:
// anything else may be about the work.
func Diagnose(name string, rows []string, over bool) (Trouble, bool) {
	p, ok := vendors[name].(troubleDetector)
	if !ok {
		return Trouble{}, false
	}
	for _, s := range p.symptoms() {
		for i, row := range rows {
			if !over && !triesAgain(p, row) {
				continue
			}
			next := ""
			if i+1 < len(rows) {
				next = rows[i+1]
			}
			if s.in(row, next) {
				return Trouble{What: s.what, Fix: s.fix, Said: sentence(rows[i:]), Lasting: s.what != refusing && s.what != asking}, true
			}
		}
	}
	return Trouble{}, false
}

// sentence is a line that the screen may have cut into rows of its width; one in a box
// stands alone.
func sentence(rows []string) string {
	if row, boxed := strings.CutSuffix(rows[0], "│"); boxed {
		return oneLine(strings.Trim(row, "│ "), longFault)
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
	return oneLine(strings.TrimLeft(text, "⎿■●•✕│ "), longFault)
}

// narrowest is a pane's width in columns; no shorter row was cut.
const narrowest = 40

// retrying begins the line that a renderer writes of another try.
const retrying = "the model's server does not answer"

// retryDetector is an adapter whose program says itself, in words of its own, that it
// tries again.
type retryDetector interface{ again(row string) bool }

func triesAgain(p troubleDetector, row string) bool {
	t, ok := p.(retryDetector)
	return strings.HasPrefix(row, retrying) || ok && t.again(row)
}

// in looks for the symptom in a row, which a narrow screen may have cut in two. Of
// a call only that counts which its program says about permission.
func (s troublePattern) in(row, next string) bool {
	if call, fault, ok := strings.Cut(row, "failed: "); ok && strings.HasPrefix(call, "● ") {
		if s.what != refusing {
			return false
		}
		row = fault
	}
	for _, text := range []string{row + " " + next, row + next} {
		for _, words := range s.says {
			if at := strings.Index(foldedASCII(text), words); at >= 0 && at <= early && at < len(row) {
				return true
			}
		}
	}
	return false
}
