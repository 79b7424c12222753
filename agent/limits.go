package agent

import (
	"fmt"
	"strings"
	"time"
)

// Limit is a vendor's word that an account gets no more before a time. It is no
// failure of the session: the same program works again then.
type Limit struct {
	Until time.Time `json:"until"` // zero: the vendor does not say
	Said  string    `json:"said"`  // the vendor's sentence, on one line; empty: there is no limit
}

// Reached reports that there is a limit.
func (l Limit) Reached() bool { return l.Said != "" }

// Millis returns how long the limit still lasts in milliseconds, at least 1; 0: the
// vendor does not say.
func (l Limit) Millis(now time.Time) int64 {
	if l.Until.IsZero() {
		return 0
	}
	return max(l.Until.Sub(now).Milliseconds(), 1)
}

// Describe say until when the account is used up, where the wait is to last so long.
func (l Limit) Describe(pause time.Duration) string {
	if l.Until.IsZero() {
		return fmt.Sprintf("has used up what its vendor gives and does not say until when; it is tried again in %d minutes", int(pause.Minutes()))
	}
	return "has used up what its vendor gives until " + l.Until.Local().Format("Mon 15:04") + "; it goes on by itself then"
}

// LimitReporter is a [Renderer] of a stream that knows how the session failed. Limit is
// of the end: one that a later turn got over counts no more.
type LimitReporter interface{ Limit(now time.Time) Limit }

// A limit further off than a month is a mistake, or somebody else's sentence; one
// that is over, but not for long, was told by a clock that shows minutes.
const (
	furthestLimit  = 32 * 24 * time.Hour
	shortestLimit  = time.Minute
	overdueAllowed = 10 * time.Minute
)

// limitPatterns is how a vendor's sentences about used up limits read. All are lower
// case, and without apostrophes, of which there are several.
type limitPatterns struct {
	says []string // each begins such a sentence, or is soon after its beginning
	then []string // what the time follows
}

// limiter is an adapter of a vendor that limits the use of an account.
type limiter interface{ allowance() limitPatterns }

// early is how many bytes of a line may come before the sentence: "API Error: ",
// or the bullet of a client's own screen. What an agent quotes is further in, or
// is not how its session ends.
const early = 48

// limit finds the sentence of an allowance in a text, line by line.
func (a limitPatterns) limit(text string, now time.Time) Limit {
	lines := strings.Split(text, "\n")
	for i := range lines {
		if !a.begins(lines[i]) {
			continue
		}
		// A screen cuts a sentence into rows.
		sentence := strings.Join(strings.Fields(strings.Join(lines[i:min(i+4, len(lines))], " ")), " ")
		if until, ok := a.until(sentence, now); ok {
			return Limit{Until: until, Said: oneLine(strings.TrimLeft(sentence, "⎿■●•✕ "), longFault)}
		}
	}
	return Limit{}
}

func (a limitPatterns) begins(line string) bool {
	for _, words := range a.says {
		if at := strings.Index(foldedASCII(line), words); at >= 0 && at <= early {
			return true
		}
	}
	return false
}

// until reads the time that a sentence names, and bounds it.
func (a limitPatterns) until(sentence string, now time.Time) (time.Time, bool) {
	low := foldedASCII(sentence)
	for _, lead := range a.then {
		at := strings.Index(low, lead)
		if at < 0 {
			continue
		}
		if until, ok := parseResetTime(sentence[at+len(lead):], now); ok {
			return bounded(until, now)
		}
	}
	return time.Time{}, false
}

func bounded(until, now time.Time) (time.Time, bool) {
	left := until.Sub(now)
	if left < -overdueAllowed || left > furthestLimit {
		return time.Time{}, false
	}
	return now.Add(max(left, shortestLimit)).Round(0), true
}

// foldedASCII is a text for comparing, byte by byte as long as the text.
func foldedASCII(s string) string {
	b := []byte(s)
	for i := range b {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// LimitOnScreen is the limit that a program on its own screen says it has met;
// rows are the last ones, from the top.
func LimitOnScreen(name string, rows []string, now time.Time) Limit {
	if v, ok := vendors[name].(limiter); ok {
		return v.allowance().limit(strings.Join(rows, "\n"), now)
	}
	return Limit{}
}

// limit is what the renderer in front of the screen has read, if it is a Limiter.
func (s *lineSplitter) limit(now time.Time) Limit {
	if l, ok := s.renderer.(LimitReporter); ok {
		return l.Limit(now)
	}
	return Limit{}
}

// fault is how a stream says that its session failed.
type fault struct {
	allowance limitPatterns
	said      string    // empty: it did not fail
	reset     time.Time // when the limit ends that the stream told of beside; zero: it did not
}

// Limit is the one that the failure names.
func (f *fault) Limit(now time.Time) Limit {
	if f.said == "" {
		return Limit{}
	}
	if until, ok := bounded(f.reset, now); ok && f.allowance.begins(f.said) {
		return Limit{Until: until, Said: oneLine(f.said, longFault)}
	}
	if l := f.allowance.limit(f.said, now); l.Reached() || !f.allowance.begins(f.said) {
		return l
	}
	return Limit{Said: oneLine(f.said, longFault)} // the failure of a whole session says enough without a time
}
