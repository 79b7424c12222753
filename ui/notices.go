package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/dialog"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// A notice is bright at first, then faint, then gone from the screen.
const (
	brightTime = 10 * time.Second
	faintTime  = 20 * time.Second
)

// together is how soon after another one a notice comes that is shown below it instead of in its place: there was no
// time to read the other. So many are shown at once.
const (
	together      = 2 * time.Second
	shownTogether = 3
)

// noticesKept bounds the notices that can be read again.
const noticesKept = 200

// notices are the sentences for the human: the newest are shown over the line, all can be read again.
type notices struct {
	all    []dialog.Notice // oldest first
	shown  []shownNotice   // oldest first
	serial int             // of the newest
	timed  int             // the serial of the one whose time is running
	faint  bool
	number int64    // of the newest that came with a View
	agents []string // that no sentence changes the names of
	after  func(time.Duration, tea.Msg) tea.Cmd
}

// shownNotice is a notice on the screen.
type shownNotice struct {
	dialog.Notice
	own    bool // it is about the last key, and the next one hides it
	result bool // it is what a command says
}

// faded says that a notice has been shown for some time.
type faded struct{ serial int }

// add shows another notice: about the last key (own), the result of a command, or neither. The first two take the place
// of the previous one of their kind.
func (n *notices) add(sentence string, isError, own, result bool, now time.Time) {
	came := dialog.Notice{At: now, Text: capitalize(sentence, n.agents), Error: isError}
	n.all = append(n.all[max(len(n.all)-noticesKept+1, 0):], came)
	soon := len(n.shown) > 0 && now.Sub(n.shown[len(n.shown)-1].At).Abs() < together
	n.shown = slices.DeleteFunc(n.shown, func(was shownNotice) bool {
		return !soon || own && was.own || result && was.result
	})
	n.shown = append(n.shown[max(len(n.shown)-shownTogether+1, 0):], shownNotice{came, own, result})
	n.serial++
	n.faint = false
}

// accept adds what came with a View and is new.
func (n *notices) accept(came []view.Notice, now time.Time) {
	for _, c := range came {
		if c.Number > n.number {
			n.number = c.Number
			n.add(c.Text, c.Error, false, false, now)
		}
	}
}

// pressed hides what was about the previous key.
func (n *notices) pressed() {
	n.shown = slices.DeleteFunc(n.shown, func(was shownNotice) bool { return was.own })
}

// hide removes the notices from the screen.
func (n *notices) hide() { n.shown = nil }

// await returns the command that ends the bright time of a new notice.
func (n *notices) await() tea.Cmd {
	if n.timed == n.serial {
		return nil
	}
	n.timed = n.serial
	return n.after(brightTime, faded{n.serial})
}

// fade makes the notices faint, or hides them.
func (n *notices) fade(msg faded) tea.Cmd {
	switch {
	case msg.serial != n.serial || len(n.shown) == 0:
	case n.faint:
		n.hide()
	default:
		n.faint = true
		return n.after(faintTime, msg)
	}
	return nil
}

// noticeRows returns the newest notice, below the ones that came together with it, in rows that leave room for a
// border.
func (f frame) noticeRows() (rows style.Spans) {
	for i, n := range slices.Backward(f.notices.shown) {
		newest := i == len(f.notices.shown)-1
		words := n.Text
		if newest && f.notices.faint {
			again := fmt.Sprintf("  (%s %s: all notices)", f.keys.First(leader), f.keys.First(listNotices))
			if text.Width(words+again) <= f.w-6 {
				words += again
			}
		}
		more := text.Wrap(words, f.w-6)
		if !newest && len(rows)+len(more) > f.screen.maxPrompt {
			break
		}
		var spans style.Spans
		for _, row := range more {
			spans = append(spans, style.Span{row, f.noticeLook(n.Error)})
		}
		rows = append(spans, rows...)
	}
	return rows[:min(len(rows), f.screen.maxPrompt)]
}

func (f frame) noticeLook(isError bool) style.Paint {
	switch {
	case f.notices.faint:
		return f.t.Faint
	case isError:
		return f.t.Tones[style.Bad]
	}
	return f.t.Strong
}

// putNotice puts a notice of one row into the border in a row. A text in the border is removed if the
// notice covers its beginning.
func (f frame) putNotice(rows []string, y int, notice style.Span) {
	spans := style.Spans{{f.t.Frame.Bottom, f.t.Border}, {" " + notice.Text + " ", notice.Paint}}
	frame := f.t.Frame.Bottom + f.t.Frame.BottomLeft + f.t.Frame.BottomRight
	end := 1 + spans.Width()
	for x := end; x < f.w && !strings.Contains(frame, ansi.Strip(ansi.Cut(rows[y], x, x+1))); x++ {
		spans = append(spans, style.Span{f.t.Frame.Bottom, f.t.Border})
	}
	rows[y] = style.Splice(rows[y], 1, spans.Render(), f.w)
}

// noticeOver puts the notices below a dialog that has hints in its border: into the row of the
// prompt, or over it while something is typed there.
func (f frame) noticeOver(rows []string) {
	notice := f.noticeRows()
	if len(notice) == 0 {
		return
	}
	y := f.screen.prompt
	if f.prompt.Value() != "" {
		y = f.screen.line
	}
	indent := "   "
	for i := range notice {
		notice[i].Text, indent = indent+notice[i].Text, " "
	}
	rows[y] = style.Row(f.w, notice, nil)
}

// programs are those whose names errors start with.
var programs = []string{"bwrap", "exec", "ferrus", "gh", "git", "go", "npm", "ssh", "tmux"}

// capitalize begins a sentence with a capital: errors come without one. A file, a command and the name of a program,
// such as claude-code, stay as they are, and so do the agents.
func capitalize(s string, agents []string) string {
	first, _, _ := strings.Cut(s, " ")
	first = strings.TrimRight(first, ",:;")
	isWord := first != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz'") == ""
	if !isWord || slices.Contains(programs, first) || slices.Contains(agents, first) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
