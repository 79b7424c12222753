package pair

import (
	"fmt"
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

// Words are the words of the signals in a run: [pair.signals] of ferrus.toml.
type Words struct {
	Done   string `json:"done"`
	Pass   string `json:"pass"`
	Rework string `json:"rework"`
	Fail   string `json:"fail"`
}

// DefaultWords are used where the configuration names no others.
var DefaultWords = Words{Done: "DONE", Pass: "PASS", Rework: "REWORK", Fail: "FAIL"}

// wordBytes is how long a signal word may be.
const wordBytes = 32

// Bytes of a signal word, at its start and after it, and of a nonce.
const (
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	wordRest = letters + "0123456789_-"
	hexBytes = "0123456789abcdef"
)

// CheckWord returns an error unless a signal word can stand at the start of a line.
func CheckWord(word string) error {
	if len(word) == 0 || len(word) > wordBytes || !strings.Contains(letters, word[:1]) ||
		strings.Trim(word, wordRest) != "" {
		return fmt.Errorf("the signal word %.40q must start with a letter and have at most 32 letters, digits, "+
			"- and _", word)
	}
	return nil
}

// Check returns an error if two words differ only in case, or if [CheckWord] refuses one.
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

// Word returns the word of a signal; empty for NoneYet.
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

// Taught returns the signals that end an agent's turn in a mode. Any other is no
// signal: the primary does not approve its own work, except as one of two votes, and
// the secondary does not finish it, except as the other, where DONE counts as PASS.
func Taught(by machine.Role, m Mode) []Signal {
	switch {
	case by == Secondary && m == Consensus:
		return []Signal{SignalPass, SignalDone, SignalRework, SignalFail}
	case by == Secondary:
		return []Signal{SignalPass, SignalRework, SignalFail}
	case m == Consensus:
		return []Signal{SignalDone, SignalPass, SignalFail}
	}
	return []Signal{SignalDone, SignalFail}
}

// Grammar describes how one turn ends. The nonce, six hex digits, is new in each turn,
// so that nothing written before, in a file, a prompt or an earlier turn, is a signal.
type Grammar struct {
	Words  Words
	Nonce  string
	Taught []Signal
}

// nonceBytes is how long a nonce is.
const nonceBytes = 6

// FormatSignal returns the line that an agent is taught to end its turn with.
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

// Result is what a turn's output says. At most one of the signals is set.
type Result struct {
	Output string
	Done   bool   // DONE signal found
	Pass   bool   // PASS signal found
	Fail   bool   // FAIL signal found
	Rework bool   // REWORK signal found
	Text   string // the notes of REWORK, the reason of FAIL
}

// Signal returns the signal that was found; NoneYet if there was none.
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
//	REWORK <nonce>: notes, or without them
//	FAIL <nonce>: reason
func (g Grammar) Parse(output string) Result {
	r := Result{Output: output}
	if len(g.Nonce) != nonceBytes || strings.Trim(g.Nonce, hexBytes) != "" {
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

// match matches a line with one signal and returns the text after its colon.
func (g Grammar) match(s Signal, line string) (text string, ok bool) {
	head := g.Words.Word(s) + " " + g.Nonce
	switch {
	case s == SignalDone, s == SignalPass:
		return "", line == head
	case s == SignalRework && strings.TrimRight(strings.TrimSuffix(line, ":"), blanks) == head:
		return "", true
	}
	text, ok = strings.CutPrefix(line, head+":")
	text = strings.Trim(text, blanks)
	return text, ok && text != ""
}

const blanks = " \t"

// lastLine returns the last line that is not blank. A carriage return ends a line too,
// because a terminal shows what comes after it in place of what came before.
func lastLine(text string) string {
	for {
		cut := strings.LastIndexAny(text, "\r\n")
		if line := strings.Trim(text[cut+1:], blanks); line != "" || cut < 0 {
			return line
		}
		text = text[:cut]
	}
}
