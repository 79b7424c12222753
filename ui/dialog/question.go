package dialog

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"ferrus/ui/intent"
	"ferrus/ui/keys"
	"ferrus/ui/style"
	"ferrus/ui/text"
)

// Question asks before something is lost.
type Question struct {
	Of          Kind
	Title, Text string
	Yes         Button
	Other       *Button // nil: there is none
	Diff        bool    // it offers the diff
	No          string  // what n and Esc do, in words; empty: cancel
	back        Dialog  // what comes back when it is answered; nil: nothing
	burst       Burst
	ignored     bool // a key that would have answered came in a burst
}

// Burst is a run of keys that were meant for something else, such as a line that was being
// typed when a question opened. None of its keys answers the question.
type Burst struct{ last time.Time }

// burstPause is the pause that ends a burst.
const burstPause = 700 * time.Millisecond

// Note starts a burst with a key that types something, or continues it.
func (b *Burst) Note(key string, now time.Time) {
	if key = strings.TrimPrefix(key, "shift+"); key == "space" || utf8.RuneCountInString(key) == 1 {
		b.last = now
	}
}

// Has reports whether an answer that comes now belongs to the burst. It does not continue it, so
// that pressing the key again answers.
func (b *Burst) Has(now time.Time) bool {
	return !b.last.IsZero() && now.Sub(b.last) < burstPause
}

// Button is what a key does, in words that name it.
type Button struct {
	Words  string
	Intent intent.Intent
}

// Kind names the question.
func (q Question) Kind() Kind { return q.Of }

// Place returns where its keys count.
func (q Question) Place() keys.Context { return keys.InQuestion }

// Scroll does nothing: all of it is shown.
func (q Question) Scroll(Context, int) {}

// Draw draws the question and its buttons.
func (q Question) Draw(c Context, room style.Rect) (style.Rect, []string) {
	t := c.Theme
	lines := text.Wrap(q.Text, 52)
	if q.ignored {
		lines = append(lines, "That key arrived with others. Press it again.")
	}
	r := style.Centered(room, 58, len(lines)+5)
	body := []string{text.Blanks(r.W - 2)}
	for _, line := range lines {
		body = append(body, style.Row(r.W-2, style.Spans{{"  " + line, ""}}, nil))
	}
	body = append(body, text.Blanks(r.W-2), style.Row(r.W-2, q.buttons(c), nil))
	top := style.Edge{Left: style.Spans{{" " + q.Title, t.Tones[style.Warn]}}}
	return r, t.Box(r, t.Focused, top, style.Edge{}, body)
}

func (q Question) buttons(c Context) style.Spans {
	all := [][2]string{{c.Keys.First(Yes), q.Yes.Words}}
	if q.Other != nil {
		all = append(all, [2]string{c.Keys.First(Other), q.Other.Words})
	}
	if q.Diff {
		all = append(all, [2]string{c.Keys.First(ShowDiff), "show the diff"})
	}
	no := c.Keys.First(No)
	if c.Keys.Action(keys.InQuestion, "esc") == No {
		no += ", Esc"
	}
	return append(style.Spans{{" ", ""}}, buttons(c, append(all, [2]string{no, cmp.Or(q.No, "cancel")})...)...)
}

// buttons are keys that decide, and what they do.
func buttons(c Context, all ...[2]string) (line style.Spans) {
	gap := " "
	for _, b := range all {
		line = append(line, style.Spans{{gap + b[0], c.Theme.Strong}, {" " + b[1], c.Theme.Faint}}...)
		gap = "   "
	}
	return line
}

// Press does what a button says.
func (q Question) Press(c Context, key string) (Dialog, intent.Intent) {
	action := c.Keys.Action(keys.InQuestion, key)
	if q.ignored = action != "" && key != "esc" && q.burst.Has(c.Now); q.ignored {
		return q, nil
	}
	switch action {
	case Yes:
		return q.back, q.Yes.Intent
	case Other:
		if q.Other != nil {
			return nil, q.Other.Intent
		}
	case ShowDiff:
		if q.Diff {
			return nil, Open{diffOver(q)}
		}
	case No:
		return q.back, nil
	}
	q.burst.Note(key, c.Now)
	return q, nil
}
