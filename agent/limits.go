package agent

import (
	"fmt"
	"strings"
	"time"
)

// Limit is a usage limit of an account that the vendor reported. It is not a failure: the
// same program works again after the limit resets.
type Limit struct {
	Until   time.Time `json:"until"` // zero: the vendor does not say
	Message string    `json:"said"`  // the vendor's sentence, on one line; empty: there is no limit
}

// Reached reports whether a limit was reached.
func (l Limit) Reached() bool { return l.Message != "" }

// Millis returns how long the limit still lasts in milliseconds, at least 1; 0 if the vendor
// does not say.
func (l Limit) Millis(now time.Time) int64 {
	if l.Until.IsZero() {
		return 0
	}
	return max(l.Until.Sub(now).Milliseconds(), 1)
}

// Describe returns the limit in words: when it resets or, if unknown, when ferrus tries
// again.
func (l Limit) Describe(pause time.Duration) string {
	if l.Until.IsZero() {
		return fmt.Sprintf("has reached its usage limit and does not say when that resets; ferrus tries again in "+
			"%d minutes", int(pause.Minutes()))
	}
	return "has reached its usage limit, which resets " + l.Until.Local().Format("Mon 15:04") +
		"; it continues by itself then"
}

// LimitReporter is a [Renderer] of a stream that knows why the session failed. Limit returns
// the limit that ended it; one that a later turn survived does not count.
type LimitReporter interface{ Limit(now time.Time) Limit }

// A limit that is more than a month away is a mistake, or a quotation. One that has just
// passed was reported by a clock that shows minutes.
const (
	furthestLimit  = 32 * 24 * time.Hour
	shortestLimit  = time.Minute
	overdueAllowed = 10 * time.Minute
)

// limitPatterns are the beginnings of a vendor's sentences about usage limits, in lower case
// and without apostrophes (there are several kinds).
type limitPatterns struct {
	says  []string // each begins such a sentence, or is soon after its beginning
	then  []string // what the time follows
	exact bool     // its clock is this machine's: a limit may be shorter than shortestLimit
}

// limitDetector is an adapter whose vendor has usage limits.
type limitDetector interface{ limitPatterns() limitPatterns }

// maxPrefix is how many bytes of a line may precede the sentence: "API Error: ", or the
// bullet of a client's own screen. What an agent quotes comes later in the line, or is not
// how its session ends.
const maxPrefix = 48

// find finds a sentence about a limit in a text, line by line.
func (a limitPatterns) find(text string, now time.Time) Limit {
	lines := strings.Split(text, "\n")
	for i := range lines {
		if !a.begins(lines[i]) {
			continue
		}
		// A screen breaks a sentence into rows.
		sentence := strings.Join(strings.Fields(strings.Join(lines[i:min(i+4, len(lines))], " ")), " ")
		if until, ok := a.resetTime(sentence, now); ok {
			return Limit{Until: until, Message: oneLine(strings.TrimLeft(sentence, "⎿■●•✕ "), maxFaultCells)}
		}
	}
	return Limit{}
}

func (a limitPatterns) begins(line string) bool {
	for _, words := range a.says {
		if at := strings.Index(foldedASCII(line), words); at >= 0 && at <= maxPrefix {
			return true
		}
	}
	return false
}

// resetTime returns the time that a sentence names, if it is plausible.
func (a limitPatterns) resetTime(sentence string, now time.Time) (time.Time, bool) {
	low := foldedASCII(sentence)
	for _, lead := range a.then {
		at := strings.Index(low, lead)
		if at < 0 {
			continue
		}
		if until, ok := parseResetTime(sentence[at+len(lead):], now); ok {
			plausible, ok := plausibleReset(until, now)
			if ok && a.exact && until.After(now) {
				return until, true
			}
			return plausible, ok
		}
	}
	return time.Time{}, false
}

func plausibleReset(until, now time.Time) (time.Time, bool) {
	left := until.Sub(now)
	if left < -overdueAllowed || left > furthestLimit {
		return time.Time{}, false
	}
	return now.Add(max(left, shortestLimit)).Round(0), true
}

// foldedASCII returns a text in lower case for comparison, with the same byte offsets.
func foldedASCII(s string) string {
	b := []byte(s)
	for i := range b {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// LimitOnScreen returns the limit that a program reports on its own screen; rows are the
// last ones, from the top.
func LimitOnScreen(name string, rows []string, now time.Time) Limit {
	if v, ok := adapters[name].(limitDetector); ok {
		return v.limitPatterns().find(strings.Join(rows, "\n"), now)
	}
	return Limit{}
}

// limit returns the limit that the renderer has read, if it reports one.
func (s *lineSplitter) limit(now time.Time) Limit {
	if l, ok := s.renderer.(LimitReporter); ok {
		return l.Limit(now)
	}
	return Limit{}
}

// sessionFailure is why a session failed, from its stream.
type sessionFailure struct {
	patterns limitPatterns
	message  string    // empty: it did not fail
	reset    time.Time // when the limit ends that the stream told of beside; zero: it did not
}

// Limit returns the limit that the failure names.
func (f *sessionFailure) Limit(now time.Time) Limit {
	if f.message == "" {
		return Limit{}
	}
	if until, ok := plausibleReset(f.reset, now); ok && f.patterns.begins(f.message) {
		return Limit{Until: until, Message: oneLine(f.message, maxFaultCells)}
	}
	if l := f.patterns.find(f.message, now); l.Reached() || !f.patterns.begins(f.message) {
		return l
	}
	// the failure of a whole session says enough without a time
	return Limit{Message: oneLine(f.message, maxFaultCells)}
}
