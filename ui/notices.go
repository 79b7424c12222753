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

// notices are the sentences for the human: the newest is shown in the border over the
// line, all others can be read again.
type notices struct {
	all    []dialog.Notice // oldest first
	serial int             // of the newest
	oldest int             // the serial of the oldest that is shown with the newest
	timed  int             // the serial of the one whose time is running
	shown  bool
	faint  bool
	own    bool     // it is about the last key, and the next one hides it
	result bool     // it is what a command says
	number int64    // of the newest that came with a View
	agents []string // that no sentence changes the names of
	after  func(time.Duration, tea.Msg) tea.Cmd
}

// faded says that a notice has been shown for some time.
type faded struct{ serial int }

// add shows another notice: about the last key (own), the result of a command, or neither. A result takes the place of
// the previous one.
func (n *notices) add(sentence string, isError, own, result bool, now time.Time) {
	soon := n.shown && now.Sub(n.all[len(n.all)-1].At).Abs() < together
	joins := soon && !n.own && !own && !(n.result && result)
	n.all = append(n.all[max(len(n.all)-noticesKept+1, 0):],
		dialog.Notice{At: now, Text: capitalize(sentence, n.agents), Error: isError})
	if n.serial++; !joins {
		n.oldest = n.serial
	}
	n.shown, n.faint, n.own, n.result = true, false, own, result
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
func (n *notices) pressed() { n.shown = n.shown && !n.own }

// hide removes the notice from the screen.
func (n *notices) hide() { n.shown = false }

// await returns the command that ends the bright time of a new notice.
func (n *notices) await() tea.Cmd {
	if n.timed == n.serial {
		return nil
	}
	n.timed = n.serial
	return n.after(brightTime, faded{n.serial})
}

// fade makes the notice faint, or hides it.
func (n *notices) fade(msg faded) tea.Cmd {
	switch {
	case msg.serial != n.serial || !n.shown:
	case n.faint:
		n.shown = false
	default:
		n.faint = true
		return n.after(faintTime, msg)
	}
	return nil
}

// noticeRows returns the newest notice, below the ones that came together with it, in rows that leave room for a
// border.
func (f frame) noticeRows() (rows []string) {
	n := &f.notices
	if !n.shown || len(n.all) == 0 {
		return nil
	}
	again := fmt.Sprintf("  (%s %s: all notices)", f.keys.First(leader), f.keys.First(listNotices))
	for i := range min(n.serial-n.oldest+1, len(n.all), shownTogether) {
		words := n.all[len(n.all)-1-i].Text
		if i == 0 && n.faint && text.Width(words+again) <= f.w-6 {
			words += again
		}
		more := text.Wrap(words, f.w-6)
		if i > 0 && len(rows)+len(more) > f.screen.maxPrompt {
			break
		}
		rows = append(more, rows...)
	}
	return rows[:min(len(rows), f.screen.maxPrompt)]
}

func (f frame) noticeLook() style.Paint {
	n := &f.notices
	switch {
	case n.faint:
		return f.t.Faint
	case n.all[len(n.all)-1].Error:
		return f.t.Tones[style.Bad]
	}
	return f.t.Strong
}

// putNotice puts a notice of one row into the border in a row. A text in the border is removed if the
// notice covers its beginning.
func (f frame) putNotice(rows []string, y int, words string) {
	spans := style.Spans{{f.t.Frame.Bottom, f.t.Border}, {" " + words + " ", f.noticeLook()}}
	frame := f.t.Frame.Bottom + f.t.Frame.BottomLeft + f.t.Frame.BottomRight
	end := 1 + spans.Width()
	for x := end; x < f.w && !strings.Contains(frame, ansi.Strip(ansi.Cut(rows[y], x, x+1))); x++ {
		spans = append(spans, style.Span{f.t.Frame.Bottom, f.t.Border})
	}
	rows[y] = style.Splice(rows[y], 1, spans.Render(), f.w)
}

// noticeOver puts the notice below a dialog that has hints in its border: into the row of the
// prompt, or over it while something is typed there.
func (f frame) noticeOver(rows []string) {
	notice := f.noticeRows()
	if len(notice) == 0 {
		return
	}
	words := text.Cut(strings.Join(notice, " "), f.w-6)
	y := f.screen.prompt
	if f.prompt.Value() != "" {
		y = f.screen.line
	}
	rows[y] = style.Row(f.w, style.Spans{{"   " + words, f.noticeLook()}}, nil)
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
