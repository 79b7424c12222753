package pair

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ferrus/machine"
)

// Signal is how an agent ended its turn. The zero value is no signal.
type Signal string

// The signals.
const (
	NoneYet      Signal = ""
	SignalDone   Signal = "DONE"
	SignalPass   Signal = "PASS"
	SignalRework Signal = "REWORK"
	SignalFail   Signal = "FAIL"
)

// Words are what the signals are called in a run.
type Words struct {
	Done   string `json:"done"`
	Pass   string `json:"pass"`
	Rework string `json:"rework"`
	Fail   string `json:"fail"`
}

// DefaultWords are those of the seed.
var DefaultWords = Words{Done: "DONE", Pass: "PASS", Rework: "REWORK", Fail: "FAIL"}

var wordForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

// CheckWord refuses what is no word.
func CheckWord(word string) error {
	if !wordForm.MatchString(word) {
		return fmt.Errorf("the signal word %.40q is not one word of letters, digits, - and _", word)
	}
	return nil
}

// Check refuses words that could not be told apart, or that are no words.
func (w Words) Check() error {
	all := []string{w.Done, w.Pass, w.Rework, w.Fail}
	for i, word := range all {
		if err := CheckWord(word); err != nil {
			return err
		}
		if slices.ContainsFunc(all[:i], func(other string) bool { return strings.EqualFold(other, word) }) {
			return fmt.Errorf("the signal word %q is used twice", word)
		}
	}
	return nil
}

// Word is what a signal is called.
func (w Words) Word(s Signal) string {
	switch s {
	case SignalDone:
		return w.Done
	case SignalPass:
		return w.Pass
	case SignalRework:
		return w.Rework
	case SignalFail:
		return w.Fail
	}
	return ""
}

// Taught are the signals that end a turn of an agent in a mode. Others say
// nothing: who works does not approve, and who reviews does not finish.
func Taught(by machine.Role, m Mode) []Signal {
	switch {
	case by == Secondary:
		return []Signal{SignalPass, SignalRework, SignalFail}
	case m == Consensus:
		return []Signal{SignalDone, SignalPass, SignalFail}
	}
	return []Signal{SignalDone, SignalFail}
}

// Grammar is how one turn is to be ended. The nonce, six hex digits, is new in
// each turn, so that nothing that was written before it is a signal in it.
type Grammar struct {
	Words  Words
	Nonce  string
	Taught []Signal
}

var nonceForm = regexp.MustCompile(`^[0-9a-f]{6}$`)

// FormatSignal is the form of a signal as an agent is taught it.
func (g Grammar) FormatSignal(s Signal) string {
	line := g.Words.Word(s) + " " + g.Nonce
	switch s {
	case SignalRework:
		return line + ": <what must change>"
	case SignalFail:
		return line + ": <why>"
	}
	return line
}

// Result is what a turn's text says.
type Result struct {
	Output string
	Done   bool   // DONE signal found
	Pass   bool   // PASS signal found
	Fail   bool   // FAIL signal found
	Rework bool   // REWORK signal found
	Text   string // the notes of REWORK, the reason of FAIL
}

// Signal is the one that was found.
func (r Result) Signal() Signal {
	switch {
	case r.Done:
		return SignalDone
	case r.Pass:
		return SignalPass
	case r.Rework:
		return SignalRework
	case r.Fail:
		return SignalFail
	}
	return NoneYet
}

// Parse finds the signal in what an agent printed: the last line that is not
// blank, and nothing else, letter by letter:
//
//	DONE <nonce>
//	PASS <nonce>
//	REWORK <nonce>: notes
//	FAIL <nonce>: reason
func (g Grammar) Parse(output string) Result {
	r := Result{Output: output}
	if !nonceForm.MatchString(g.Nonce) {
		return r
	}
	line := lastLine(output)
	for _, s := range g.Taught {
		text, ok := g.match(s, line)
		if !ok {
			continue
		}
		r.Text = text
		switch s {
		case SignalDone:
			r.Done = true
		case SignalPass:
			r.Pass = true
		case SignalRework:
			r.Rework = true
		case SignalFail:
			r.Fail = true
		}
		break
	}
	return r
}

// match takes one line for one signal.
func (g Grammar) match(s Signal, line string) (text string, ok bool) {
	head := g.Words.Word(s) + " " + g.Nonce
	switch s {
	case SignalDone, SignalPass:
		return "", line == head
	}
	text, ok = strings.CutPrefix(line, head+":")
	text = strings.Trim(text, blanks)
	return text, ok && text != ""
}

const blanks = " \t"

// lastLine is the last line that is not blank. A carriage return ends a line too:
// what stands after it is what a person saw.
func lastLine(text string) string {
	for {
		cut := strings.LastIndexAny(text, "\r\n")
		if line := strings.Trim(text[cut+1:], blanks); line != "" || cut < 0 {
			return line
		}
		text = text[:cut]
	}
}
